// Computes the circuit breaker of a channel from its restarts and their verdicts (law S3).
import type { MonoMs } from '../../core/clock.ts';
import type { Limits } from '../../core/limits.ts';
import type { PermitId } from '../../core/tool.ts';

/**
 * What the journal records of one channel's breaker. Which of the failures opened it, and until when, depends on the
 * limits and the time, so it is not kept but asked: `breakerAt`. The step from open to half-open is kept when a permit
 * of a higher generation shows that the guard let a probe through.
 */
export interface BreakerState {
  /** Rises with every change of state. A result counts only for the generation that admitted it. */
  generation: number;
  /** Openings in a row without a cure. 0 until the first probe. */
  trips: number;
  /** When restarts of the present closed generation failed, oldest first. */
  failures: MonoMs[];
  /** A probe failed then, and it is open since. */
  openedMs?: MonoMs;
  /** Half-open: this one permit is the probe; without a verdict at its deadline it has failed. */
  probe?: { permit: PermitId; deadlineMs: MonoMs };
  /** The probe that closed it: should that cure not hold, the opening goes on as if it never had. */
  closedBy?: { permit: PermitId; trips: number };
}

export type BreakerView =
  | { readonly state: 'closed'; readonly generation: number; readonly failures: number }
  | { readonly state: 'open'; readonly generation: number; readonly trips: number; readonly untilMs: MonoMs }
  | {
      readonly state: 'half_open';
      readonly generation: number;
      readonly trips: number;
      /** The probe that is out, and when it will have failed; undefined: the next restart is the probe. */
      readonly probe: { readonly permit: PermitId; readonly deadlineMs: MonoMs } | undefined;
    };

export const newBreaker = (): BreakerState => ({ generation: 0, trips: 0, failures: [] });

/** Failures that are remembered; a threshold above it is taken as this. */
export const FAILURES_KEPT = 64;

type BreakerLimits = Pick<Limits, 'breakerFailuresMax' | 'breakerWindowMs' | 'breakerOpenMs' | 'breakerOpenMsMax'>;

/** How long the n-th opening in a row lasts: twice the one before, up to the cap. */
export function openMsOf(trips: number, limits: BreakerLimits): number {
  const doubled = limits.breakerOpenMs * 2 ** Math.min(30, Math.max(0, trips - 1));
  return Math.max(limits.breakerOpenMs, Math.min(doubled, limits.breakerOpenMsMax));
}

/** When the failures opened it: the first moment at which the window (t − W, t] held as many as allowed. */
function trippedMs(failures: readonly MonoMs[], limits: BreakerLimits): MonoMs | undefined {
  const max = Math.min(Math.max(1, limits.breakerFailuresMax), FAILURES_KEPT);
  const sorted = [...failures].sort((a, b) => a - b);
  return sorted.find((atMs, index) => {
    const first = sorted[index - max + 1];
    return first !== undefined && atMs - first < limits.breakerWindowMs;
  });
}

/**
 * Law S3 at one moment. `overdue`: deadlines of restarts of this generation that ended without a verdict;
 * each counts as a failure at its deadline.
 */
export function breakerAt(
  state: BreakerState,
  overdue: readonly MonoMs[],
  at: { readonly limits: BreakerLimits; readonly nowMs: MonoMs },
): BreakerView {
  const { limits, nowMs } = at;
  if (state.probe !== undefined && nowMs < state.probe.deadlineMs) {
    return { state: 'half_open', generation: state.generation, trips: state.trips, probe: state.probe };
  }
  if (state.probe !== undefined) {
    return opened(state.probe.deadlineMs, state.generation + 1, state.trips + 1);
  }
  if (state.openedMs !== undefined) return opened(state.openedMs, state.generation, state.trips);

  const failures = [...state.failures, ...overdue];
  const sinceMs = trippedMs(failures, limits);
  if (sinceMs === undefined) {
    const recent = failures.filter((atMs) => atMs > nowMs - limits.breakerWindowMs).length;
    return { state: 'closed', generation: state.generation, failures: recent };
  }
  return opened(sinceMs, state.generation + 1, 1);

  function opened(openedMs: MonoMs, generation: number, trips: number): BreakerView {
    const untilMs = openedMs + openMsOf(trips, limits);
    if (nowMs < untilMs) return { state: 'open', generation, trips, untilMs };
    return { state: 'half_open', generation: generation + 1, trips, probe: undefined };
  }
}

/** A probe without a verdict at its deadline has failed, at its deadline. Called before anything else is folded in. */
export function settleProbe(state: BreakerState, nowMs: MonoMs): void {
  if (state.probe !== undefined && nowMs >= state.probe.deadlineMs) reopen(state, state.probe.deadlineMs);
}

function reopen(state: BreakerState, openedMs: MonoMs): void {
  state.generation += 1;
  state.trips += 1;
  state.openedMs = openedMs;
  delete state.probe;
}

export interface Admitted {
  readonly permit: PermitId;
  readonly generation: number;
}

/** A permit of a higher generation than the recorded one: the guard saw it half-open, and this is the probe. */
export function admit(state: BreakerState, admitted: Admitted, deadlineMs: MonoMs): void {
  if (admitted.generation <= state.generation) return;
  state.generation = admitted.generation;
  state.trips = Math.max(1, state.trips);
  state.failures = [];
  state.probe = { permit: admitted.permit, deadlineMs };
  delete state.openedMs;
  delete state.closedBy;
}

/** The restart did not cure. Of a generation that is over it means nothing any more. */
export function fail(state: BreakerState, admitted: Admitted, atMs: MonoMs): void {
  if (admitted.generation !== state.generation) return;
  if (state.probe?.permit === admitted.permit) reopen(state, atMs);
  if (state.probe !== undefined || state.openedMs !== undefined) return;
  state.failures.push(atMs);
  if (state.failures.length > FAILURES_KEPT) state.failures.shift();
}

/** A verified cure. Only the probe's closes the breaker; any other started before it opened and proves nothing. */
export function cure(state: BreakerState, admitted: Admitted): void {
  if (admitted.generation !== state.generation || state.probe?.permit !== admitted.permit) return;
  const { trips } = state;
  state.generation += 1;
  state.trips = 0;
  state.failures = [];
  state.closedBy = { permit: admitted.permit, trips };
  delete state.probe;
}

/** A cure did not hold. If it was the one that closed the breaker, the breaker opens again, twice as long. */
export function relapse(state: BreakerState, admitted: Admitted, atMs: MonoMs): void {
  if (state.closedBy?.permit !== admitted.permit) {
    fail(state, admitted, atMs);
    return;
  }
  state.trips = state.closedBy.trips;
  state.failures = [];
  delete state.closedBy;
  reopen(state, atMs);
}

/** A person's reset: closed, and no earlier result counts any more. */
export function resetBreaker(state: BreakerState): BreakerState {
  return { ...newBreaker(), generation: state.generation + 2 };
}
