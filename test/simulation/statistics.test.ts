import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import {
  mostWithin,
  type Pair,
  type ProvedStart,
  ratioInterval,
  ratioOf,
  spreadOf,
  unprovedPeaks,
} from '../../src/simulation/statistics.ts';

const amount = fc.integer({ min: 1, max: 10_000 });
const pairs = fc.array(fc.record<Pair>({ ours: amount, theirs: amount }), { minLength: 1, maxLength: 30 });
const times = fc.array(fc.integer({ min: 0, max: 500 }), { maxLength: 40 });
const starts = fc.array(
  fc.record<ProvedStart>({
    atMs: fc.integer({ min: 0, max: 300 }),
    provedMs: fc.option(fc.integer({ min: 0, max: 400 }), { nil: undefined }),
  }),
  { maxLength: 30 },
);
const QUICK = { resamples: 200 };

describe('the paired bootstrap', () => {
  test.prop([pairs, fc.nat()])('gives the same interval for the same seed', (all, seed) => {
    expect(ratioInterval(all, { seed, ...QUICK })).toEqual(ratioInterval(all, { seed, ...QUICK }));
  });

  test.prop([pairs, fc.nat()])('lies between the least and the greatest ratio of a world', (all, seed) => {
    const { low, high } = ratioInterval(all, { seed, ...QUICK });
    const ratios = all.map(ratioOf);
    expect(low).toBeLessThanOrEqual(high);
    expect(low).toBeGreaterThanOrEqual(Math.min(...ratios) - 1e-9);
    expect(high).toBeLessThanOrEqual(Math.max(...ratios) + 1e-9);
  });

  test.prop([fc.array(amount, { minLength: 1, maxLength: 20 }), fc.nat()])(
    'has no width where one is the same share of the other in every world',
    (all, seed) => {
      const half = all.map((theirs) => ({ ours: theirs / 2, theirs }));
      expect(ratioInterval(half, { seed, ...QUICK })).toEqual({ ratio: 0.5, low: 0.5, high: 0.5 });
    },
  );

  it('covers the ratio of one million worlds in about 95 of 100 samples of forty', () => {
    // Ours is theirs times an even draw from [0.6, 1.0]: 0.8 in the long run.
    const draw = (n: number): number => (((n * 2_654_435_761) >>> 0) % 10_000) / 10_000;
    let covered = 0;
    for (let sample = 0; sample < 100; sample += 1) {
      const all = Array.from({ length: 40 }, (_, at) => {
        const n = sample * 97 + at * 7 + 1;
        const theirs = 50 + draw(n + 5_000) * 100;
        return { ours: theirs * (0.6 + 0.4 * draw(n)), theirs };
      });
      const { low, high } = ratioInterval(all, { seed: sample, resamples: 400 });
      if (low <= 0.8 && 0.8 <= high) covered += 1;
    }
    expect(covered).toBeGreaterThanOrEqual(85);
  });

  it('is 1 where neither had anything, and infinite where only ours had', () => {
    expect(ratioOf({ ours: 0, theirs: 0 })).toBe(1);
    expect(ratioOf({ ours: 1, theirs: 0 })).toBe(Infinity);
    expect(ratioInterval([], { seed: 1 })).toEqual({ ratio: 1, low: 1, high: 1 });
  });
});

describe('the spread', () => {
  it('names the quartiles and the worst', () => {
    expect(spreadOf([5, 1, 4, 2, 3])).toEqual({ q1: 2, median: 3, q3: 4, worst: 5 });
    expect(spreadOf([])).toEqual({ q1: 0, median: 0, q3: 0, worst: 0 });
  });
});

describe('the worst minute', () => {
  test.prop([times, fc.integer({ min: 1, max: 200 })])('is what counting at every event finds', (all, windowMs) => {
    const counts = all.map((now) => all.filter((ms) => ms > now - windowMs && ms <= now).length);
    expect(mostWithin(all, windowMs)).toBe(Math.max(0, ...counts));
  });

  it('is half-open: a start exactly one window later is outside', () => {
    expect([mostWithin([0, 60], 60), mostWithin([0, 59], 60)]).toEqual([1, 2]);
  });
});

describe('a storm', () => {
  const unproved = (all: readonly ProvedStart[], now: number, windowMs: number): number =>
    all.filter(({ atMs, provedMs = Infinity }) => atMs <= now && now < Math.min(atMs + windowMs, provedMs)).length;

  test.prop([starts, fc.integer({ min: 1, max: 100 }), fc.integer({ min: 0, max: 5 })])(
    'is a stretch in which more than so many are unproved, found by counting at every moment',
    (all, windowMs, max) => {
      let above = false;
      let expected = 0;
      for (let now = 0; now <= 500; now += 1) {
        const storm = unproved(all, now, windowMs) > max;
        if (storm && !above) expected += 1;
        above = storm;
      }
      expect(unprovedPeaks(all, { max, windowMs })).toBe(expected);
    },
  );

  it('is not made by starts that are proved before the next ones begin', () => {
    const ramp = Array.from({ length: 40 }, (_, at) => ({ atMs: at * 1_000, provedMs: at * 1_000 + 5_000 }));
    expect(unprovedPeaks(ramp, { max: 10, windowMs: 60_000 })).toBe(0);
    expect(
      unprovedPeaks(
        ramp.map((one) => ({ ...one, provedMs: undefined })),
        { max: 10, windowMs: 60_000 },
      ),
    ).toBe(1);
  });
});
