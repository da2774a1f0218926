/** Finds out whether a person asks for an action: by the text alone, and only by what the person typed. */
import type { ToolName } from '../core/tool.ts';
import { TOOLS } from '../remediation/catalog.ts';
import type { Phrase } from '../remediation/tool.ts';

/** One tool on one channel, as it was asked for. */
export interface Wanted {
  readonly tool: ToolName;
  readonly channel: string;
}

const POLITE = '(?:please\\s+|(?:can|could|would) you\\s+(?:please\\s+)?|reeve,?\\s+)?';
const ABOUT = '(?:\\s+(?:of|for|on|the|channel|its))*';
const CHANNEL = '\\s+["\'`]?(?:channel:)?([\\w.-]*\\w)["\'`]?';
const END = '(?:\\s+(?:now|again|please))*\\s*[.!?]*\\s*$';

const asked = ({ verb, thing }: Phrase): RegExp =>
  new RegExp(`^\\s*${POLITE}${verb}(?:\\s+the)?${thing}${ABOUT}${CHANNEL}${END}`, 'i');

const ACTIONS: readonly (readonly [ToolName, RegExp])[] = Object.values(TOOLS).flatMap(({ spec, phrase }) =>
  phrase === undefined ? [] : [[spec.name, asked(phrase)] as const],
);

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
