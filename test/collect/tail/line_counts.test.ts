import { describe, expect, it } from 'vitest';
import { LineCounts } from '../../../src/collect/tail/line_counts.ts';

describe('the lines of a source', () => {
  it('are those that matched, those that did not, and those that were dropped', () => {
    const counts = new LineCounts();
    counts.add({ lines: 3, matched: 1, unmatched: 2, progress: 1 });
    counts.drop('line_too_long', 4);
    counts.drop('flood', 1);
    counts.drop('line_too_long', 1);
    const dropped = [
      { reason: 'flood', lines: 1 },
      { reason: 'line_too_long', lines: 5 },
    ];
    expect(counts.counts).toEqual({ lines: 9, matched: 1, unmatched: 2, progress: 1, dropped });
  });

  it('go on from what a checkpoint holds', () => {
    const counts = new LineCounts();
    counts.add({ lines: 1, matched: 1, unmatched: 0, progress: 0 });
    counts.restore({ lines: 9, matched: 3, unmatched: 4, dropped: [{ reason: 'flood', lines: 2 }] });
    expect(counts.counts).toMatchObject({
      lines: 10,
      matched: 4,
      unmatched: 4,
      dropped: [{ reason: 'flood', lines: 2 }],
    });
  });

  it('have no reason of which no line was dropped', () => {
    const counts = new LineCounts();
    counts.drop('flood', 0);
    expect(counts.counts).toEqual({ lines: 0, matched: 0, unmatched: 0, progress: 0, dropped: [] });
  });

  it('are not counted by a sink whose sum is wrong', () => {
    const wrong = { lines: 3, matched: 1, unmatched: 1, progress: 0 };
    expect(() => new LineCounts().add(wrong)).toThrow('a sink counted 3 lines as 1 + 1');
  });
});
