import { describe, expect, it } from 'vitest';
import { parseRegex } from '../../../src/detect/patterns/regex.ts';

describe('parseRegex', () => {
  it.each([
    ['(?=x)y', /look-around/],
    ['(?!x)y', /look-around/],
    ['(?<=x)y', /look-around/],
    ['(a)\\1', /back-reference/],
    ['(?P<n>a)\\k<n>', /back-reference/],
    ['a++', /cannot be repeated/],
    ['*a', /repeats nothing/],
    ['(a', /not closed/],
    ['a)', /without/],
    ['[a', /closed|early/],
    ['[[:alpha:]]', /POSIX/],
    ['\\pL', /not known/],
    ['a{2000}', /more than/],
    ['a{3,1}', /backwards/],
    ['[é]', /ASCII/],
  ])('refuses %s and says why', (source, reason) => {
    expect(() => parseRegex(source)).toThrow(reason);
  });

  it.each(['a|b', '(?i)abc', '(?P<channel>\\w+) died', '\\bx{2,3}?', '[^a-z\\d]', 'x\\.y', '[]a]', 'a\\x41'])(
    'reads %s',
    (source) => {
      expect(() => parseRegex(source)).not.toThrow();
    },
  );
});
