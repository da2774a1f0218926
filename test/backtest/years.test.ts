import { describe, expect, it } from 'vitest';
import { sceneOf } from '../../src/backtest/scene.ts';
import { formatOf } from '../../src/backtest/stamps.ts';
import { recorded } from './support.ts';

/** The years in which these logs begin. */
function yearsOf(files: Readonly<Record<string, string>>): readonly unknown[] {
  const logs = recorded(files);
  const scene = sceneOf({ logs, samples: [], configuration: undefined, followed: [], offsetMinutes: 0 });
  return [new Date(scene.from).toISOString().slice(0, 10), scene.logs.map(({ year }) => year)];
}

describe('the year of times that name none', () => {
  it.each([
    ['December beside records of January', 'Dec 31 23:00:00 h a: b', '2027-01-01T00:30:00Z b', 2026, '2026-12-31'],
    ['January beside records of December', 'Jan  1 00:30:00 h a: b', '2026-12-31T23:00:00Z b', 2027, '2026-12-31'],
    ['July beside records of July', 'Jul  5 00:00:00 h a: b', '2026-07-01T00:00:00Z b', 2026, '2026-07-01'],
    [
      'a year that ends with the other records',
      'Jan  2 00:00:00 h a: b\nJul  2 00:00:00 h a: b\nDec 30 00:00:00 h a: b',
      '2026-12-28T00:00:00Z b\n2026-12-31T00:00:00Z b',
      2026,
      '2026-01-02',
    ],
  ])('puts them next to the other records: %s', (_, syslog, other, year, from) => {
    const found = yearsOf({ 'kern.log': `${syslog}\n`, 'news.err': `${other}\n` });
    expect(found).toEqual([from, [year, undefined]]);
  });

  it('puts logs next to each other, where nothing names a year', () => {
    const found = yearsOf({
      'a.log': 'Dec 31 23:00:00 h a: b\nJan  1 00:00:00 h a: b\n',
      'b.log': 'Jan  1 00:30:00 h a: b\n',
    });
    expect(found).toEqual(['2026-12-31', [2026, 2027]]);
  });
});

describe('a line of December that comes late', () => {
  const setting = { offsetMinutes: 0, year: 2026 };
  const timesOf = (...heads: readonly string[]) => {
    const read = formatOf(heads)!.create(setting);
    return heads.map((head) => new Date(read(head) ?? 0).toISOString().slice(0, 10));
  };

  it('belongs to the year before, and those after it to the new one', () => {
    expect(
      timesOf('Dec 31 23:59:58 h a: b', 'Jan  1 00:00:01 h a: b', 'Dec 31 23:59:59 h a: b', 'Jan  1 00:00:02 h a: b'),
    ).toEqual(['2026-12-31', '2027-01-01', '2026-12-31', '2027-01-01']);
  });

  it('is one of a later year, where it is no neighbour', () => {
    expect(timesOf('Jan  1 00:00:01 h a: b', 'Dec 30 23:59:59 h a: b')).toEqual(['2026-01-01', '2026-12-30']);
  });
});
