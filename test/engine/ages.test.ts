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
    expect(at(110_000, 56_500)).toBe(60_000);
    expect(at(120_000, 66_499)).toBe(66_499);
    expect(at(130_000, 76_000)).toBe(76_499);
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
