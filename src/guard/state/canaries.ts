// Counts the starts that should have shown that a shared cause is over, and did not, and since when they count (S8).
import type { MonoMs } from '../../core/clock.ts';
import { type ChannelId, keyOfScope, type Scope } from '../../core/scope.ts';
import { specOf } from '../../remediation/catalog.ts';
import { containmentsOf, type GuardState, overdueOf, type SubjectState, subjectAt } from './state.ts';

/** Restarts of these channels by Reeve that have failed since then, those without a verdict in time included. */
export function lostCanaries(
  state: GuardState,
  { channels, sinceMs }: { readonly channels: readonly ChannelId[]; readonly sinceMs: MonoMs },
  nowMs: MonoMs,
): number {
  const lostOf = (subject: Readonly<SubjectState>): number => {
    const { failures, openedMs = Number.NEGATIVE_INFINITY, trips } = subject.breaker;
    const overdue = overdueOf(subject, nowMs).filter(({ terms }) => specOf(terms.call.tool).startsProcess);
    const failedMs = [...failures, ...overdue.map(({ dueMs }) => dueMs)];
    // A failed probe is no failure of the closed breaker: each has reopened it once.
    return failedMs.filter((atMs) => atMs >= sinceMs).length + (openedMs >= sinceMs ? trips : 0);
  };
  return channels.reduce((sum, id) => sum + lostOf(subjectAt(state, keyOfScope({ kind: 'channel', id }))), 0);
}

/** Since when what contains the scope now can have shown itself; a cause may be known for longer. 0: nothing does. */
export function episodeOf(scope: Scope, state: GuardState, windowMs: number): MonoMs {
  const held = containmentsOf(state, [scope]).find(({ reason }) => reason === 'shared_cause');
  return held === undefined ? 0 : held.raisedMs - windowMs;
}
