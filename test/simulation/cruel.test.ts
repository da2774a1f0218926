import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/simulation/simulate.ts';

const SEEDS = 16;

describe('the crueller world', () => {
  it.each([
    [1, false],
    [1 + SEEDS, false],
    [1, true],
  ])('breaks no law: seeds from %i, through a real adapter: %o', { timeout: 300_000 }, async (from, wired) => {
    for (let seed = from; seed < from + SEEDS; seed += 1) {
      const { violations } = await simulate({ seed, days: 0.125, channels: 2 + (seed % 7), cruel: true, wired });
      expect({ seed, violations }).toEqual({ seed, violations: [] });
    }
  });

  it.each([false, true])(
    'gives the same trace for the same seed, through a real adapter: %o',
    async (wired) => {
      const order = { seed: 5, days: 0.2, channels: 6, cruel: true, wired };
      const once = await simulate(order);
      expect(await simulate(order)).toEqual(once);
    },
    60_000,
  );
});
