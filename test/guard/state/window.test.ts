import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cooldownOf, endOf } from '../../../src/guard/state/cooldown.ts';
import {
  addStart,
  churning,
  roomFor,
  STARTS_KEPT,
  type StartMark,
  startsIn,
  startsMaxOf,
} from '../../../src/guard/state/window.ts';

const mark = (atMs: number, more: Partial<StartMark> = {}): StartMark => ({
  engine: 'local',
  channel: 'c',
  atMs,
  ...more,
});

describe('the window of starts (S2)', () => {
  it('holds a start for 59,999 ms and lets it go at 60,000', () => {
    const count = (nowMs: number) => startsIn([mark(0)], { windowMs: 60_000, nowMs }).length;
    expect([count(0), count(59_999), count(60_000)]).toEqual([1, 1, 0]);
  });

  it('says when one more fits: when enough of the oldest have left', () => {
    const starts = [0, 10, 20, 30].map((atMs) => mark(atMs, { channel: `c${atMs}` }));
    const room = (max: number) => roomFor(starts, max, { windowMs: 60_000, nowMs: 40 });
    expect(room(5)).toEqual({ count: 4, freeInMs: 0 });
    expect(room(4)).toEqual({ count: 4, freeInMs: 59_960 });
    expect(room(2)).toEqual({ count: 4, freeInMs: 59_980 });
  });

  it('counts a permit that may still be redeemed, and a call under way however old', () => {
    const look = { windowMs: 60_000, nowMs: 100_000 };
    expect(startsIn([mark(105_000)], look)).toHaveLength(1);
    expect(startsIn([mark(1_000, { open: true })], look)).toEqual([100_000]);
  });

  it('counts per engine and over all', () => {
    const starts = [mark(1, { engine: 'a' }), mark(2, { engine: 'b' }), mark(3, { engine: undefined })];
    const look = { windowMs: 60_000, nowMs: 3 };
    expect(startsIn(starts, look)).toHaveLength(3);
    expect(startsIn(starts, { ...look, engine: 'a' })).toHaveLength(1);
  });

  it('counts what others start of one channel three times at most: a storm is many channels', () => {
    const look = { windowMs: 60_000, nowMs: 40 };
    const foreign = [0, 10, 20, 30].map((atMs) => mark(atMs));
    expect(startsIn(foreign, look)).toEqual([10, 20, 30]);
    expect(startsIn(foreign.slice(1), look)).toEqual([10, 20, 30]);
    const ours = foreign.map((one, at) => ({ ...one, permit: `p${at}` }));
    expect(startsIn(ours, look)).toHaveLength(4);
    expect([...churning(foreign, look)]).toEqual([['c', 4]]);
    expect([...churning(foreign.slice(1), look), ...churning(ours, look)]).toEqual([]);
  });

  it('forgets what counts for nothing before what counts: none of ours is lost to an announced restart or a churn', () => {
    const look = { windowMs: 60_000, nowMs: 20_000 };
    const flooded = (more: Partial<StartMark>) => {
      const starts: StartMark[] = [];
      for (let n = 0; n < 9; n += 1) addStart(starts, mark(10_000 + n, { channel: `own${n}`, permit: `p${n}` }));
      for (let n = 0; n < 2 * STARTS_KEPT; n += 1) addStart(starts, mark(10_100 + n, more));
      expect(starts).toHaveLength(STARTS_KEPT);
      return starts;
    };
    expect(startsIn(flooded({ planned: true }), look)).toHaveLength(9);
    expect(startsIn(flooded({ channel: 'churn' }), look)).toHaveLength(9 + 3);
    expect([...churning(flooded({ channel: 'churn' }), look).keys()]).toEqual(['churn']);
  });

  it('forgets first what is a day old, though it counted: no window is longer', () => {
    const kept = (nowMs: number, first: Partial<StartMark> = {}) => {
      const starts: StartMark[] = [];
      addStart(starts, mark(0, { permit: 'p', ...first }));
      for (let n = 1; n < STARTS_KEPT; n += 1) addStart(starts, mark(nowMs, { channel: `c${n}`, planned: true }));
      addStart(starts, mark(nowMs, { channel: 'last' }));
      return starts[0]?.permit;
    };
    expect([kept(86_399_999), kept(86_400_000), kept(86_400_000, { open: true })]).toEqual(['p', undefined, 'p']);
  });

  it('forgets the oldest beyond its bound, which can make no window look emptier than full', () => {
    const starts: StartMark[] = [];
    for (let n = 0; n < STARTS_KEPT + 50; n += 1) addStart(starts, mark(n, { channel: `c${n}` }));
    expect(starts).toHaveLength(STARTS_KEPT);
    expect(roomFor(starts, STARTS_KEPT - 1, { windowMs: 60_000, nowMs: 2_000 }).freeInMs).toBeGreaterThan(0);
  });

  it('agrees with counting one by one, and its promise of room holds', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 200_000 }), { maxLength: 60 }),
        fc.integer({ min: 1, max: 20 }),
        (times, max) => {
          const starts = times.map((atMs, at) => mark(atMs, { channel: `c${at}` }));
          const nowMs = 200_000;
          const look = { windowMs: 60_000, nowMs };
          const { count, freeInMs } = roomFor(starts, max, look);
          expect(count).toBe(times.filter((atMs) => nowMs - atMs < 60_000).length);
          const later = (ms: number) => roomFor(starts, max, { ...look, nowMs: nowMs + ms });
          expect(later(freeInMs).count).toBeLessThan(max);
          if (freeInMs > 0) expect(later(freeInMs - 1).count).toBeGreaterThanOrEqual(max);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe('the cooldown of a tool (S1)', () => {
  it('begins at the end: at 29,999 ms one is left, at 30,000 none', () => {
    const use = { permit: 'p', expiresMs: 5_000, startedMs: 100, endedMs: 20_000 };
    expect(cooldownOf(use, 30_000, 49_999)).toEqual({ leftMs: 1, inFlight: false });
    expect(cooldownOf(use, 30_000, 50_000)).toEqual({ leftMs: 0, inFlight: false });
  });

  it('is not over while the call is under way, however long that takes', () => {
    const use = { permit: 'p', expiresMs: 5_000, startedMs: 100 };
    expect(cooldownOf(use, 30_000, 10_000_000)).toEqual({ leftMs: 30_000, inFlight: true });
  });

  it('counts an unused permit as ended when it expired', () => {
    const use = { permit: 'p', expiresMs: 5_000 };
    expect(cooldownOf(use, 30_000, 4_999)).toEqual({ leftMs: 30_001, inFlight: true });
    expect(endOf(use, 4_999)).toBeUndefined();
    expect(endOf(use, 5_000)).toBe(5_000);
    expect(cooldownOf(use, 30_000, 35_000).leftMs).toBe(0);
  });

  it('is nothing for a tool that was never used', () => {
    expect(cooldownOf(undefined, 30_000, 0)).toEqual({ leftMs: 0, inFlight: false });
  });
});

describe('room in the window of starts', () => {
  const starts = [30_000, 10_000, 20_000].map((atMs) => ({ engine: 'local', channel: 'news', atMs }));

  it('says when the next one fits, in whatever order they became known', () => {
    expect(roomFor(starts, 3, { windowMs: 60_000, nowMs: 31_000 })).toEqual({ count: 3, freeInMs: 39_000 });
  });

  it('never allows as many as can be remembered', () => {
    expect(startsMaxOf(10)).toBe(10);
    expect(startsMaxOf(STARTS_KEPT + 5)).toBe(STARTS_KEPT - 1);
  });
});
