/** Plain statistics over runs and their starts: pure, so that a table can be drawn again from what was kept. */
import { streamOf } from './random_streams.ts';

/** The value below which the fraction of all lies; 0 of none. */
export function quantile(values: readonly number[], fraction: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * fraction))] ?? 0;
}

/** How values lie: the quartiles and the greatest. */
export interface Spread {
  readonly q1: number;
  readonly median: number;
  readonly q3: number;
  readonly worst: number;
}

export const spreadOf = (values: readonly number[]): Spread => ({
  q1: quantile(values, 0.25),
  median: quantile(values, 0.5),
  q3: quantile(values, 0.75),
  worst: Math.max(0, ...values),
});

/** What two policies came to in the same world. */
export interface Pair {
  readonly ours: number;
  readonly theirs: number;
}

/** 1 where neither had anything, infinite where only ours had. */
export const ratioOf = ({ ours, theirs }: Pair): number => (theirs > 0 ? ours / theirs : ours > 0 ? Infinity : 1);

const totalOf = (pairs: readonly Pair[]): Pair =>
  pairs.reduce((sum, { ours, theirs }) => ({ ours: sum.ours + ours, theirs: sum.theirs + theirs }), {
    ours: 0,
    theirs: 0,
  });

export interface RatioInterval {
  readonly ratio: number;
  readonly low: number;
  readonly high: number;
}

export interface BootstrapChoices {
  readonly seed: number;
  /** At least 1; default 10,000. */
  readonly resamples?: number;
  /** In (0, 1); default 0.95. */
  readonly level?: number;
}

/**
 * The ratio of the sums, with a percentile interval of the paired bootstrap: whole worlds are drawn again, both
 * policies together (Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13). The same seed gives
 * the same interval. Of no pairs everything is 1.
 */
export function ratioInterval(pairs: readonly Pair[], choices: BootstrapChoices): RatioInterval {
  const { seed, resamples = 10_000, level = 0.95 } = choices;
  const ratio = ratioOf(totalOf(pairs));
  if (pairs.length === 0) return { ratio, low: ratio, high: ratio };
  const stream = streamOf(seed, 'bootstrap');
  const drawn = Array.from({ length: resamples }, () => ratioOf(totalOf(pairs.map(() => stream.pick(pairs)))));
  const tail = (1 - level) / 2;
  return { ratio, low: quantile(drawn, tail), high: quantile(drawn, 1 - tail) };
}

/** The most events in any half-open window of `windowMs`; 0 of none. */
export function mostWithin(times: readonly number[], windowMs: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  let first = 0;
  let most = 0;
  for (const [at, ms] of sorted.entries()) {
    while (sorted[first]! <= ms - windowMs) first += 1;
    most = Math.max(most, at - first + 1);
  }
  return most;
}

export interface ProvedStart {
  readonly atMs: number;
  /** When its effect was there to see; undefined: never. */
  readonly provedMs: number | undefined;
}

/** How often the count of starts in the last `windowMs` that are not proved yet rose above `max`. */
export function unprovedPeaks(
  starts: readonly ProvedStart[],
  { max, windowMs }: { readonly max: number; readonly windowMs: number },
): number {
  const changes = new Map<number, number>();
  const add = (ms: number, by: number): void => void changes.set(ms, (changes.get(ms) ?? 0) + by);
  for (const { atMs, provedMs = Infinity } of starts) {
    const endMs = Math.min(atMs + windowMs, provedMs);
    if (endMs <= atMs) continue;
    add(atMs, 1);
    add(endMs, -1);
  }
  let count = 0;
  let peaks = 0;
  for (const [, by] of [...changes].sort(([a], [b]) => a - b)) {
    const before = count;
    count += by;
    if (before <= max && count > max) peaks += 1;
  }
  return peaks;
}
