// Prints how many milliseconds the sum of a hundred million numbers takes. In pieces, of which the median counts: whether
// a single long loop is optimised while it runs is a matter of luck.
import { quantile } from './rows.ts';

const PIECES = 20;

function piece(): number {
  const startedMs = performance.now();
  let sum = 0;
  for (let value = 0; value < 100_000_000 / PIECES; value += 1) sum = (sum + value) | 0;
  return sum === 0 ? Number.NaN : performance.now() - startedMs;
}

const warmUp = PIECES / 2;
const pieces = Array.from({ length: warmUp + PIECES }, piece).slice(warmUp);
const sorted = pieces.sort((a, b) => a - b);
process.stdout.write(String(PIECES * quantile(sorted, 0.5)));
