import type { ScenarioOptions } from '../../../src/simulation/scenario.ts';
import { greedyPlanner, lookingPlanner, randomPlanner } from '../../../src/simulation/planners.ts';
import { fractionOf } from '../../../src/simulation/random_streams.ts';
import type { Scenario } from '../../../src/simulation/scenario.ts';
import type { SimulationOptions } from '../../../src/simulation/simulation_options.ts';

type Script = Omit<ScenarioOptions, 'seed'>;

const RICH = { fleetDailyRestartCap: 1_000 };
const PERSONAS = ['system_admin', 'system_admin', 'live_event', 'cautious', 'lab', 'watcher'] as const;
const LIMITS: readonly NonNullable<Script['limits']>[] = [
  {},
  RICH,
  { ...RICH, windowStartsMax: 2 },
  { ...RICH, windowStartsMax: 4, stagedStartsPerMinuteMax: 6 },
  { ...RICH, breakerFailuresMax: 1, breakerOpenMs: 60_000 },
  { ...RICH, highRiskSpacingMs: 120_000, restartCooldownMs: 90_000 },
  { fleetDailyRestartCap: 5 },
];
/** Who plans for the persona that allows everything. */
const PLANNERS: readonly SimulationOptions[] = [
  {},
  { adversary: true, rulebook: (script: Scenario) => greedyPlanner(script).rulebook },
  { rulebook: (script: Scenario) => randomPlanner(script).rulebook },
  { rulebook: (script: Scenario) => lookingPlanner(script).rulebook },
];

/**
 * Some ninety minutes in which everything may happen, to a service of another size, with another persona, other limits
 * and another planner by each seed.
 */
export function variedScene(seed: number): { readonly script: Script; readonly how: SimulationOptions } {
  const lot = (what: number): number => fractionOf(seed, what);
  const pick = <T>(what: number, all: readonly T[]): T => all[Math.floor(lot(what) * all.length)]!;
  const persona = pick(1, PERSONAS);
  const wired = lot(2) < 0.25;
  const script: Script = {
    persona,
    wired,
    ...{ days: 0.06, calm: pick(3, [0.01, 0.02, 0.04, 0.08]), swarm: lot(4) < 0.3, storm: lot(5) < 0.4 },
    ...{ channels: pick(6, [4, 6, 8, 12, 16, 24]), phase: pick(7, [4, 4, 4, 3, 2]), limits: pick(8, LIMITS) },
    ...{ cruel: lot(9) < 0.9, sleeps: lot(10) < 0.5, sharedOrigin: lot(11) < 0.3, probed: wired && lot(12) < 0.2 },
  };
  const planner = persona === 'lab' ? pick(13, PLANNERS) : {};
  return { script, how: { ...planner, livenessMs: lot(14) < 0.5 ? 0 : 1_500_000 } };
}
