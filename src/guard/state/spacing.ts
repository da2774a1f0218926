// Counts high-risk actions per run, target and group, and the spacing between them (law S4).
import type { MonoMs } from '../../core/clock.ts';
import type { Limits } from '../../core/limits.ts';
import type { Persona } from '../../core/persona.ts';
import { type GroupId, keyOfScope, type RunId, type ScopeKey } from '../../core/scope.ts';
import { cooldownOf } from './cooldown.ts';
import { type GuardState, type SubjectState, subjectAt } from './state.ts';

/** Law S4: this run has had its one high-risk action, whatever it was for: a run has one incident, and no other. */
export const usedByRun = (state: GuardState, run: RunId): boolean =>
  state.subjects.some((bucket) => Object.values(bucket).some((subject) => hasServed(subject, run))) ||
  Object.values(state.groups).some((marks) => marks.some((mark) => mark.run === run));

const hasServed = ({ highRisk, restarts }: Readonly<SubjectState>, run: RunId): boolean =>
  highRisk?.run === run || restarts.some((restart) => restart.run === run);

/** Law S4: milliseconds until the target may have its next high-risk action, from the end of the last. */
export const spacingLeftMs = (state: GuardState, key: ScopeKey, at: { limits: Limits; nowMs: MonoMs }): number =>
  cooldownOf(subjectAt(state, key).highRisk, at.limits.highRiskSpacingMs, at.nowMs).leftMs;

/**
 * Laws S2 and S4: the last plan of the target has started something, and all that it started is verified. A further
 * plan is clocked by its own proofs, as that one was; each of its channels keeps its own distance.
 */
export function isLastPlanProven(state: GuardState, key: ScopeKey): boolean {
  const last = subjectAt(state, key).highRisk?.permit;
  const own = last === undefined ? [] : state.starts.filter(({ plan }) => plan === last);
  return own.length > 0 && own.every(({ proven }) => proven === true);
}

/** Law S4: high-risk actions that may begin in one group in any spacing window. One for the strict. */
export const groupMaxOf = (limits: Limits, persona: Persona): number =>
  persona.risk_tolerance === 'low' ? Math.min(1, limits.highRiskPerGroupMax) : limits.highRiskPerGroupMax;

/** Law S4: high-risk actions that began in the group in (now − spacing, now], and when one more fits. */
export function groupRoom(
  state: GuardState,
  group: GroupId,
  at: { readonly max: number; readonly limits: Limits; readonly nowMs: MonoMs },
): { readonly count: number; readonly freeInMs: number } {
  const { max, limits, nowMs } = at;
  const times = (state.groups[keyOfScope({ kind: 'group', id: group })] ?? [])
    .map((mark) => mark.atMs)
    .filter((atMs) => atMs > nowMs - limits.highRiskSpacingMs)
    .sort((a, b) => a - b);
  if (times.length < max) return { count: times.length, freeInMs: 0 };
  const last = times[times.length - Math.max(1, max)] ?? nowMs;
  return { count: times.length, freeInMs: Math.max(1, last + limits.highRiskSpacingMs - nowMs) };
}
