// Where two texts count as one situation: precision and recall of the n-gram likeness over the example lines of the
// shipped patterns. Two lines belong together when one is the other with different numbers, or (much harder) when one
// pattern has both among its examples.
// Usage: node scripts/similarity_curve.ts   (prints the table of docs/rulebook.md)
import { join, resolve } from 'node:path';
import { loadYamlFolder } from '../src/config/files.ts';
import { cosine, vectorOf } from '../src/core/similarity.ts';

interface Pattern {
  readonly symptom: string;
  readonly match?: readonly string[];
}
interface Line {
  readonly pattern: number;
  readonly symptom: string;
  readonly vector: ReturnType<typeof vectorOf>;
}

const folder = join(resolve(import.meta.dirname, '..'), 'config/patterns');
const patterns = loadYamlFolder(folder, '.yaml').flatMap(({ value }) => (value as { patterns: Pattern[] }).patterns);
const lines: Line[] = patterns.flatMap(({ symptom, match = [] }, pattern) =>
  match.map((text) => ({ pattern, symptom, vector: vectorOf(text) })),
);
/** The same trouble at another time, in another process, on another channel: every run of digits is another one. */
const again = patterns.flatMap(({ match = [] }) =>
  match.flatMap((text) => {
    const other = text.replaceAll(/\d+/g, (digits) => String((Number(digits) * 7 + 13) % 10 ** digits.length));
    return other === text ? [] : [cosine(vectorOf(text), vectorOf(other))];
  }),
);
const same: number[] = [];
const other: number[] = [];
for (const [at, a] of lines.entries()) {
  for (const b of lines.slice(at + 1)) {
    if (a.pattern === b.pattern) same.push(cosine(a.vector, b.vector));
    else if (a.symptom !== b.symptom) other.push(cosine(a.vector, b.vector));
  }
}
const share = (all: readonly number[], least: number): number => all.filter((one) => one >= least).length / all.length;
const percent = (value: number, digits = 1): string => `${(100 * value).toFixed(digits)} %`;
console.log(
  `${lines.length} lines, ${again.length} with other numbers, ${same.length} pairs of one pattern, ${other.length} of two symptoms\n`,
);
console.log(
  '| likeness from | found with other numbers | pairs of one pattern found | pairs of two symptoms taken for one |\n|---|---|---|---|',
);
for (let least = 0.05; least < 0.96; least += 0.05) {
  console.log(
    `| ${least.toFixed(2)} | ${percent(share(again, least))} | ${percent(share(same, least))} | ${percent(share(other, least), 4)} |`,
  );
}
