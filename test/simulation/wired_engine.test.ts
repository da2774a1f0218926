import { describe, expect, it } from 'vitest';
import { isWired, scenarioOf } from '../../src/simulation/scenario.ts';
import { Simulation } from '../../src/simulation/simulation.ts';

const scriptOf = (seed: number, wired: boolean) =>
  scenarioOf({ seed, days: 0.5, channels: 6, cruel: true, swarm: false, phase: 4, persona: 'lab', wired });

describe('a world that is reached through the real adapter', () => {
  it('restarts channels, and knows which process each call led to', async () => {
    const end = await new Simulation(scriptOf(2, true), {}).run();
    const restarts = end.record.invocations.filter(({ tool }) => tool === 'restart_channel');
    expect(restarts.length).toBeGreaterThan(0);
    const led = restarts.filter(({ effect }) => effect !== undefined);
    expect(led.length).toBeGreaterThan(0);
    expect(led.every(({ effect, channel }) => effect?.channel === channel && effect?.by === 'reeve')).toBe(true);
    expect(end.violations).toEqual([]);
  }, 60_000);

  it('has the same faults as the world without it', () => {
    const [wired, plain] = [scriptOf(3, true), scriptOf(3, false)];
    expect(wired.injections).toEqual(plain.injections);
    expect([isWired(wired), isWired(plain)]).toEqual([true, false]);
  });
});
