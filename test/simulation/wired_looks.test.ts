import { describe, expect, it, onTestFinished } from 'vitest';
import type { ProcessSample, Sample } from '../../src/core/sample.ts';
import { scenarioOf } from '../../src/simulation/scenario.ts';
import { Simulation } from '../../src/simulation/simulation.ts';
import type { ProbeMode } from '../../src/simulation/simulated_probes.ts';
import { wiredLooks } from '../../src/simulation/wired_looks.ts';
import { fakeClock } from '../support/fake_clock.ts';
import { plansOf, plant } from './plant.ts';

/** One channel, the real probes, and an engine that tells each second that it runs and writes. */
function looking() {
  const world = plant(plansOf(1));
  const { clock, advance } = fakeClock();
  const state = { mode: 'well' as ProbeMode, writes: true, settled: 0, stirred: 0 };
  const taken: { readonly kind: Sample['kind']; readonly atMs: number }[] = [];
  const probes = wiredLooks({
    ...{ seed: 1, clock, service: world.service, channels: plansOf(1), probe: () => state.mode },
    take: (sample) => taken.push({ kind: sample.kind, atMs: world.nowMs() }),
    settle: () => {
      state.settled += 1;
    },
    stir: () => {
      state.stirred += 1;
    },
  });
  onTestFinished(() => probes[Symbol.dispose]());
  const process = (): ProcessSample => ({
    ...{ kind: 'process', at: clock.now(), monoMs: clock.monotonicMs(), source: 'engine', channel: 'ch0' },
    ...{ engine: 'e0', state: 'running', pid: 1, generation: '1:1', uptimeMs: 3_600_000, exitCode: undefined },
    ...{ exitSignal: undefined, stoppedOnPurpose: false, cpuMs: 1, halted: false },
    bytesWritten: state.writes ? world.nowMs() : 0,
  });
  /** So many seconds pass in the service and for Reeve. */
  const pass = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second += 1) {
      world.until(world.nowMs() + 1_000);
      await advance(1_000);
      probes.saw(process());
    }
  };
  const count = (kind: Sample['kind']): number => taken.splice(0).filter((one) => one.kind === kind).length;
  return { ...world, probes, state, pass, count };
}

describe('the real probes in a simulated world', () => {
  it('look at a playlist each two seconds, and seldom once its channel is calm', async () => {
    const { pass, count, state } = looking();
    await pass(20);
    expect(count('playlist')).toBeGreaterThanOrEqual(9);
    await pass(100);
    count('playlist');
    await pass(120);
    const calm = count('playlist');
    expect(calm).toBeGreaterThanOrEqual(9);
    expect(calm).toBeLessThanOrEqual(20);
    state.writes = false;
    await pass(30);
    expect(count('playlist')).toBeGreaterThanOrEqual(13);
    expect(state.settled).toBeGreaterThan(30);
    expect(state.stirred).toBeGreaterThan(30);
  });

  it('look at once where somebody asks, and closely for as long as that is asked for', async () => {
    const { pass, count, probes } = looking();
    await pass(200);
    count('playlist');
    probes.fast('ch0', 10_000);
    await pass(10);
    expect(count('playlist')).toBeGreaterThanOrEqual(18);
  });

  it('look at sources, too, and give no sample where observation is gone', async () => {
    const { pass, count, state } = looking();
    await pass(30);
    expect(count('source')).toBeGreaterThanOrEqual(2);
    state.mode = 'gone';
    await pass(30);
    expect(count('source')).toBe(0);
  });
});

describe('a world whose outputs and sources are looked at by the real probes', () => {
  const script = (seed: number) =>
    scenarioOf({ ...{ seed, days: 0.1, channels: 4, cruel: true, swarm: false, phase: 4 }, wired: true, probed: true });

  it.each([2, 3])('breaks no law: seed %i', { timeout: 120_000 }, async (seed) => {
    const { violations, record } = await new Simulation(script(seed), {}).run();
    expect(violations).toEqual([]);
    expect(record.deliveries.length).toBeGreaterThan(0);
  });

  it('is only asked for where its engines are behind the real adapter', () => {
    expect(script(1).probed).toBe(true);
    expect(scenarioOf({ seed: 1, days: 1, probed: true }).probed).toBeUndefined();
  });
});
