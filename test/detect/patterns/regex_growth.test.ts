import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRegex } from '../../../src/detect/patterns/regex.ts';
import { growthOf } from '../../../src/detect/patterns/regex_growth.ts';
import { nativeCharsMax } from '../../../src/detect/search/line_regex.ts';
import { readCatalogue } from '../../../scripts/corpus.ts';
import { sizeOf, stepsOf } from './backtracking.ts';

const growth = (source: string) => growthOf(parseRegex(source).root);

describe('growthOf', () => {
  it.each([
    ['Connection refused', 0, 1],
    ['error \\d+ x', 0, 1],
    ['x\\d+\\s+y', 0, 1],
    ['https?://x', 0, 1],
    ['(?:^|\\s)foo', 0, 1],
    ['(?:error|errors|err)[:=] x', 0, 1],
    ['a{0,200}b', 0, 201],
    ['.{0,60}.{0,60}x', 0, 61 * 61],
    ['foo.*bar', 1, 1],
    ['status"?[=: ]+"?404', 0, 2],
    ['foo [^f]*bar', 0, 1],
    ['a...[^a]*bar', 0, 4],
    ['a...[^a]{0,2}bar', 0, 3],
    ['foo [^f]*.{0,7}bar', 0, 8],
    ['foo.{0,7}bar', 0, 8 / 3],
    ['\\d+x', 1, 1],
    ['a.*b.*c', 2, 1],
    ['x(?:[x\\d]*|b)\\d+y', 2, 1],
  ])('%s grows with power %d + 1 at most, and comes to a place %d times', (source, degree, visits) => {
    expect(growth(source)).toEqual({ degree, visits });
  });

  it.each([
    '(a+)+',
    '(?:a|b*)*c',
    '(?:\\w+\\s*)+$',
    '(?:a|a)*b',
    '(?:a|ab|b)*c',
    '(?:\\w|\\d)+x',
    '(?:a?){30}a',
    '(?:(?:^){1000}){1000}',
    '(?:[ab]|b){2,}c',
  ])('%s has no bound', (source) => {
    expect(growth(source).degree).toBe(Number.POSITIVE_INFINITY);
  });

  it.each(['(?:\\w|\\d)'.repeat(24), 'a?'.repeat(24) + 'a'.repeat(24), '(?:a|aa)'.repeat(24), '(?:\\w|\\d){24}$'])(
    '%s is left to the linear engine, whatever the text',
    (source) => {
      expect(nativeCharsMax(growth(source))).toBeLessThan(64);
    },
  );

  it('one beginning in a text leaves no room for the next, and that is counted', () => {
    expect(growth('CIFS.{0,200}x.{0,30}y').visits).toBe((201 * 31) / 4);
    // What distinguishes the beginnings comes after what is ambiguous: every character is a beginning.
    expect(growth('[ab](?:a|[ab]){8}#').visits).toBe(256);
  });
});

/** Expressions over a few letters, so that random texts come far. */
const { expression } = fc.letrec<{ expression: string; part: string; atom: string }>((tie) => ({
  expression: fc.array(tie('part'), { minLength: 1, maxLength: 5 }).map((parts) => parts.join('')),
  part: fc
    .tuple(tie('atom'), fc.constantFrom('', '', '', '?', '*', '+', '{2}', '{0,3}', '{1,4}', '{2,}'))
    .map(([atom, quantifier]) => atom + quantifier),
  atom: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('a', 'b', '1', ' ', '\\w', '\\d', '.', '[ab]', '[^a]', 'ab', '\\s', '[b1]'),
    fc.array(tie('expression'), { minLength: 1, maxLength: 3 }).map((alternatives) => `(?:${alternatives.join('|')})`),
  ),
}));

const word = fc.string({ unit: fc.constantFrom('a', 'b', '1', ' ', '-'), maxLength: 4 });
const pumped = fc
  .tuple(word, word, fc.integer({ min: 1, max: 40 }), word)
  .map(([head, pump, times, tail]) => (head + pump.repeat(times) + tail).slice(0, 90));

/** One node is come to once for the node before it and once more for each round of a repetition. */
const STEPS_PER_VISIT = 2;

function exceeds(source: string, text: string): boolean {
  const { root } = parseRegex(source);
  const { degree, visits } = growthOf(root);
  if (degree > 2) return false;
  const bound = STEPS_PER_VISIT * sizeOf(root) * visits * (text.length + 1) ** (degree + 1);
  if (bound > 1_000_000) return false;
  try {
    stepsOf(root, text, { isAtEnd: source.endsWith('$'), stepsMax: bound });
    return false;
  } catch {
    return true;
  }
}

/** A run that something before it ends, at some distance, and what is tried at each of its ends. */
const separated = fc
  .tuple(
    fc.constantFrom('a', 'b', 'ab', 'ba'),
    fc.array(fc.constantFrom('.', 'b', '\\w', 'b?', '[^1]', '(?:b|1b)'), { maxLength: 8 }),
    fc.constantFrom('[^a]*', '[^a]+', '[^a]{0,9}', '[b ]*', '(?:[^a]*|1)'),
    fc.constantFrom('', '.{0,7}', 'b?', '(?:b|[ab])'),
    fc.integer({ min: 0, max: 30 }),
  )
  .map(([before, between, run, choice, times]) => `${before}${between.join('')}${run}${choice}${'b'.repeat(times)}-`);

describe('what is called proven', () => {
  it('law: no expression makes more steps than its bound, on any pumped text', () => {
    const often = fc.tuple(expression, fc.integer({ min: 4, max: 14 })).map(([part, times]) => part.repeat(times));
    const source = fc
      .tuple(fc.oneof(expression, often), fc.constantFrom('', '$', '-', 'x'))
      .map(([body, end]) => body + end);
    fc.assert(
      fc.property(source, fc.array(pumped, { minLength: 1, maxLength: 6 }), (regex, texts) => {
        for (const text of texts) expect([regex, text, exceeds(regex, text)]).toEqual([regex, text, false]);
      }),
      { numRuns: 1_500 },
    );
  });

  it('law: nor does one with a run that something before it ends, however far before', () => {
    fc.assert(
      fc.property(separated, fc.array(pumped, { minLength: 1, maxLength: 6 }), (regex, texts) => {
        for (const text of [...texts, 'a'.repeat(9) + 'b'.repeat(80)])
          expect([regex, text, exceeds(regex, text)]).toEqual([regex, text, false]);
      }),
      { numRuns: 500 },
    );
  });

  it('the reference counter shows exponential growth for an exponential search', () => {
    const { root } = parseRegex('(?:a|a)*$');
    const steps = (length: number) =>
      stepsOf(root, `${'a'.repeat(length)}-`, { isAtEnd: true, stepsMax: Number.POSITIVE_INFINITY });
    expect(steps(12)).toBeGreaterThan(3.5 * steps(10));
  });

  it('is nearly all of the shipped catalogue', () => {
    const longest = readCatalogue().patterns.map(({ source }) => nativeCharsMax(growth(source)));
    const share = (charsMin: number) => longest.filter((chars) => chars >= charsMin).length / longest.length;
    expect(share(Number.POSITIVE_INFINITY)).toBeGreaterThan(0.8);
    expect(share(256)).toBeGreaterThan(0.94);
    expect(share(64)).toBeGreaterThan(0.96);
  });
});
