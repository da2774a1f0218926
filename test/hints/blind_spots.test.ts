import { describe, expect, it } from 'vitest';
import { BlindSpots, EVENTS_MAX, PREFIXES_MAX, prefixHashOf } from '../../src/hints/blind_spots.ts';

describe('ROSClaw-How, blind spots', () => {
  const settings = { windowMs: 100, threshold: 3 };

  it('hashes the beginning without its numbers', () => {
    expect(prefixHashOf('Error 12 at 0xAF')).toBe(prefixHashOf('error  7 at 0x1'));
    expect(prefixHashOf('Error 12 at 0xAF')).not.toBe(prefixHashOf('Warning 12 at 0xAF'));
    expect(prefixHashOf('x')).toMatch(/^[0-9a-f]{64}$/);
  });

  it('reports a beginning at the threshold, once per window, and again after a quiet window', () => {
    const spots = new BlindSpots(settings);
    const report = (...times: number[]) => times.map((at) => spots.record('odd quirk', at)?.count);
    expect(report(0, 1, 2, 3, 101)).toEqual([undefined, undefined, 3, undefined, undefined]);
    expect(report(300, 301, 302)).toEqual([undefined, undefined, 3]);
  });

  it('forgets an event exactly when the window has passed', () => {
    const spots = new BlindSpots(settings);
    for (const at of [0, 1, 2]) spots.record('odd quirk', at);
    expect(spots.summary(99)).toMatchObject({ active: [{ count: 3, firstSeenMs: 0, lastSeenMs: 2 }], totalEvents: 3 });
    expect(spots.summary(100)).toMatchObject({ active: [], totalUniquePrefixes: 1, totalEvents: 2 });
    expect(spots.summary(102)).toEqual({ active: [], totalUniquePrefixes: 0, totalEvents: 0 });
  });

  it('stays bounded under a flood of different and of equal errors, and when the clock is set back', () => {
    const spots = new BlindSpots(settings);
    const lettersOf = (at: number) => [...String(at)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
    for (let at = 0; at < PREFIXES_MAX + 5; at += 1) spots.record(lettersOf(at), 50);
    expect(spots.summary(50).totalUniquePrefixes).toBe(PREFIXES_MAX);
    for (let at = 0; at < EVENTS_MAX + 5; at += 1) spots.record('same', 10);
    expect(spots.summary(10).active).toMatchObject([{ count: EVENTS_MAX, lastSeenMs: 50 }]);
  });

  it('refuses a window or threshold that could never report', () => {
    for (const bad of [0, 1.5, EVENTS_MAX + 1]) {
      expect(() => new BlindSpots({ ...settings, threshold: bad })).toThrow('threshold: expected 1 to 1000');
    }
    expect(() => new BlindSpots({ ...settings, windowMs: 0 })).toThrow('window: expected above 0');
  });
});
