import type { MonoMs } from '../core/clock.ts';
import type { Limits } from '../core/limits.ts';
import type { Persona } from '../core/persona.ts';
import { type GroupId, keyOfScope, type RunId, type ScopeKey } from '../core/scope.ts';
import { cooldownOf } from './cooldown.ts';
import { type GuardState, subjectAt } from './state.ts';

/** Law S4: this run has had its one high-risk action. */
export function usedByRun(state: GuardState, where: { key: ScopeKey; group: GroupId; run: RunId }): boolean {
  if (subjectAt(state, where.key).highRisk?.run === where.run) return true;
  const marks = state.groups[keyOfScope({ kind: 'group', id: where.group })] ?? [];
  return marks.some((mark) => mark.run === where.run);
}

/** Law S4: milliseconds until the target may have its next high-risk action, from the end of the last. */
export const spacingLeftMs = (state: GuardState, key: ScopeKey, at: { limits: Limits; nowMs: MonoMs }): number =>
  cooldownOf(subjectAt(state, key).highRisk, at.limits.highRiskSpacingMs, at.nowMs).leftMs;

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
