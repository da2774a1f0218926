import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/lab/simulate.ts';

describe('a simulated day', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('breaks no law with seed %i', async (seed) => {
    const { violations } = await simulate({ seed, days: 1 });
    expect(violations).toEqual([]);
  });

  it.each([9, 10])('is the same to the byte when it is lived twice (S13), seed %i', async (seed) => {
    const once = await simulate({ seed, days: 1 });
    const again = await simulate({ seed, days: 1 });
    expect(again).toEqual(once);
  });
});
