import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/simulation/simulate.ts';

/**
 * Seeds of the crueller world in which a law is known to be broken, and why; an entry goes when its cause is mended.
 * `reeve simulate --cruel --days 0.125 --calm 1 --channels C --seed S` plays one again; C is 2 + S mod 7.
 */
const KNOWN_OPEN: Readonly<Record<number, { readonly law: string; readonly because: string }>> = {
  3: { law: 'S9', because: "a staged start goes by the group's persona and not by the channel's own" },
};

const SEEDS = 16;

describe('the crueller world', () => {
  it.each([1, 1 + SEEDS])(
    'breaks no law but those that are known to be open: seeds from %i',
    {
      timeout: 300_000,
    },
    async (from) => {
      for (let seed = from; seed < from + SEEDS; seed += 1) {
        const { violations } = await simulate({ seed, days: 0.125, channels: 2 + (seed % 7), cruel: true });
        const open = KNOWN_OPEN[seed]?.law;
        expect({ seed, violations: violations.filter(({ law }) => law !== open) }).toEqual({ seed, violations: [] });
      }
    },
  );

  it('gives the same trace for the same seed', { timeout: 60_000 }, async () => {
    const order = { seed: 5, days: 0.2, channels: 6, cruel: true };
    const once = await simulate(order);
    expect(await simulate(order)).toEqual(once);
  });
});
