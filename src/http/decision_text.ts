// Words what speaks about a channel before its last decision does.
import type { MonoMs } from '../core/clock.ts';
import { type ChannelId, keyOfScope } from '../core/scope.ts';
import { type GuardState, subjectAt } from '../guard/state/state.ts';
import { waitText } from '../guard/trace.ts';

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
    `healthy or reeve reset ${scope}. ${because}`
  );
}
