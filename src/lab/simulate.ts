import { type Figures, figuresOf } from './figures.ts';
import type { Violation } from './laws/laws.ts';
import type { Injection, Script, ScriptOptions } from './script.ts';
import { scriptOf } from './script.ts';
import { World, type WorldEnd, type WorldOptions } from './world.ts';

/** What one seed came to: what `reeve simulate --json` prints. */
export interface SimulationReport extends Figures {
  readonly seed: number;
  readonly events: number;
  readonly virtualDays: number;
  readonly violations: readonly Violation[];
  readonly traceSha256: string;
  /** Where a law was broken: the smallest list of events that still breaks it. */
  readonly minimised?: readonly Injection[];
}

/** One seed from the beginning to the end. */
export async function simulate(options: ScriptOptions, how: WorldOptions = {}): Promise<SimulationReport> {
  const script = scriptOf(options);
  return reportOf(script, await new World(script, how).run());
}

export function reportOf(script: Script, end: WorldEnd): SimulationReport {
  const { record, plant, nowMs, events, violations, traceSha256 } = end;
  const starts = record.invocations.flatMap(({ tool, channel, atMs, status }) =>
    tool === 'restart_channel' && channel !== undefined ? [{ channel, atMs, status }] : [],
  );
  const pages = record.deliveries.filter(({ what, receiver }) => what === 'trigger' && receiver === 'pager');
  const { seed, days: virtualDays } = script;
  return { seed, events, virtualDays, violations, traceSha256, ...figuresOf({ plant, starts, pages, nowMs }) };
}
