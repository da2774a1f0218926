/** Finds out whether a person asks for an action: by the text alone, and only by what the person typed. */
import type { CommandAnswer } from '../core/command_answer.ts';
import type { ToolName } from '../core/tool.ts';
import { TOOLS } from '../remediation/catalog.ts';
import type { Phrase } from '../remediation/tool.ts';
import { plainLine } from './tool.ts';

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

/** The daemon's answer to a person who asks for an action. */
export interface Proposed {
  readonly ok: boolean;
  /** For people, with the ids that it rests on. */
  readonly text: string;
  readonly cites: readonly string[];
}

/** What an action is asked of. */
export interface ProposalPorts {
  readonly channels: () => Promise<readonly { readonly id: string }[]>;
  readonly propose: (wanted: Wanted) => Promise<CommandAnswer>;
}

/** Only what a person typed is looked at: no model, tool or earlier answer can ask for anything. */
export async function proposedIn(prompt: string, ports: ProposalPorts): Promise<Proposed | undefined> {
  if (!asksForAction(prompt)) return undefined;
  const channels = await ports.channels();
  const wanted = actionIn(
    prompt,
    channels.map(({ id }) => id),
  );
  if (wanted === undefined) {
    const text = 'Nothing was proposed: an action needs one channel that is configured, as in: restart NAME.';
    return { ok: false, text, cites: [] };
  }
  const answer = await ports.propose(wanted);
  const asked = answer.ok ? (answer.more as { readonly id: string; readonly incident: string } | undefined) : undefined;
  const cites = asked === undefined ? [`channel:${wanted.channel}`] : [asked.id, asked.incident];
  const outcome = answer.ok ? answer.said : [answer.because, answer.hint].filter((each) => each != null).join('; ');
  return { ok: answer.ok, text: `${plainLine(outcome)} [${cites.join(', ')}]`, cites };
}
