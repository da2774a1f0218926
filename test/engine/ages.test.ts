import { describe, expect, it } from 'vitest';
import { Ages } from '../../src/engine/ages.ts';

describe('the age of a process', () => {
  it('goes on evenly, however long the looks took that told it', () => {
    const ages = new Ages();
    const at = (beganMs: number, answeredMs: number, uptimeMs: number) =>
      ages.at('news', { beganMs, answeredMs, uptimeMs });
    expect(at(100_000, 108_000, 58_000)).toBe(58_000);
    expect(at(110_000, 110_000, 60_000)).toBe(68_000);
    expect(at(120_000, 120_000, 71_000)).toBe(78_000);
  });

  it('is that of another process where this one cannot have begun as early', () => {
    const ages = new Ages();
    const at = (beganMs: number, uptimeMs: number) => ages.at('news', { beganMs, answeredMs: beganMs + 500, uptimeMs });
    expect(at(100_000, 50_000)).toBe(50_000);
    expect(at(110_000, 56_490)).toBe(60_000);
    expect(at(120_000, 66_469)).toBe(66_469);
    expect(at(130_000, 76_000)).toBe(76_469);
  });

  it('is that of the same process over weeks in which its clock and ours part', () => {
    const ages = new Ages();
    const DAY_MS = 86_400_000;
    for (let at = DAY_MS; at < 40 * DAY_MS; at += DAY_MS / 24) {
      const uptimeMs = Math.floor((at * 0.9995) / 1_000) * 1_000;
      expect(ages.at('news', { beganMs: at, answeredMs: at + 500, uptimeMs })! - at).toBeCloseTo(-43_200, -4);
    }
  });

  it('goes on where a look did not tell it, and is each channel’s own', () => {
    const ages = new Ages();
    const at = (beganMs: number, answeredMs: number, uptimeMs: number | undefined, channel = 'news') =>
      ages.at(channel, { beganMs, answeredMs, uptimeMs });
    expect(at(100_000, 108_000, 58_000)).toBe(58_000);
    expect(at(110_000, 110_000, undefined)).toBeUndefined();
    expect(at(111_000, 111_000, 61_000)).toBe(69_000);
    expect(at(111_000, 111_000, 1_000, 'sport')).toBe(1_000);
  });
});
