/** How much better a rule is than doing nothing, with how sure that is (docs/rulebook.md). */

/** Cures and failures. */
export interface Outcomes {
  readonly successes: number;
  readonly failures: number;
}

/** What came since a rule or pattern was put back in use, of all that was judged and of what was before that. */
export const since = (all: Outcomes, before: Outcomes | undefined): Outcomes => ({
  successes: all.successes - (before?.successes ?? 0),
  failures: all.failures - (before?.failures ?? 0),
});

/** Difference of two rates, from -1 to 1, with the middle nine tenths of what it may be. */
export interface Uplift {
  /** Mean of the difference. */
  readonly mean: number;
  readonly low: number;
  readonly high: number;
  /** 0 to 1: that the rule is better than doing nothing. */
  readonly better: number;
}

const CELLS = 200;
const TAIL = 0.05;

/** The share of a Beta(successes + 1, failures + 1) in each of 200 equal cells of [0, 1]; sums to 1. */
function beliefOf({ successes, failures }: Outcomes): Float64Array {
  const logs = Float64Array.from({ length: CELLS }, (_, cell) => {
    const rate = (cell + 0.5) / CELLS;
    return successes * Math.log(rate) + failures * Math.log(1 - rate);
  });
  const highest = logs.reduce((most, log) => Math.max(most, log), Number.NEGATIVE_INFINITY);
  const shares = logs.map((log) => Math.exp(log - highest));
  const sum = shares.reduce((total, share) => total + share, 0);
  return shares.map((share) => share / sum);
}

/**
 * Rate of cures with the rule minus the rate without. Both start from a flat belief (Beta(1, 1)) and are held against
 * each other cell by cell: exact up to one two-hundredth, without chance.
 */
export function upliftOf(treated: Outcomes, control: Outcomes): Uplift {
  const withRule = beliefOf(treated);
  const without = beliefOf(control);
  const differences = new Float64Array(2 * CELLS - 1);
  for (let a = 0; a < CELLS; a += 1) {
    for (let b = 0; b < CELLS; b += 1) {
      const at = a - b + CELLS - 1;
      differences[at] = (differences[at] ?? 0) + (withRule[a] ?? 0) * (without[b] ?? 0);
    }
  }
  const valueAt = (index: number): number => (index - CELLS + 1) / CELLS;
  let below = 0;
  let mean = 0;
  let better = 0;
  let low: number | undefined;
  let high: number | undefined;
  for (const [index, share] of differences.entries()) {
    below += share;
    mean += share * valueAt(index);
    if (index >= CELLS) better += share;
    if (low === undefined && below >= TAIL) low = valueAt(index);
    if (high === undefined && below >= 1 - TAIL) high = valueAt(index);
  }
  const tied = differences[CELLS - 1] ?? 0;
  return { mean, low: low ?? -1, high: high ?? 1, better: Math.min(1, better + tied / 2) };
}
