// Words what speaks about a channel before its last decision does.
import type { MonoMs } from '../core/clock.ts';
import { ownQuestion } from '../control/approvals.ts';
import { askAnew } from '../control/commands.ts';
import type { ControlState } from '../control/state.ts';
import { type ChannelId, keyOfScope, type Scope } from '../core/scope.ts';
import { describeCall } from '../core/tool.ts';
import { type GuardState, subjectAt } from '../guard/state/state.ts';
import { waitText } from '../guard/trace.ts';
import type { OpenIncident } from '../incident/lifecycle/state.ts';

/** A change whose end is not known comes first: until it is settled, no decision is about anything else (law S6). */
export function becauseOf(
  { state, channel, nowMs }: { readonly state: GuardState; readonly channel: ChannelId; readonly nowMs: MonoMs },
  because: string,
): string {
  const scope = keyOfScope({ kind: 'channel', id: channel });
  const { unknown } = subjectAt(state, scope);
  if (unknown === undefined) return because;
  const since = waitText(Math.max(0, nowMs - unknown.sinceMs));
  return (
    `UNKNOWN: the end of ${unknown.tool}, noted ${since} ago; nothing more is changed until ${channel} is seen ` +
    `healthy or ${askAnew({ kind: 'channel', id: channel })}. ${because}`
  );
}

/** What came after the last decision of an open incident, where that decision does not show it. */
export const sinceThen = (state: ControlState, open: Pick<OpenIncident, 'incident' | 'last' | 'told'>): string =>
  saidNo(state, open) + (open.last?.kind === 'watching' && open.told.length > 0 ? '; a page about it is open' : '');

interface Now {
  readonly control: ControlState;
  readonly guard: GuardState;
  readonly nowMs: MonoMs;
}

/**
 * What Reeve is doing for an open incident, and what the last run of it ended with. While the next one is under way
 * that may be over, as a yes that was wanted and is carried out now.
 */
export function runText(open: OpenIncident, { control, guard, nowMs }: Now): string | null {
  const last = open.last && `${open.last.because}${sinceThen(control, open)}`;
  if (!open.running) return last ?? null;
  const texts = [changeText(open, guard, nowMs), last && `before this run: ${last}`].filter(
    (text) => text !== undefined,
  );
  return texts.length === 0 ? null : texts.join('; ');
}

/** The change that was begun in this run, until it is judged. A tool of the whole engine is noted there. */
function changeText({ incident }: OpenIncident, guard: GuardState, nowMs: MonoMs): string | undefined {
  const ofEngine: Scope = { kind: 'engine', id: incident.engine };
  const open = [ofEngine, incident.scope].flatMap((scope) => subjectAt(guard, keyOfScope(scope)).open);
  const change = open.findLast(({ terms, startedMs }) => terms.incident === incident.id && startedMs !== undefined);
  if (change?.startedMs === undefined) return undefined;
  const call = describeCall(change.terms.call);
  return change.endedMs === undefined
    ? `${call} has been under way for ${waitText(nowMs - change.startedMs)}`
    : `${call} ended ${waitText(nowMs - change.endedMs)} ago, and is being verified`;
}

/** A question that a person said no to is not asked again, so nothing shows that it was there. */
function saidNo(state: ControlState, { incident, last }: Pick<OpenIncident, 'incident' | 'last'>): string {
  const newest = last?.kind === 'approval_needed' ? ownQuestion(state, incident.scope) : undefined;
  if (newest?.state !== 'no' || newest.approval.incident !== incident.id) return '';
  const { who = 'a person', because = '' } = newest.answer ?? {};
  return `; ${who} said no (${because}), and it is not asked again until: ${askAnew(incident.scope)}`;
}
