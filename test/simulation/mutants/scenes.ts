import type { Scenario, ScenarioOptions } from '../../../src/simulation/scenario.ts';
import { scenarioOf } from '../../../src/simulation/scenario.ts';
import { greedyPlanner, lookingPlanner, randomPlanner } from '../../../src/simulation/planners.ts';
import { shippedFiles } from '../../../src/simulation/shipped_files.ts';
import { Simulation } from '../../../src/simulation/simulation.ts';
import type { SimulationOptions } from '../../../src/simulation/simulation_options.ts';
import { EXPLORED, explore } from '../explore.ts';
import type { SceneName } from './mutants.ts';
import { variedScene } from './varied.ts';

interface Scene {
  readonly script: Omit<ScenarioOptions, 'seed'>;
  readonly how: SimulationOptions;
}

const greedy = (script: Scenario) => greedyPlanner(script).rulebook;
const looking = (script: Scenario) => lookingPlanner(script).rulebook;
const random = (script: Scenario) => randomPlanner(script).rulebook;

/** What an hour uses in which as much happens as in a month is no measure for the budget of a day. */
const RICH = { fleetDailyRestartCap: 1_000 };
/** An hour or so in which more happens than in a month: everything fails twenty times as often. */
const dense = { days: 0.04, calm: 0.04, swarm: false, phase: 4, limits: RICH } as const;
const hostile: SimulationOptions = { adversary: true, rulebook: greedy, livenessMs: 0 };
/** The shipped rules; of L6 nothing is asked where so few may start that most wait for a turn (an open finding). */
const patient: SimulationOptions = { rulebook: () => shippedFiles().rulebook, livenessMs: 0 };
const DEATHS = ['crash', 'freeze', 'storm'] as const;

