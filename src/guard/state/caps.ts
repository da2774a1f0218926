// Counts restarts by Reeve per incident and per day (law S5).
import type { MonoMs } from '../../core/clock.ts';
import { DAY_MS } from '../../core/duration.ts';
import type { IncidentId, ScopeKey } from '../../core/scope.ts';
import { RESTARTS_KEPT } from './lifecycle.ts';
import { carriedOver, restartsFor } from './relapses.ts';
import { type GuardState, subjectAt } from './state.ts';

/**
 * Law S5: restarts by Reeve of one target for one incident, however long it lasts, and for those before it of which it
 * is a relapse: a new id refills nothing.
 */
export function restartsOfIncident(
  state: GuardState,
  key: ScopeKey,
  incident: { readonly id: IncidentId; readonly openedMs: MonoMs | undefined },
): number {
  const { id } = incident;
  const subject = subjectAt(state, key);
  return Math.max(restartsFor(subject, id), state.incidents[id]?.restarts[key] ?? 0) + carriedOver(subject, incident);
}

export interface DayCount {
  readonly count: number;
  /** 0 when one more fits; else the milliseconds until one does. */
  readonly freeInMs: number;
}

/** Law S5: restarts by Reeve of one channel in the half-open window (now − 24 h, now]. */
export function restartsOfDay(state: GuardState, key: ScopeKey, max: number, nowMs: MonoMs): DayCount {
  const times = subjectAt(state, key)
    .restarts.map((own) => own.atMs)
    .filter((atMs) => atMs > nowMs - DAY_MS);
  const bound = Math.min(max, RESTARTS_KEPT);
  if (times.length < bound) return { count: times.length, freeInMs: 0 };
  const last = times[times.length - Math.max(1, bound)] ?? nowMs;
  return { count: times.length, freeInMs: Math.max(1, last + DAY_MS - nowMs) };
}
