import { type ScriptOptions, scriptOf } from './script.ts';
import { World, type WorldOptions } from './world.ts';
import type { Violation } from './laws/laws.ts';

export interface SimulationReport {
  readonly seed: number;
  readonly events: number;
  readonly virtualDays: number;
  readonly violations: readonly Violation[];
  readonly traceSha256: string;
  readonly restarts: number;
}

/** One seed from the beginning to the end. */
export async function simulate(options: ScriptOptions, how: WorldOptions = {}): Promise<SimulationReport> {
  const end = await new World(scriptOf(options), how).run();
  return {
    seed: options.seed,
    events: end.events,
    virtualDays: options.days,
    violations: end.violations,
    traceSha256: end.traceSha256,
    restarts: end.record.invocations.filter(({ tool }) => tool === 'restart_channel').length,
  };
}
