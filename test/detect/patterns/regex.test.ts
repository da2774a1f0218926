import { describe, expect, it } from 'vitest';
import { analyse } from '../../../src/detect/patterns/analysis.ts';
import { compileLineRegex } from '../../../src/detect/search/line_regex.ts';
import { parseRegex } from '../../../src/detect/patterns/regex.ts';
import { requiredLiterals } from '../../../src/detect/patterns/regex_facts.ts';

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

describe('compileLineRegex', () => {
  it.each([
    ['(x+x+)+y', 'x'.repeat(16_000)],
    ['(?:a|a)*b', 'a'.repeat(16_000)],
    ['foo.*bar.*baz', 'foo bar '.repeat(2000)],
    ['.*.*.*=', 'a'.repeat(16_000)],
    [`^${'(?:\\w|\\d)'.repeat(24)}$`, `${'1'.repeat(60)}-`],
    [`${'a?'.repeat(28)}${'a'.repeat(28)}`, 'a'.repeat(27)],
    ['(?:a|ab)(?:c|bcd)*(?:d*)*$', `${'abcd'.repeat(500)}-`],
    ['.{0,250}.*=', 'a'.repeat(1_000)],
  ])('answers %s on hostile text without delay', (source, text) => {
    const regex = compileLineRegex(source, analyse(source));
    const before = process.hrtime.bigint();
    expect(regex.find(text)).toBeUndefined();
    expect(Number(process.hrtime.bigint() - before) / 1e6).toBeLessThan(2000);
  });

  it('gives the same place and groups with either engine', () => {
    for (const source of ['pid (?P<pid>\\d+) died', '(?:\\w*\\s*)*pid (?P<pid>\\d+) died']) {
      const found = compileLineRegex(source, analyse(source)).find('child: pid 771 died');
      expect(found).toMatchObject({ end: 19, groups: { pid: '771' } });
    }
  });

  it('finds after a rest what it found before', () => {
    for (const source of ['pid (?P<pid>\\d+) died', '(?:\\w*\\s*)*pid (?P<pid>\\d+) died']) {
      const regex = compileLineRegex(source, analyse(source));
      const before = regex.find('child: pid 771 died');
      regex.rest();
      expect(regex.find('child: pid 771 died')).toEqual(before);
      expect(before?.groups.pid).toBe('771');
    }
  });
});
