import { describe, expect, it } from 'vitest';
import type { ProgressFacts } from '../../../src/ground/facts/output_facts.ts';
import { fallsBehind, isSlow, recentSpeeds } from '../../../src/ground/facts/speed.ts';
import { factsOf, type Given, NOW, reports, runs, speeds } from '../given.ts';

const seen = (progress: ProgressFacts | undefined, given: Given = {}) =>
  recentSpeeds(factsOf({ ...given, progress }), NOW);
const slow = (progress: ProgressFacts | undefined): boolean => isSlow(factsOf({ progress }), NOW);
const behind = (progress: ProgressFacts | undefined): boolean => fallsBehind(factsOf({ progress }), NOW);

describe('the true speed', () => {
  it('is that of the last three intervals, and not reported before', () => {
    expect(seen(speeds([2, 0.5, 1, 0.25]))).toEqual([0.5, 1, 0.25]);
    expect(seen(speeds([0.5, 1, 0.25]))).toEqual([0.5, 1, 0.25]);
    expect(seen(speeds([1, 0.25]))).toBeUndefined();
    expect(seen(reports())).toBeUndefined();
    expect(seen(undefined)).toBeUndefined();
  });

  it('is reported for 10 s after the last report', () => {
    expect(seen(speeds([1, 1, 1], 10_000))).toEqual([1, 1, 1]);
    expect(seen(speeds([1, 1, 1], 10_001))).toBeUndefined();
  });

  it('is reported of the present generation only, with a second to spare, or of any where no process is known', () => {
    const of = (seenAgoMs: number) => seen(speeds([1, 1, 1]), { process: runs({ seenMs: NOW - seenAgoMs }) });
    expect(of(5_000)).toEqual([1, 1, 1]);
    expect(of(4_999)).toBeUndefined();
    expect(seen(speeds([1, 1, 1]), { process: undefined })).toEqual([1, 1, 1]);
  });
});

describe('an encoder', () => {
  it('is slow when each of the three intervals is below 0.95', () => {
    expect(slow(speeds([0.5, 0.5, 0.94]))).toBe(true);
    expect(slow(speeds([0.5, 0.5, 0.95]))).toBe(false);
    expect(slow(speeds([0.5, 1, 0.5]))).toBe(false);
  });

  it('is slow when it has fallen 1.5 s behind', () => {
    expect(slow(speeds([0.75, 0.75, 0.75]))).toBe(true);
    expect(slow(speeds([0.75, 0.75, 0.7505]))).toBe(false);
    expect(slow(undefined)).toBe(false);
    expect(slow(reports())).toBe(false);
  });

  it('falls behind when it is slow and moves: what stands is another trouble', () => {
    expect(behind(speeds([0, 0, 0.5]))).toBe(true);
    expect(behind(speeds([0.5, 0.5, 0]))).toBe(true);
    expect(behind(speeds([0, 0, 0]))).toBe(false);
    expect(behind(speeds([1, 1, 1]))).toBe(false);
    expect(behind(undefined)).toBe(false);
  });
});
