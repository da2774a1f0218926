import { describe, expect, it } from 'vitest';
import type { Batch, Delivery } from '../../src/simulation/effect_log.ts';
import { type ScenarioOptions, scenarioOf } from '../../src/simulation/scenario.ts';
import { pagesOf, simulate } from '../../src/simulation/simulate.ts';
import { Simulation } from '../../src/simulation/simulation.ts';

/** Seeds of one test, and of all. A nightly run asks for more (see scripts/nightly.ts). */
const range = (from: number, count: number): readonly number[] => Array.from({ length: count }, (_, at) => from + at);

async function expectLawful(seeds: readonly number[], options: Omit<ScenarioOptions, 'seed'>): Promise<void> {
  for (const seed of seeds) {
    const { violations } = await simulate({ ...options, seed });
    const again = `reeve simulate --seed ${seed} --days ${options.days} --calm ${options.calm ?? 1}${options.storm ? ' --storm' : ''}`;
    expect({ seed, again, violations }).toEqual({ seed, again, violations: [] });
  }
}

describe('many virtual days', () => {
  it.each([1, 11, 21, 31])(
    'break no law in a fleet that fails now and then: ten seeds from %i, 25 days each',
    { timeout: 300_000 },
    (from) => expectLawful(range(from, 10), { days: 25, calm: 12 }),
  );

  it('break no law where everything fails all the time', { timeout: 120_000 }, () =>
    expectLawful(range(101, 6), { days: 1 }),
  );

  it('break no law in storms', { timeout: 300_000 }, () => expectLawful(range(201, 3), { days: 1, storm: true }));
});

describe('one seed', () => {
  it.each([9, 10])(
    'gives the same trace to the byte when it is run twice (S13): %i',
    { timeout: 60_000 },
    async (seed) => {
      const once = await simulate({ seed, days: 1 });
      expect(await simulate({ seed, days: 1 })).toEqual(once);
    },
  );

  it.each([4, 13])(
    'is decided alike whether quiet time is skipped or simulated: %i',
    { timeout: 120_000 },
    async (seed) => {
      const story = async (leap: boolean): Promise<readonly string[]> => {
        const lines: string[] = [];
        const onBatch = ({ entries, atMs }: Batch): void => {
          for (const { seq, monoMs, channel, fact } of entries)
            lines.push(`${atMs} ${seq} ${monoMs} ${channel} ${fact.type}`);
        };
        await new Simulation(scenarioOf({ seed, days: 0.6 }), { leap, onBatch }).run();
        return lines;
      };
      expect(await story(true)).toEqual(await story(false));
    },
  );
});

describe('the pages that are counted', () => {
  const delivery = (what: Delivery['what'], atMs: number, key = 'incident/inc-1', receiver = 'pager'): Delivery => ({
    ...{ receiver, what, key, id: `${what}-${atMs}`, scope: 'channel:news', atMs, taken: true },
  });

  it('are those of the person on call, each open until its own resolve', () => {
    const deliveries = [
      delivery('trigger', 10),
      delivery('trigger', 11, 'incident/inc-1', 'chat'),
      delivery('trigger', 20, 'incident/inc-2'),
      delivery('repeat', 30),
      delivery('resolve', 40),
      delivery('trigger', 50),
    ];
    expect(pagesOf({ deliveries }, 100)).toEqual([
      { scope: 'channel:news', atMs: 10, untilMs: 40 },
      { scope: 'channel:news', atMs: 20, untilMs: 100 },
      { scope: 'channel:news', atMs: 50, untilMs: 100 },
    ]);
  });
});
