import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fc, it as property } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { type Kind, writeWorkload } from '../../../bench/workload.ts';
import { readCatalogue } from '../../../scripts/corpus.ts';
import type { Pattern } from '../../../src/detect/patterns/catalogue.ts';
import { createScanner, type FoundRecord } from '../../../src/detect/search/scanner.ts';

const { patterns } = readCatalogue();
const CHARS_MAX = 1_000;

/** The plainest way to the same answer: every pattern on the line, by rank. Slow, and easy to believe. */
function plainly(text: string): string | undefined {
  for (const pattern of patterns) {
    const found = pattern.find(text);
    if (found !== undefined) return `${pattern.id} ${found.index} ${found.end}`;
  }
  return undefined;
}

const holds = (text: string, { literals, ignoreCase }: Pattern): boolean => {
  const searched = ignoreCase ? text.toLowerCase() : text;
  return literals.some((literal) => searched.includes(literal));
};
const matters = ({ harmless, notice }: Pattern): boolean => !harmless || notice !== undefined;
const byId = new Map(patterns.map((pattern) => [pattern.id, pattern]));

const scanner = createScanner({ patterns });

/** What the scanner says of each line of one chunk, by the offset at which it begins. */
function scanned(bytes: Buffer, by = scanner) {
  const matched = new Map<number, string>();
  const complained = new Set<number>();
  const cut = new Set<number>();
  by.scan(bytes, 0, bytes.length, {
    matched: ({ from }: FoundRecord, { id }, { index, end }) => matched.set(from, `${id} ${index} ${end}`),
    complained: ({ from }) => complained.add(from),
    overBudget: ({ from }) => cut.add(from),
  });
  return { matched, complained, cut };
}

/** Lines of which the scanner says something else than the plain way. */
function differing(lines: readonly string[]): readonly unknown[] {
  const bytes = Buffer.from(`${lines.join('\n')}\n`, 'latin1');
  const { matched, complained, cut } = scanned(bytes);
  const wrong: unknown[] = [];
  let from = 0;
  for (const text of lines) {
    const [fast, plain] = [matched.get(from), plainly(text)];
    // A line that nothing but harmless patterns could fit is not looked at, unless it complains.
    const isPassedOver =
      fast === undefined &&
      plain !== undefined &&
      !complained.has(from) &&
      !matters(byId.get(plain.split(' ')[0]!)!) &&
      !patterns.some((pattern) => matters(pattern) && holds(text, pattern));
    if (fast !== plain && !isPassedOver && !cut.has(from)) wrong.push({ text, fast, plain });
    from += text.length + 1;
  }
  return wrong;
}

const isPlainLine = (line: string): boolean => line !== '' && line.length <= CHARS_MAX && !line.includes('\r');

function generated(kind: Kind, count: number): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-every-'));
  try {
    const path = join(folder, 'log');
    writeWorkload(path, kind, count, 11);
    return readFileSync(path, 'latin1').split('\n').filter(isPlainLine);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Of lines that differ in numbers only, one. */
function corpusLines(): readonly string[] {
  const rows = readFileSync(join(import.meta.dirname, '../../corpus/failures.jsonl'), 'utf8')
    .trim()
    .split('\n');
  const lines = rows.flatMap((row) => (JSON.parse(row) as { lines: string[] }).lines);
  const kinds = new Map(lines.map((line) => [line.replaceAll(/\d+/g, '0'), Buffer.from(line).toString('latin1')]));
  return [...kinds.values()].filter(isPlainLine);
}

describe('the scanner with the shipped patterns says of each line what trying every pattern says', () => {
  it.each(['mixed', 'storm', 'garbage'] as const)(
    'of a %s log, wherever a sample of it lets the search look',
    (kind) => {
      const lines = generated(kind, 60);
      expect(differing(lines)).toEqual([]);
      const bytes = Buffer.from(`${lines.join('\n')}\n`, 'latin1');
      expect(scanned(bytes, createScanner({ patterns }, bytes))).toEqual(scanned(bytes));
    },
    240_000,
  );

  it('of the lines of the corpus', () => {
    const lines = corpusLines().filter((_, at) => at % 7 === 0);
    expect(lines.length).toBeGreaterThan(100);
    expect(differing(lines)).toEqual([]);
  }, 240_000);

  it('of an example of every third pattern', () => {
    const some = patterns.filter((_, at) => at % 3 === 0);
    const lines = some.map(({ examples }) => Buffer.from(examples[0]!).toString('latin1')).filter(isPlainLine);
    expect(differing(lines)).toEqual([]);
  }, 240_000);

  const literal = fc.constantFrom(...patterns.flatMap(({ literals }) => literals));
  const word = fc.oneof(literal, fc.string({ maxLength: 12 }), fc.constantFrom(' ', ': ', '="', '" ', '/', '404', '0'));
  property.prop([fc.array(fc.array(word, { maxLength: 8 }), { minLength: 1, maxLength: 5 })], { numRuns: 25 })(
    'of whatever is put together from their literals',
    (rows) => {
      const lines = rows.map((words) => words.join('').replaceAll(/[\r\n]/g, ' ')).filter(isPlainLine);
      expect(differing(lines.map((line) => Buffer.from(line).toString('latin1')))).toEqual([]);
    },
    240_000,
  );
});
