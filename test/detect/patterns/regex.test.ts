import { describe, expect, it } from 'vitest';
import { compileLineRegex } from '../../../src/detect/search/line_regex.ts';
import { parseRegex } from '../../../src/detect/patterns/regex.ts';
import { growthOf, requiredLiterals } from '../../../src/detect/patterns/regex_facts.ts';

const growth = (source: string): number => growthOf(parseRegex(source).root);
const literals = (source: string) => {
  const { root, ignoreCase } = parseRegex(source);
  return requiredLiterals(root, ignoreCase);
};

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

describe('requiredLiterals', () => {
  it('finds the longest string that every match holds', () => {
    expect(literals('stream key [a-z]+ (?:revoked|rejected)')).toEqual(['stream key ']);
  });

  it('takes one of each branch of a choice', () => {
    expect(literals('Connection reset|ECONNRESET')).toEqual(['Connection reset', 'ECONNRESET']);
  });

  it('spells out small sets', () => {
    expect(literals('HTTP error 40[13]')).toEqual(['HTTP error 401', 'HTTP error 403']);
  });

  it('knows that an optional part is not required', () => {
    expect(literals('token(?: has)? expired')).toEqual(['token expired', 'token has expired']);
  });

  it('finds nothing where nothing is certain', () => {
    expect(literals('\\d+ \\w*')).toEqual([' ']);
    expect(literals('[a-z]*')).toBeUndefined();
  });

  it('is in lower case where case is ignored', () => {
    expect(literals('(?i)Disk Full')).toEqual(['disk full']);
  });
});

describe('growthOf', () => {
  it.each([
    ['Connection refused', 1],
    ['error \\d+ x', 1],
    ['x\\d+\\s+y', 1],
    ['a{0,200}b', 1],
    ['foo.*bar', 2],
    ['\\d+x', 2],
    ['a.*b.*c', 3],
    ['.{0,60}.{0,60}x', 2],
    ['.{0,200}.{0,200}x', 3],
  ])('%s grows with power %d', (source, power) => {
    expect(growth(source)).toBe(power);
  });

  it.each(['(a+)+', '(?:a|b*)*c', '(?:\\w+\\s*)+$'])('%s has no bound', (source) => {
    expect(growth(source)).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('compileLineRegex', () => {
  it.each([
    ['(x+x+)+y', 'x'.repeat(16_000)],
    ['(?:a|a)*b', 'a'.repeat(16_000)],
    ['foo.*bar.*baz', 'foo bar '.repeat(2000)],
    ['.*.*.*=', 'a'.repeat(16_000)],
  ])('answers %s on hostile text without delay', (source, text) => {
    const regex = compileLineRegex(source, parseRegex(source));
    const before = process.hrtime.bigint();
    expect(regex.find(text)).toBeUndefined();
    expect(Number(process.hrtime.bigint() - before) / 1e6).toBeLessThan(2000);
  });

  it('gives the same place and groups with either engine', () => {
    for (const source of ['pid (?P<pid>\\d+) died', '(?:\\w*\\s*)*pid (?P<pid>\\d+) died']) {
      const found = compileLineRegex(source, parseRegex(source)).find('child: pid 771 died');
      expect(found).toMatchObject({ end: 19, groups: { pid: '771' } });
    }
  });

  it('finds after a rest what it found before', () => {
    for (const source of ['pid (?P<pid>\\d+) died', '(?:\\w*\\s*)*pid (?P<pid>\\d+) died']) {
      const regex = compileLineRegex(source, parseRegex(source));
      const before = regex.find('child: pid 771 died');
      regex.rest();
      expect(regex.find('child: pid 771 died')).toEqual(before);
      expect(before?.groups.pid).toBe('771');
    }
  });
});
