import { describe, expect, it } from 'vitest';
import { parseRegex } from '../../../src/detect/patterns/regex.ts';
import { areApart, headOf, periodOf } from '../../../src/detect/patterns/regex_head.ts';

const head = (source: string) => headOf([parseRegex(source).root]);

describe('two ways to begin', () => {
  it.each([
    ['abc', 'abd', true],
    ['abc', 'abc', false],
    ['abc', 'ab', false],
    ['a\\d', 'a[a-z]', true],
    ['a?b', 'b', false],
    ['(?:foo|bar)x', 'baz', true],
    ['(?:foo|bar)x', 'barx', false],
    ['\\d+:', '[a-z]+:', true],
    ['a{3}b', 'aab', true],
    [`${'x'.repeat(11)}a`, `${'x'.repeat(11)}b`, true],
    [`${'x'.repeat(12)}a`, `${'x'.repeat(12)}b`, false],
  ])('%s and %s are distinguished within twelve characters: %s', (one, other, expected) => {
    expect(areApart(head(one), head(other))).toBe(expected);
    expect(areApart(head(other), head(one))).toBe(expected);
  });
});

describe('the soonest place of a next beginning', () => {
  it.each([
    ['aaaa', 1],
    ['abababababab', 2],
    ['abcdefghijkl', 12],
    ['abc', 3],
    ['.*', 1],
  ])('of %s is %i characters on', (source, period) => {
    expect(periodOf(head(source))).toBe(period);
  });
});
