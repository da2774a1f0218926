import { describe, expect, it } from 'vitest';
import { massDeaths, withinWindow } from '../../../src/ground/correlate/mass_deaths.ts';

const LIMITS = { sharedCauseChannelsMin: 3, sharedCauseWindowMs: 30_000, windowStartsMax: 10 };
/** Channel by channel the group and when it died; the first is certain. */
const dead = (...each: readonly (readonly [group: string, firstSeenMs: number])[]) =>
  each.map(([group, firstSeenMs], at) => ({
    ref: { id: `ch${at}`, group, engine: 'local', expected: 'always' as const, hasSource: false, hasOutputProbe: true },
    firstSeenMs,
    isCertain: at === 0,
  }));
const five = dead(['a', 0], ['a', 1], ['b', 2], ['b', 3], ['c', 4]);

describe('channels that died at once', () => {
  it('are one trouble of each of their groups from half of the window of starts on, in three groups', () => {
    const statement = '5 channels of 3 groups of local at once';
    expect([...massDeaths(five, LIMITS)].map(([key, says]) => [key, says])).toEqual([
      ['group:a', statement],
      ['group:b', statement],
      ['group:c', statement],
    ]);
    expect(massDeaths(five.slice(0, 4).concat(dead(['b', 5])), LIMITS).size).toBe(0);
  });

  it('are not where they are one fewer, or where fewer groups died', () => {
    expect(massDeaths(dead(['a', 0], ['b', 1], ['c', 2], ['a', 3]), LIMITS).size).toBe(0);
    expect(massDeaths(dead(['a', 0], ['a', 1], ['a', 2], ['b', 3], ['b', 4]), LIMITS).size).toBe(0);
  });

  it('are not while of none it is certain that its engine does not see to it', () => {
    expect(
      massDeaths(
        five.map((one) => ({ ...one, isCertain: false })),
        LIMITS,
      ).size,
    ).toBe(0);
  });

  it('are not of two engines together', () => {
    const apart = five.map((one, at) => (at < 3 ? one : { ...one, ref: { ...one.ref, engine: 'other' } }));
    expect(massDeaths(apart, LIMITS).size).toBe(0);
  });

  it('began within one window, its end included, wherever it lies', () => {
    const times = (...all: readonly number[]) => all.map((firstSeenMs) => ({ firstSeenMs }));
    expect(withinWindow(times(0, 100, 200, 230), 3, 130)).toBe(true);
    expect(withinWindow(times(0, 100, 200, 231), 3, 130)).toBe(false);
    expect(withinWindow(times(0, 1), 3, 130)).toBe(false);
  });
});
