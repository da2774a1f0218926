/** Shrinks a scenario that breaks a law. */
import type { Injection, Scenario } from './scenario.ts';
import { Simulation } from './simulation.ts';
import type { SimulationOptions } from './simulation_options.ts';
import { DAY_MS, HOUR_MS } from '../core/duration.ts';

const RUNS_MAX = 200;

/**
 * The smallest list of events that still breaks the same law: whole kinds go first, then ever smaller stretches, then
 * single events. Bounded in runs, so it may stop early; what it gives back always breaks the law.
 */
export async function shrink(script: Scenario, law: string, how: SimulationOptions = {}): Promise<Scenario> {
  let runs = 0;
  const breaks = async (smaller: Scenario): Promise<boolean> => {
    runs += 1;
    const { violations } = await new Simulation(smaller, how).run();
    return violations.some((one) => one.law === law);
  };
  let best = await shortened(script, breaks);
  for (const kind of script.kinds) {
    const without = withInjections(
      best,
      best.injections.filter((one) => one.kind !== kind),
    );
    if (without.injections.length < best.injections.length && (await breaks(without))) best = without;
  }
  for (let size = Math.ceil(best.injections.length / 2); size >= 1 && runs < RUNS_MAX; size = Math.floor(size / 2)) {
    for (let from = 0; from < best.injections.length && runs < RUNS_MAX; ) {
      const without = withInjections(best, best.injections.toSpliced(from, size));
      if (await breaks(without)) best = without;
      else from += size;
    }
  }
  return best;
}

/** Nothing that comes after the violation is needed. */
async function shortened(script: Scenario, breaks: (smaller: Scenario) => Promise<boolean>): Promise<Scenario> {
  for (const hours of [1, 3, 6, 12]) {
    const days = (hours * HOUR_MS) / DAY_MS;
    if (days >= script.days) continue;
    const shorter = { ...script, days, injections: script.injections.filter(({ atMs }) => atMs < days * DAY_MS) };
    if (await breaks(shorter)) return shorter;
  }
  return script;
}

const withInjections = (script: Scenario, injections: readonly Injection[]): Scenario => ({ ...script, injections });
