/** Finds out whether a person asks for an action: by the text alone, and only by what the person typed. */
import type { ToolName } from '../core/tool.ts';

/** One tool on one channel, as it was asked for. */
export interface Wanted {
  readonly tool: ToolName;
  readonly channel: string;
}

const POLITE = '(?:please\\s+|(?:can|could|would) you\\s+(?:please\\s+)?|reeve,?\\s+)?';
const ABOUT = '(?:\\s+(?:of|for|on|the|channel|its))*';
const CHANNEL = '\\s+["\'`]?(?:channel:)?([\\w.-]*\\w)["\'`]?';
const END = '(?:\\s+(?:now|again|please))*\\s*[.!?]*\\s*$';

const asked = (verb: string, thing: string): RegExp =>
  new RegExp(`^\\s*${POLITE}${verb}(?:\\s+the)?${thing}${ABOUT}${CHANNEL}${END}`, 'i');

const ACTIONS: readonly (readonly [ToolName, RegExp])[] = [
  ['refresh_credentials', asked('(?:refresh|renew)', '\\s+(?:credentials?|tokens?)')],
  ['rebuild_playout', asked('rebuild', '(?:\\s+playout)?')],
  ['invalidate_cache', asked('(?:invalidate|clear)', '\\s+cache')],
  ['restart_channel', asked('(?:restart_channel|restart|kick)', '')],
];

/** Undefined where it asks for no action, or for one on something that is no channel. */
export function actionIn(text: string, channels: readonly string[]): Wanted | undefined {
  for (const [tool, pattern] of ACTIONS) {
    const named = pattern.exec(text)?.[1]?.toLowerCase();
    const channel = channels.find((each) => each.toLowerCase() === named);
    if (named !== undefined && channel !== undefined) return { tool, channel };
  }
  return undefined;
}

/** True where the text asks for an action on something, whatever it is. */
export const asksForAction = (text: string): boolean => ACTIONS.some(([, pattern]) => pattern.test(text));
