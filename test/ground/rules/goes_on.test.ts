import { describe, expect, it } from 'vitest';
import { folded } from '../../../src/ground/facts/facts.ts';
import { goesOn } from '../../../src/ground/rules/goes_on.ts';
import { factsOf, NOW, reports, runs } from '../given.ts';

describe('a healthy channel goes on', () => {
  it.each([
    [1_000, true],
    [1_001, false],
  ])('with the next report of its encoder, where the last was %i ms before its process was seen: %o', (ms, same) => {
    const process = runs();
    const before = factsOf({ process, progress: { ...reports(0), outTimeMs: 10_000, lastMs: process.seenMs - ms } });
    const sample = { kind: 'progress', channel: 'news', at: 0, monoMs: NOW + 500, source: 'test' } as const;
    const after = folded(before, { ...sample, outTimeMs: 10_500, frame: undefined });
    expect(goesOn(before, after, NOW + 600)).toBe(same);
  });
});
