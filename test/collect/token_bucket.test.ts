import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TokenBucket, type TokenBucketOptions } from '../../src/collect/token_bucket.ts';

const START_MS = 5_000;
const bucket = (change: Partial<TokenBucketOptions> = {}): TokenBucket =>
  new TokenBucket({ ...{ perSecond: 10, burst: 4, tokens: 0, nowMs: START_MS }, ...change });
const later = (ms: number): number => START_MS + ms;

describe('a token bucket', () => {
  it('has what it is given at first, and each of it once', () => {
    const full = bucket({ tokens: 4 });
    expect(Array.from({ length: 5 }, () => full.take(START_MS))).toEqual([true, true, true, true, false]);
    expect(bucket().take(START_MS)).toBe(false);
  });

  it.each([
    [99, 0],
    [100, 1],
    [199, 1],
    [200, 2],
    [399, 3],
    [400, 4],
    [3_600_000, 4],
  ])('ten a second and four at most are, %i ms after it was empty, %i', (ms, whole) => {
    expect(bucket().whole(later(ms))).toBe(whole);
  });

  it.each([
    [99, false],
    [100, true],
  ])('that is empty lets one begin after %i ms: %s', (ms, may) => {
    expect(bucket().take(later(ms))).toBe(may);
  });

  it('says when the next is there, and what has come of it by then', () => {
    const empty = bucket();
    expect(empty.nextMs).toBe(later(100));
    expect(empty.whole(later(25))).toBe(0);
    expect(empty.nextMs).toBe(later(100));
    expect([empty.take(later(100)), empty.nextMs]).toEqual([true, later(200)]);
    expect(bucket({ tokens: 2 }).nextMs).toBeLessThan(START_MS);
  });

  it('says a later time, however little is missing', () => {
    const fast = bucket({ perSecond: 19_999.999_999_999_94, burst: 351 });
    fast.spend(fast.whole(later(1)));
    expect([fast.whole(later(1)), fast.nextMs]).toEqual([0, later(2)]);
    expect(bucket({ tokens: 1 }).nextMs).toBe(START_MS);
  });

  it('gives less than one a second, too', () => {
    const slow = bucket({ perSecond: 0.5, burst: 1 });
    expect([slow.whole(later(1_999)), slow.whole(later(2_000)), slow.whole(later(9_000))]).toEqual([0, 1, 1]);
  });

  it.each([
    [3, 1],
    [4, 0],
    [5, 0],
    [Number.MAX_SAFE_INTEGER, 0],
  ])('of four of which %i were used has %i, and owes nothing', (count, left) => {
    const full = bucket({ tokens: 4 });
    full.spend(count);
    expect([full.whole(START_MS), full.whole(later(100))]).toEqual([left, left + 1]);
  });

  it('gains nothing while time stands still or goes back', () => {
    const own = bucket();
    expect([own.whole(later(100)), own.whole(later(100)), own.whole(later(0)), own.whole(later(100))]).toEqual([
      1, 1, 1, 1,
    ]);
    expect(own.whole(later(200))).toBe(2);
  });
});

describe('any token bucket', () => {
  const options = fc
    .record({ perSecond: fc.double({ min: 0.1, max: 20_000, noNaN: true }), burst: fc.integer({ min: 1, max: 1_000 }) })
    .chain((own) => fc.record({ tokens: fc.integer({ min: 0, max: own.burst }) }).map((more) => ({ ...own, ...more })));
  const waitsMs = fc.array(fc.integer({ min: 0, max: 3_000 }), { maxLength: 40 });
  /** Sums of fractions are not exact. */
  const EXACT = 1e-6;

  it('gives in no time more than its burst and what comes back meanwhile', () => {
    fc.assert(
      fc.property(options, waitsMs, (own, waits) => {
        const one = bucket(own);
        const taken: { atMs: number; count: number }[] = [];
        let atMs = START_MS;
        for (const waitMs of waits) {
          atMs += waitMs;
          let count = 0;
          while (one.take(atMs)) count += 1;
          taken.push({ atMs, count });
        }
        for (const [from, { atMs: fromMs }] of taken.entries()) {
          let sum = 0;
          for (const { atMs: toMs, count } of taken.slice(from)) {
            sum += count;
            expect(sum).toBeLessThanOrEqual(own.burst + ((toMs - fromMs) * own.perSecond) / 1_000 + EXACT);
          }
        }
      }),
      { numRuns: 50 },
    );
  });

  it('has at a time the same, however often it was asked before', () => {
    fc.assert(
      fc.property(options, waitsMs, (own, waits) => {
        const [often, once] = [bucket(own), bucket(own)];
        let atMs = START_MS;
        for (const waitMs of waits) {
          atMs += waitMs;
          often.whole(atMs);
        }
        once.whole(atMs);
        expect(Math.abs(often.nextMs - once.nextMs)).toBeLessThan(1);
        expect(often.whole(atMs)).toBeGreaterThanOrEqual(0);
        expect(often.whole(atMs)).toBeLessThanOrEqual(own.burst);
      }),
    );
  });

  it('has its next one when it says, and none just before', () => {
    fc.assert(
      fc.property(options, waitsMs, (own, waits) => {
        const one = bucket(own);
        let atMs = START_MS;
        for (const waitMs of waits) {
          atMs += waitMs;
          one.take(atMs);
        }
        one.spend(one.whole(atMs));
        const { nextMs } = one;
        expect(nextMs).toBeGreaterThanOrEqual(atMs + 1);
        // A thousandth of the time to the next one: more than sums of fractions are wrong by.
        const aLittle = 1 / own.perSecond;
        expect(one.whole(nextMs > atMs + 1 ? nextMs - aLittle : atMs)).toBe(0);
        expect(one.whole(nextMs + aLittle)).toBeGreaterThanOrEqual(1);
      }),
    );
  });
});
