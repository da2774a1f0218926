// Counts restarts by Reeve per incident and per day (law S5).
import type { MonoMs } from '../../core/clock.ts';
import { DAY_MS } from '../../core/duration.ts';
import type { IncidentId, ScopeKey } from '../../core/scope.ts';
import { RESTARTS_KEPT } from './lifecycle.ts';
import { type GuardState, subjectAt } from './state.ts';

/** Law S5: restarts by Reeve of one target for one incident, however long it lasts. */
export function restartsOfIncident(state: GuardState, key: ScopeKey, incident: IncidentId): number {
  const remembered = subjectAt(state, key).restarts.filter((own) => own.incident === incident).length;
  return Math.max(remembered, state.incidents[incident]?.restarts[key] ?? 0);
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
