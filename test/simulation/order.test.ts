import { describe, expect, it } from 'vitest';
import { compared, comparedCruelly, runOrder, runPolicy, type SimulationOrder } from '../../src/simulation/order.ts';
import { COMPARED_CRUEL_KINDS, COMPARED_KINDS } from '../../src/simulation/baseline_policies.ts';
import { hostileModel } from '../../src/simulation/hostile_models.ts';
import { greedyPlanner, randomPlanner } from '../../src/simulation/planners.ts';
import { reportOf } from '../../src/simulation/simulate.ts';
import { Simulation } from '../../src/simulation/simulation.ts';
import type { SimulationOptions } from '../../src/simulation/simulation_options.ts';
import { scenarioOf } from '../../src/simulation/scenario.ts';

const order = (with_: Partial<SimulationOrder> = {}): SimulationOrder => ({
  ...{ seed: 1, days: 0.006, channels: 2, storm: false, calm: 0.05, planner: 'rules', policy: undefined, ...with_ },
});

describe('an order that names a policy', () => {
  it('is run in the world that all policies are compared in', () => {
    expect(compared).toMatchObject({ persona: 'system_admin', phase: 4, limits: {}, kinds: COMPARED_KINDS });
    expect(comparedCruelly).toMatchObject({ persona: 'system_admin', cruel: true, kinds: COMPARED_CRUEL_KINDS });
  });

  it('of another tool runs that, and breaks no law of Reeve', async () => {
    const report = await runOrder(order({ policy: 'naive' }));
    const { seed, days, channels, storm, calm } = order();
    expect(report).toEqual(await runPolicy('naive', scenarioOf({ seed, days, channels, storm, calm, ...compared })));
    expect(report).toMatchObject({
      seed: 1,
      virtualDays: 0.006,
      violations: [],
      traceSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    expect(report.restarts).toBeGreaterThan(0);
    expect(await runOrder(order({ policy: 'none' }))).toMatchObject({ restarts: 0 });
  });

  it('is distinguished from one in the crueller world, and from one of another seed', async () => {
    const reports = [order(), order({ cruel: true }), order({ seed: 2 }), order({ startCost: true })].map((one) =>
      runOrder({ ...one, policy: 'naive' }),
    );
    const traces = (await Promise.all(reports)).map(({ traceSha256 }) => traceSha256);
    expect(new Set(traces).size).toBe(4);
  });

  it('of Reeve runs the daemon, which meets what the others meet', async () => {
    const report = await runOrder(order({ policy: 'reeve' }));
    expect(report).toMatchObject({ violations: [], virtualDays: 0.006 });
    expect(report.minimised).toBeUndefined();
    const { seed, days, channels, storm, calm } = order();
    expect(await runPolicy('reeve', scenarioOf({ seed, days, channels, storm, calm, ...compared }))).toEqual(report);
    expect(await runOrder(order({ policy: 'reeve' }))).toEqual(report);
  });
});

describe('an order that names none', () => {
  it.each<[SimulationOrder['planner'], SimulationOptions]>([
    ['rules', {}],
    ['random', { rulebook: (script) => randomPlanner(script).rulebook }],
    ['model', { hostile: (script) => hostileModel('moody', script) }],
    ['adversary', { rulebook: (script) => greedyPlanner(script).rulebook, adversary: true }],
  ])('is run with the planner that it says: %s', async (planner, how) => {
    const { policy: _, planner: __, ...world } = order();
    const script = scenarioOf({ ...world, wired: false });
    expect(await runOrder(order({ planner }))).toEqual(reportOf(script, await new Simulation(script, how).run()));
  });

  it('reaches engines through the adapter in every second cruel world, and looks with real probes in every eighth', async () => {
    const traceOf = async (seed: number) => {
      const { policy: _, planner: __, ...world } = order({ seed, cruel: true });
      const script = scenarioOf({ ...world, wired: seed % 2 === 1, probed: seed % 8 === 1 });
      return reportOf(script, await new Simulation(script).run()).traceSha256;
    };
    for (const seed of [1, 2, 3]) {
      expect((await runOrder(order({ seed, cruel: true }))).traceSha256).toBe(await traceOf(seed));
    }
  });

  it('may have an attacker besides', async () => {
    const quiet = await runOrder(order());
    const attacked = await runOrder(order({ attacker: true }));
    expect(attacked.traceSha256).not.toBe(quiet.traceSha256);
    expect([quiet.violations, attacked.violations]).toEqual([[], []]);
  });
});
