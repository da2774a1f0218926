import { describe, expect, it } from 'vitest';
import { regexProblem } from '../../src/config/rules.ts';

describe('regexProblem', () => {
  it.each(['a+b', '(?P<name>x)', '(?<name>x)', '^\\d{1,3}$', '(?i)error', '\\p{L}+'])('takes %s', (pattern) => {
    expect(regexProblem(pattern)).toBeUndefined();
  });

  it.each([
    ['(?!x)', 'look-around'],
    ['(?<=x)y', 'look-around'],
    ['(a)\\1', 'back-references'],
    ['(?<a>x)\\k<a>', 'back-references'],
    ['(a{1000}){1000}', 'invalid repeat count'],
    ['(?>a)', 'RE2 syntax'],
    ['[z-a]', 'RE2 syntax'],
  ])('refuses %s', (pattern, why) => {
    expect(regexProblem(pattern)?.[0]).toContain(why);
  });
});
