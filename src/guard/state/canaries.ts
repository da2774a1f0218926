// Counts the starts that should have shown that a shared cause is over, and did not (law S8).
import type { MonoMs } from '../../core/clock.ts';
import { type ChannelId, keyOfScope } from '../../core/scope.ts';
import { specOf } from '../../remediation/catalog.ts';
import { type GuardState, overdueOf, type SubjectState, subjectAt } from './state.ts';

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
