import { describe, expect, it } from 'vitest';
import { goalsOf, type Measured } from '../../bench/peer_goals.ts';
import { quantile, tableOf } from '../../bench/rows.ts';

const took = (wallS: number, cpuS: number): Measured => ({ wallS, cpuS, peakMb: 80 });

describe('the table of the bench', () => {
  it('says of each figure whether it meets its goal, or that there is none', () => {
    const row = { part: 'a', measure: 'p50', figure: '1 ms', goal: '2 ms' };
    const lines = tableOf([
      { ...row, met: true },
      { ...row, met: false },
      { ...row, met: undefined },
    ]).split('\n');
    expect(lines.slice(2).map((line) => line.split(' | ').at(-1))).toEqual(['yes |', 'NO |', '– |']);
  });

  it('keeps the name of a pipeline in one cell', () => {
    const table = tableOf([{ part: 'a', measure: '× rg | mawk', figure: '1', goal: '1', met: true }]);
    expect(table).toContain('× rg \\| mawk');
  });

  it('takes the value below which a share of the others lie, and the largest at the end', () => {
    expect([quantile([1, 2, 3, 4], 0.5), quantile([1, 2, 3, 4], 1)]).toEqual([3, 4]);
  });
});

describe('the goals beside peers', () => {
  it('are judged by the median ratio of CPU time within a round, not by the clock on the wall', () => {
    const rounds = new Map([
      ['reeve', [took(1, 1), took(9, 1), took(1, 1)]],
      ['mtail', [took(99, 101), took(99, 102), took(99, 500)]],
    ]);
    const row = goalsOf('mixed', rounds, 'equal').find(({ measure }) => measure === '× mtail');
    expect(row).toMatchObject({ figure: '102.00 by CPU, 99.00 by wall', met: true });
  });

  it('are missed where counts differ, and open where the peer is not installed', () => {
    const rows = goalsOf('mixed', new Map([['reeve', [took(1, 1)]]]), 'differs (3 of 4 cells)');
    expect(rows.find(({ measure }) => measure === 'counts')?.met).toBe(false);
    expect(rows.find(({ measure }) => measure === '× mtail')).toMatchObject({
      figure: 'not installed',
      met: undefined,
    });
  });
});
