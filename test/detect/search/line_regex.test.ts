import { describe, expect, it } from 'vitest';
import { analyse } from '../../../src/detect/patterns/analysis.ts';
import { compileLineRegex } from '../../../src/detect/search/line_regex.ts';

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
