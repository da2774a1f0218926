import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Sweep, SWEPT_MAX } from '../../../src/incident/pipeline/sweep.ts';

const channels = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `ch${at}`);

/** Who was due at each of so many seconds. */
function walk(count: number, seconds: number): readonly (readonly string[])[] {
  const sweep = new Sweep();
  const all = channels(count);
  return Array.from({ length: seconds }, (_, second) => sweep.due(all, 100_000 + second * 1_000));
}

describe('the sweep over channels without news', () => {
  it('takes all of them at once every five seconds, as long as they are few', () => {
    const counts = walk(SWEPT_MAX, 11).map((due) => due.length);
    expect(counts).toEqual([SWEPT_MAX, 0, 0, 0, 0, SWEPT_MAX, 0, 0, 0, 0, SWEPT_MAX]);
  });

  it('takes one more a second later', () => {
    const [first, second, third] = walk(SWEPT_MAX + 1, 3);
    expect([first?.length, second, third]).toEqual([SWEPT_MAX, [`ch${SWEPT_MAX}`], []]);
  });

  it('begins anew only when the walk before has ended, so that the last ones are not left out', () => {
    const seen = walk(6 * SWEPT_MAX, 7).map((due) => due[0]);
    expect(seen).toEqual([0, 1, 2, 3, 4, 5, 0].map((part) => `ch${part * SWEPT_MAX}`));
  });

  it('takes each channel once in each walk, however many they are', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 20_000 }), (count) => {
        const seconds = Math.max(5, Math.ceil(count / SWEPT_MAX));
        expect(walk(count, seconds).flat()).toEqual(channels(count));
      }),
      { numRuns: 50 },
    );
  });
});
