import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/simulation/simulate.ts';

const SEEDS = 16;

describe('the crueller world', () => {
  it.each([1, 1 + SEEDS])(
    'breaks no law: seeds from %i',
    {
      timeout: 300_000,
    },
    async (from) => {
      for (let seed = from; seed < from + SEEDS; seed += 1) {
        const { violations } = await simulate({ seed, days: 0.125, channels: 2 + (seed % 7), cruel: true });
        expect({ seed, violations }).toEqual({ seed, violations: [] });
      }
    },
  );

  it('gives the same trace for the same seed', { timeout: 60_000 }, async () => {
    const order = { seed: 5, days: 0.2, channels: 6, cruel: true };
    const once = await simulate(order);
    expect(await simulate(order)).toEqual(once);
  });
});
