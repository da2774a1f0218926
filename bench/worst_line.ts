// Searches for the line that takes the scanner longest, as an attacker would: literals of the catalogue packed into one
// record so that nothing matches, improved by random changes. Prints the worst times in milliseconds, by size.
// Usage: node bench/worst_line.ts [--rounds 300] [--seed 1]
import { parseArgs } from 'node:util';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { readCatalogue } from '../scripts/corpus.ts';
import { createScanner } from '../src/detect/search/scanner.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string' }, seed: { type: 'string' } } });
const rounds = Number(values.rounds ?? 300);
const random = xoroshiro128plus(Number(values.seed ?? 1));
const pick = <T>(items: readonly T[]): T => items[uniformInt(random, 0, items.length - 1)]!;

const catalogue = readCatalogue();
const scanner = createScanner(catalogue);
const literals = catalogue.patterns.flatMap((pattern) => pattern.literals);
const FILLERS = [' ', 'a', '0', '=', ':', '"', '/', '.', ' a', 'http://', '0.0 '];
const nothing = { matched: () => undefined, complained: () => undefined, overBudget: () => undefined };

function timeOf(line: string): number {
  const bytes = Buffer.from(`${line}\n`, 'latin1');
  let best = Number.POSITIVE_INFINITY;
  // An expression is compiled when it is first tried, once per process of the daemon: that is no property of the line.
  for (let run = 0; run < 5; run += 1) {
    const began = performance.now();
    scanner.scan(bytes, 0, bytes.length, nothing);
    best = Math.min(best, performance.now() - began);
  }
  return best;
}

const lineOf = (size: number): string => {
  const parts: string[] = [];
  const fill = pick(FILLERS);
  const used = Array.from({ length: uniformInt(random, 1, 60) }, () => pick(literals));
  for (let length = 0; length < size; ) {
    const part = uniformInt(random, 0, 3) === 0 ? pick(used) : fill.repeat(uniformInt(random, 1, 40));
    parts.push(part);
    length += part.length;
  }
  return parts.join('').slice(0, size);
};

for (const size of [256, 1_024, 4_096, 16_384, 60_000, 250_000]) {
  let worst = { ms: 0, line: '' };
  for (let round = 0; round < rounds; round += 1) {
    const at = uniformInt(random, 0, size);
    const changed = worst.line === '' || round % 3 === 0 ? lineOf(size) : worst.line.slice(0, at) + lineOf(size - at);
    const ms = timeOf(changed);
    if (ms > worst.ms) worst = { ms, line: changed };
  }
  process.stdout.write(`${String(size).padStart(7)} bytes: ${worst.ms.toFixed(2)} ms\n`);
}
