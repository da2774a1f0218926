import { scriptOf } from './script.ts';
import { shrink } from './shrink.ts';
import { reportOf, type SimulationReport } from './simulate.ts';
import { World, type WorldOptions } from './world.ts';

/** One simulation as the command line asks for it. */
export interface SimulationOrder {
  readonly seed: number;
  readonly days: number;
  readonly channels: number;
  readonly storm: boolean;
  readonly planner: 'rules' | 'random' | 'adversary';
  readonly policy: 'reeve' | 'none' | 'naive' | 'health_tasks' | 'monit';
}

/** Runs it; where a law is broken, also finds the smallest list of events that breaks it. */
export async function runOrder(order: SimulationOrder): Promise<SimulationReport> {
  const { seed, days, channels, storm } = order;
  const script = scriptOf({ seed, days, channels, storm });
  const how: WorldOptions = {};
  const report = reportOf(script, await new World(script, how).run());
  const [first] = report.violations;
  if (first === undefined) return report;
  const { injections } = await shrink(script, first.law, how);
  return { ...report, minimised: injections };
}
