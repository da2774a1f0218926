import { describe, expect, it } from 'vitest';
import { greedyPlanner, lookingPlanner, type Planner, randomPlanner } from '../../src/simulation/planners.ts';
import { type Scenario, scenarioOf } from '../../src/simulation/scenario.ts';
import { Simulation } from '../../src/simulation/simulation.ts';

const PLANNERS: readonly (readonly [string, (script: Scenario) => Planner])[] = [
  ['draws from the grammar of all plans, and random bytes', randomPlanner],
  ['wants restarts and nothing else', greedyPlanner],
  ['only looks, for ever', lookingPlanner],
];

describe('a hostile planner (S12)', () => {
  it.each(PLANNERS)('that %s keeps every law', { timeout: 120_000 }, async (_, planner) => {
    for (const seed of [1, 2]) {
      const script = scenarioOf({ seed, days: 0.1, calm: 0.1, swarm: false, phase: 4, persona: 'lab' });
      const hostile = planner(script);
      const { violations } = await new Simulation(script, { rulebook: () => hostile.rulebook }).run();
      expect({ seed, violations }).toEqual({ seed, violations: [] });
      expect(hostile.plans()).toBeGreaterThan(20);
    }
  });

  it('that asks the guard at any time with forged evidence keeps every law over 10,000 plans', {
    timeout: 240_000,
  }, async () => {
    let plans = 0;
    for (let seed = 1; plans < 10_000; seed += 1) {
      const persona = seed % 2 === 0 ? 'live_event' : 'lab';
      const script = scenarioOf({ seed, days: 0.08, calm: 0.05, swarm: false, phase: 4, persona });
      const how = { adversary: true, rulebook: () => greedyPlanner(script).rulebook, livenessMs: 0 };
      const end = await new Simulation(script, how).run();
      expect({ seed, violations: end.violations }).toEqual({ seed, violations: [] });
      plans += end.plans;
    }
    console.info(`${plans} plans`);
  });
});
