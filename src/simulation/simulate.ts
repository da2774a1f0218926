/** Runs one seed and reports. */
import type { EffectLog } from './effect_log.ts';
import { type Figures, figuresOf, type PolicyPage } from './figures.ts';
import type { Violation } from './invariants/invariants.ts';
import type { Injection, Scenario, ScenarioOptions } from './scenario.ts';
import { scenarioOf } from './scenario.ts';
import { Simulation } from './simulation.ts';
import type { SimulationEnd, SimulationOptions } from './simulation_options.ts';

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
export async function simulate(options: ScenarioOptions, how: SimulationOptions = {}): Promise<SimulationReport> {
  const script = scenarioOf(options);
  return reportOf(script, await new Simulation(script, how).run());
}

export function reportOf(script: Scenario, end: SimulationEnd): SimulationReport {
  const { record, service, nowMs, events, violations, traceSha256 } = end;
  const starts = record.invocations.flatMap(({ tool, channel, atMs, status, effect }) =>
    tool === 'restart_channel' && channel !== undefined ? [{ channel, atMs, status, process: effect }] : [],
  );
  const pages = pagesOf(record, nowMs);
  const { seed, days: virtualDays } = script;
  return { seed, events, virtualDays, violations, traceSha256, ...figuresOf({ service, starts, pages, nowMs }) };
}

/** What reached the person on call, and until when each page was open. */
export function pagesOf({ deliveries }: Pick<EffectLog, 'deliveries'>, nowMs: number): readonly PolicyPage[] {
  const own = deliveries.filter(({ receiver }) => receiver === 'pager');
  const untilMs = new Map<string, number>();
  const pages: PolicyPage[] = [];
  for (const { what, key, scope, atMs } of own.toReversed()) {
    if (what === 'trigger') pages.unshift({ scope, atMs, untilMs: untilMs.get(key) ?? nowMs });
    else if (what === 'resolve') untilMs.set(key, atMs);
  }
  return pages;
}