const SCENES: Readonly<Record<Exclude<SceneName, 'explore' | 'property' | 'varied'>, Scene>> = {
  storm: { script: { ...dense, persona: 'lab', storm: true }, how: hostile },
  people: {
    script: { ...dense, persona: 'live_event', kinds: [...DEATHS, 'loop', 'operator'], calm: 0.02 },
    how: { ...hostile, livenessMs: 1_500_000 },
  },
  tight: {
    script: {
      ...dense,
      persona: 'lab',
      kinds: [...DEATHS, 'loop', 'misconfig', 'foreign', 'calls'],
      limits: { ...RICH, windowStartsMax: 2, breakerFailuresMax: 1, breakerOpenMs: 60_000, dailyRestartCap: 3 },
    },
    how: hostile,
  },
  budget: {
    script: { ...dense, persona: 'lab', kinds: [...DEATHS, 'loop'], limits: { fleetDailyRestartCap: 5 } },
    how: hostile,
  },
  rolling: {
    script: { ...dense, persona: 'lab', kinds: [...DEATHS, 'foreign', 'operator'], calm: 0.005 },
    how: hostile,
  },
  random: { script: { ...dense, persona: 'lab' }, how: { rulebook: random, livenessMs: 0 } },
  plain: { script: { ...dense, persona: 'system_admin', storm: true }, how: {} },
  wall: { script: { ...dense, persona: 'lab', kinds: [...DEATHS, 'loop', 'wall_jump'], calm: 0.01 }, how: hostile },
  pool: { script: { ...dense, persona: 'lab', kinds: [...DEATHS, 'pool'], calm: 0.02 }, how: hostile },
  looks: { script: { ...dense, persona: 'lab' }, how: { rulebook: looking, livenessMs: 0 } },
  deaf: {
    script: { ...dense, persona: 'system_admin', kinds: ['misconfig', 'outage', 'receiver'], calm: 0.01 },
    how: { livenessMs: 1_500_000 },
  },
  limbo: {
    script: { ...dense, persona: 'lab', kinds: ['crash', 'freeze', 'calls', 'reeve_crash'], calm: 0.005 },
    how: hostile,
  },
  asked: {
    script: { ...dense, persona: 'live_event', kinds: ['crash', 'freeze'], calm: 0.02 },
    how: { livenessMs: 1_500_000 },
  },
  staged: {
    script: {
      ...dense,
      persona: 'system_admin',
      channels: 24,
      kinds: ['storm', 'outage', 'crash'],
      storm: true,
      limits: { ...RICH, windowStartsMax: 4, stagedStartsPerMinuteMax: 6 },
    },
    how: patient,
  },
  witness: {
    script: { ...dense, persona: 'system_admin', kinds: ['storm', 'probe_noise'], calm: 0.008, storm: true },
    how: { livenessMs: 0 },
  },
  sources: {
    script: { ...dense, persona: 'system_admin', kinds: ['storm', 'outage', 'probe_noise'], calm: 0.008, storm: true },
    how: { livenessMs: 0 },
  },
  canary: {
    script: { ...dense, persona: 'system_admin', channels: 4, kinds: ['storm', 'calls'], storm: true },
    how: { livenessMs: 0 },
  },
  adapters: {
    script: { ...dense, persona: 'system_admin', kinds: [...DEATHS, 'outage', 'receiver', 'reeve_crash'], wired: true },
    how: { livenessMs: 1_500_000 },
  },
  media: {
    script: {
      ...dense,
      persona: 'system_admin',
      kinds: [...DEATHS, 'auth', 'empty_playout', 'stale_address', 'calls', 'one_way', 'reeve_crash'],
      wired: true,
    },
    how: { livenessMs: 1_500_000 },
  },
  probes: {
    script: { ...dense, persona: 'system_admin', storm: true, wired: true, probed: true },
    how: {},
  },
  shared: {
    script: {
      ...dense,
      persona: 'system_admin',
      kinds: ['auth', 'storm', 'outage', 'crash', 'stale_address', 'operator'],
      calm: 0.02,
      storm: true,
      sharedOrigin: true,
    },
    how: { livenessMs: 0 },
  },
  everything: {
    script: { ...dense, days: 0.06, persona: 'system_admin', channels: 12, cruel: true, sleeps: true },
    how: { livenessMs: 0 },
  },
  asked_group: {
    script: { ...dense, persona: 'live_event', kinds: ['storm', 'outage'], storm: true },
    how: { livenessMs: 0 },
  },
  crashes: {
    script: {
      ...dense,
      persona: 'lab',
      kinds: [...DEATHS, 'loop', 'calls', 'reeve_crash', 'operator'],
      calm: 0.015,
      limits: { ...RICH, windowStartsMax: 3, breakerFailuresMax: 2 },
    },
    how: hostile,
  },
};

/** What became of one scene. */
export interface Played {
  readonly violations: readonly { readonly law: string; readonly because: string }[];
  readonly virtualMs: number;
}

export async function play(scene: Exclude<SceneName, 'property'>, seed: number): Promise<Played> {
  if (scene === 'explore') {
    const { broken } = explore(7, EXPLORED[seed - 1] ?? 'narrow_window');
    return { virtualMs: 0, violations: broken === undefined ? [] : [broken] };
  }
  const { script, how } = scene === 'varied' ? variedScene(seed) : SCENES[scene];
  if (scene === 'wall') return againstTheWall(scenarioOf({ ...script, seed }), how);
  const { violations, nowMs } = await new Simulation(scenarioOf({ ...script, seed }), how).run();
  return { violations, virtualMs: nowMs };
}

/** T1: the same world with and without its wall clock jumping about must see the same calls at the same times. */
async function againstTheWall(script: Scenario, how: SimulationOptions): Promise<Played> {
  const calm = { ...script, injections: script.injections.filter(({ kind }) => kind !== 'wall_jump') };
  const quiet = { ...how, adversary: false };
  const [jumping, still] = [await new Simulation(script, quiet).run(), await new Simulation(calm, quiet).run()];
  const callsOf = ({ record }: typeof still): string => record.invocations.map((c) => `${c.atMs} ${c.channel}`).join();
  const differs = callsOf(jumping) !== callsOf(still);
  const t1 = differs ? [{ law: 'T1', because: 'calls depend on the wall clock' }] : [];
  return { violations: [...jumping.violations, ...t1], virtualMs: jumping.nowMs };
}
