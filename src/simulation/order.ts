/** One simulation as it is ordered on the command line. */
import { createHash } from 'node:crypto';
import { canonicalJson } from '../core/wire.ts';
import { figuresOf } from './figures.ts';
import { hostileModel } from './hostile_models.ts';
import { greedyPlanner, randomPlanner } from './planners.ts';
import { COMPARED_CRUEL_KINDS, COMPARED_KINDS, runBaseline } from './baseline_policies.ts';
import { type Scenario, scenarioOf } from './scenario.ts';
import { shrink } from './shrink.ts';
import { reportOf, type SimulationReport } from './simulate.ts';
import { Simulation } from './simulation.ts';
import type { SimulationOptions } from './simulation_options.ts';

/** One simulation as the command line asks for it. */
export interface SimulationOrder {
  readonly seed: number;
  readonly days: number;
  readonly channels: number;
  readonly storm: boolean;
  /** So many times as long between two faults as in the densest world. */
  readonly calm: number;
  /** `model`: a hostile one goes before the rules. */
  readonly planner: 'rules' | 'random' | 'adversary' | 'model';
  /**
   * One that is named runs in the world that all of them are compared in: no fault is dropped, and none befalls Reeve
   * itself. Unnamed, it is Reeve among everything that can happen to it.
   */
  readonly policy: Policy | undefined;
  /** Encoders that start at once slow each other down. */
  readonly startCost?: boolean;
  /** The crueller world: more kinds of faults, and starts that cost something. */
  readonly cruel?: boolean;
  /** Groups, and engines where there are two, read from one origin. */
  readonly sharedOrigin?: boolean;
  /** The machine sleeps during half of the times in which Reeve is not running. */
  readonly sleeps?: boolean;
  /** Somebody holds one log, one ingest token and one status page. */
  readonly attacker?: boolean;
}

export type Policy = 'reeve' | 'none' | 'naive' | 'health_tasks' | 'monit';

const HOW: Readonly<Record<SimulationOrder['planner'], SimulationOptions>> = {
  rules: {},
  random: { rulebook: (script) => randomPlanner(script).rulebook },
  model: { hostile: (script) => hostileModel('moody', script) },
  adversary: { rulebook: (script) => greedyPlanner(script).rulebook, adversary: true },
};

/** What all policies are compared under: no fault is dropped, and none that only Reeve can have is there. */
export const compared = { kinds: COMPARED_KINDS, persona: 'system_admin', phase: 4, limits: {} } as const;

/** The same in the crueller world, where starts have their cost, too. */
export const comparedCruelly = { ...compared, kinds: COMPARED_CRUEL_KINDS, cruel: true } as const;

/** One policy in one world; `reeve` through the production code, without crashes or commands to it. */
export async function runPolicy(policy: Policy, script: Scenario): Promise<SimulationReport> {
  if (policy === 'reeve') return reportOf(script, await new Simulation(script, { livenessMs: 0 }).run());
  const end = runBaseline(policy, script);
  const { seed, days: virtualDays } = script;
  const figures = figuresOf(end);
  const traceSha256 = createHash('sha256')
    .update(canonicalJson([end.starts.map(({ channel, atMs }) => [channel, atMs]), end.pages, figures]))
    .digest('hex');
  return { seed, virtualDays, events: end.events, violations: [], traceSha256, ...figures };
}

/** Runs it; where a law is broken, also finds the smallest list of events that breaks it. */
export async function runOrder(order: SimulationOrder): Promise<SimulationReport> {
  const { policy, planner, attacker = false, ...world } = order;
  const isCompared = policy !== undefined;
  const cruel = world.cruel === true;
  const adapters = { wired: cruel && world.seed % 2 === 1, probed: cruel && world.seed % 8 === 1 };
  const kind = cruel ? comparedCruelly : compared;
  const script = scenarioOf({ ...world, ...(isCompared ? kind : adapters) });
  if (isCompared && policy !== 'reeve') return runPolicy(policy, script);
  const how: SimulationOptions = { ...HOW[planner], attacker, ...(isCompared ? { livenessMs: 0 } : {}) };
  const report = reportOf(script, await new Simulation(script, how).run());
  const [first] = report.violations;
  if (first === undefined) return report;
  const { injections } = await shrink(script, first.law, how);
  return { ...report, minimised: injections };
}
