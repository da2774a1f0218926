/** Vectors of a model: brought to unit length, and compared by their cosine. */

/** A vector of unit length. */
export type Dense = Float32Array;

/** The vector at unit length; undefined where it has no length or one that is not finite. */
export function unitOf(numbers: readonly number[]): Dense | undefined {
  const length = Math.sqrt(numbers.reduce((sum, number) => sum + number * number, 0));
  if (!Number.isFinite(length) || length === 0) return undefined;
  return Float32Array.from(numbers, (number) => number / length);
}

/** Cosine of two unit vectors of one length, as a likeness from 0 (nothing in common, or opposed) to 1. */
export function likenessOf(a: Dense, b: Dense): number {
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += (a[at] as number) * (b[at] as number);
  return Math.min(1, Math.max(0, sum));
}
