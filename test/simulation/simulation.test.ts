import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/core/duration.ts';
import type { Rulebook } from '../../src/rulebook/rulebook.ts';
import type { Kind } from '../../src/simulation/kinds.ts';
import { type Injection, type Scenario, scenarioOf } from '../../src/simulation/scenario.ts';
import { Simulation } from '../../src/simulation/simulation.ts';
import type { SimulationOptions } from '../../src/simulation/simulation_options.ts';
import { anInjection } from './faults.ts';

const END_MS = 10 * MINUTE_MS;
const LIVENESS_MS = 45 * MINUTE_MS;
const at = (minute: number, kind: Kind, with_: Partial<Injection> = {}) =>
  anInjection(kind, { atMs: minute * MINUTE_MS, variant: 0.6, ...with_ });

/** Ten minutes of two channels; nothing goes wrong but this. */
function scriptOf(injections: readonly Injection[], with_: Partial<Scenario> = {}): Scenario {
  const options = { seed: 1, days: END_MS / DAY_MS, channels: 2, kinds: [], persona: 'system_admin' } as const;
  return { ...scenarioOf({ ...options, phase: 4, limits: {} }), injections, ...with_ };
}
/** Nothing is demanded afterwards by default. */
const run = (injections: readonly Injection[] = [], how: SimulationOptions = {}, with_: Partial<Scenario> = {}) =>
  new Simulation(scriptOf(injections, with_), { livenessMs: 0, ...how }).run();
/** Rules with a bug: whatever is asked of them throws. */
const buggy = (): Rulebook => ({
  rules: [],
  decide: () => {
    throw new Error('a bug');
  },
  matchAll: () => [],
});
const crash = at(2, 'crash');

describe('a simulated world', () => {
  it('lasts for as long as its script, and as long again as it takes to keep what was promised', async () => {
    expect((await run()).nowMs).toBe(END_MS);
    expect((await run([], { livenessMs: 5 * MINUTE_MS })).nowMs).toBe(END_MS + 5 * MINUTE_MS);
    expect((await new Simulation(scriptOf([])).run()).nowMs).toBe(END_MS + LIVENESS_MS);
  });

  it('has no adversary and no attacker unless it is given them', async () => {
    const plain = await run([crash]);
    expect([plain.plans, plain.attacker]).toEqual([0, undefined]);
    const hostile = await run([crash], { adversary: true, attacker: true });
    expect(hostile.plans).toBeGreaterThan(0);
    expect(hostile.attacker).toBeDefined();
  });

  it('reports everything that becomes durable, in order', async () => {
    const seqs: number[] = [];
    await run([crash, at(4, 'reeve_crash', { target: '', forMs: 5_000 })], {
      onBatch: ({ entries }) => seqs.push(...entries.map(({ seq }) => seq)),
    });
    expect(seqs.length).toBeGreaterThan(5);
    expect(seqs).toEqual(seqs.map((_, index) => index + 1));
  });

  it('has a Reeve that cures what a start cures, and records what reached its engine', async () => {
    const { record, service, violations } = await run([crash]);
    expect(record.invocations.map(({ tool, channel }) => [tool, channel])).toEqual([['restart_channel', 'ch0']]);
    expect(service.statusOf(service.at('ch0'))).toBe('playing');
    expect(violations).toEqual([]);
  });

  it('has people who come after a page', async () => {
    const { service, record } = await run([crash], {}, { phase: 0, days: HOUR_MS / DAY_MS });
    expect(record.invocations).toEqual([]);
    expect(record.deliveries[0]).toMatchObject({ what: 'trigger', scope: 'channel:ch0' });
    expect(service.at('ch0').process.by).toBe('human');
  });
});

describe('quiet time', () => {
  it('is skipped, and nothing that happens is another for that', async () => {
    const scene = [at(30, 'crash')];
    const hour = { days: HOUR_MS / DAY_MS };
    const [leaps, lives] = [await run(scene, {}, hour), await run(scene, { leap: false }, hour)];
    expect(leaps.events).toBeLessThan(lives.events / 2);
    const calls = ({ record }: typeof leaps) => record.invocations.map(({ tool, channel }) => [tool, channel]);
    expect(calls(leaps)).toEqual(calls(lives));
    expect([leaps.nowMs, leaps.violations, lives.violations]).toEqual([lives.nowMs, [], []]);
  });
});

describe('a failure in Reeve itself', () => {
  it('breaks a law, and ends the run at once unless that is asked otherwise', async () => {
    const early = await run([crash], { rulebook: buggy });
    expect(early.violations).toMatchObject([{ law: 'internal', because: expect.stringContaining('a bug') }]);
    expect(early.record.failures).toMatchObject([{ expected: false, text: expect.stringContaining('a bug') }]);
    expect(early.nowMs).toBe(END_MS);
    const late = await run([crash, at(5, 'crash')], { rulebook: buggy, stopEarly: false });
    expect(late.events).toBeGreaterThan(2 * early.events);
  });

  it('breaks none where the disk had failed', async () => {
    const full = at(1, 'disk', { target: '', variant: 0, forMs: 5 * MINUTE_MS });
    const { violations, record } = await run([full, crash]);
    expect(violations).toEqual([]);
    expect(record.failures.length).toBeGreaterThan(0);
    expect(record.failures.every(({ expected }) => expected)).toBe(true);
  });
});

describe('what is demanded at the end', () => {
  it('comes true in a world that is healed, whatever went on', async () => {
    const going = [at(8, 'misconfig', { forMs: HOUR_MS }), at(9, 'engine_down', { target: 'e0', forMs: HOUR_MS })];
    const { service, violations, nowMs } = await run(going, { livenessMs: LIVENESS_MS });
    expect([nowMs, violations]).toEqual([END_MS + LIVENESS_MS, []]);
    expect([...service.channels.values()].map((channel) => service.statusOf(channel))).toEqual(['playing', 'playing']);
  });

  it('is a Reeve that came back, with a disk that works', async () => {
    const full = at(9, 'disk', { target: '', variant: 0, forMs: 10 * HOUR_MS });
    const started: number[] = [];
    const { violations } = await run([full, at(9.1, 'crash')], {
      livenessMs: LIVENESS_MS,
      onBatch: ({ entries, atMs }) => {
        if (entries.some(({ fact }) => fact.type === 'reeve.started')) started.push(atMs);
      },
    });
    expect(violations).toEqual([]);
    expect(started).toHaveLength(2);
    expect(started[1]! - END_MS).toBeLessThan(MINUTE_MS);
  });

  it('is demanded of a machine that sleeps when it has woken', async () => {
    const asleep = at(9, 'suspend', { target: '', forMs: 3 * HOUR_MS });
    const down = at(9.1, 'reeve_crash', { target: '', variant: 0, forMs: 1 });
    const { violations, nowMs } = await run([asleep, down], { livenessMs: LIVENESS_MS });
    expect([violations, nowMs]).toEqual([[], 9 * MINUTE_MS + 3 * HOUR_MS + LIVENESS_MS]);
  });

  it('is broken where that comes too late', async () => {
    const down = at(9, 'reeve_crash', { target: '', variant: 0, forMs: 30 * MINUTE_MS });
    const { violations } = await run([down], { livenessMs: MINUTE_MS });
    expect(violations).toMatchObject([{ law: 'L2', because: expect.stringContaining('did not come back') }]);
    expect((await run([down])).violations).toEqual([]);
  });
});
