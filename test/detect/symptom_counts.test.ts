import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SymptomCounts } from '../../src/detect/symptom_counts.ts';

const PATTERNS = 900;
const pairs = fc.array(fc.tuple(fc.integer({ min: 0, max: 12_000 }), fc.integer({ min: 0, max: PATTERNS - 1 })), {
  maxLength: 2_000,
});

describe('a tally of channels and patterns', () => {
  it('counts each pair as often as it was reported, in the order in which they came first', () => {
    fc.assert(
      fc.property(pairs, (counted) => {
        const tally = new SymptomCounts(PATTERNS);
        const expected = new Map<string, number>();
        for (const [channel, pattern] of [...counted, ...counted.slice(0, 50)]) {
          tally.add(channel, pattern);
          expected.set(`${channel}:${pattern}`, (expected.get(`${channel}:${pattern}`) ?? 0) + 1);
        }
        expect(tally.rows().map(({ channel, pattern, count }) => [`${channel}:${pattern}`, count])).toEqual([
          ...expected,
        ]);
        expect(tally.dropped).toBe(0);
      }),
    );
  });

  it('counts a pair too many as dropped, and goes on counting those that it has', () => {
    const tally = new SymptomCounts(PATTERNS, 300);
    for (let channel = 0; channel < 301; channel += 1) tally.add(channel, 1);
    tally.add(300, 1);
    tally.add(299, 1);
    expect(tally.dropped).toBe(2);
    expect(tally.rows()).toHaveLength(300);
    expect(tally.rows().at(-1)).toEqual({ channel: 299, pattern: 1, count: 2 });
  });
});
