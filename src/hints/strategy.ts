/** Which of the three strategies a request for a hint gets: rules only, without an index and without a model. */

/** What is sent: a fixed constraint, nothing, or a hint out of the index. */
export type Strategy = 'SAFETY' | 'FREE_EXPLORATION' | 'CATALYST';

/** Attempts that Reeve's own planner makes before it is sent a hint. */
export const FREE_ATTEMPTS_PLANNER = 1;
/** Attempts that an outside client makes before it is sent a hint. */
export const FREE_ATTEMPTS_CLIENT = 3;

/** What the choice depends on. */
export interface Course {
  /** Whether the log mentions a safety symptom. */
  readonly safety: boolean;
  /** The attempt that is about to be made, counted from 1. */
  readonly iteration: number;
  /** Scores of the attempts so far, oldest first. Finite; more is better. */
  readonly scores: readonly number[];
  /** Attempts that are free of hints, at least 0. */
  readonly freeAttempts: number;
}

/**
 * Safety comes first; then the first attempts and a score that still improves are left alone; a plateau or a fall gets
 * a hint. Throws RangeError on an iteration below 1, a negative number of free attempts or a score that is not finite.
 */
export function strategyFor({ safety, iteration, scores, freeAttempts }: Course): Strategy {
  if (!Number.isSafeInteger(iteration) || iteration < 1) {
    throw new RangeError(`iteration: expected a whole number from 1, got ${iteration}`);
  }
  if (!Number.isSafeInteger(freeAttempts) || freeAttempts < 0) {
    throw new RangeError(`free attempts: expected a whole number from 0, got ${freeAttempts}`);
  }
  const bad = scores.findIndex((score) => !Number.isFinite(score));
  if (bad >= 0) throw new RangeError(`score ${bad + 1}: expected a finite number, got ${scores[bad]}`);
  if (safety) return 'SAFETY';
  return iteration <= freeAttempts || isImproving(scores) ? 'FREE_EXPLORATION' : 'CATALYST';
}

/** Whether the last score is above every earlier one. Fewer than two show no plateau, so they count as improving. */
function isImproving(scores: readonly number[]): boolean {
  const last = scores.at(-1);
  return last === undefined || scores.slice(0, -1).every((earlier) => last > earlier);
}
