/**
 * `npm run downtime`: where the lost viewer-hours of two policies come from, by the kind of fault, in the worlds of
 * `npm run policies`. An interval of downtime belongs to the last fault that concerned its channel; "other" has none
 * near it.
 */
import type { Episode } from '../src/simulation/downtime.ts';
import { compared, comparedCruelly } from '../src/simulation/order.ts';
import type { ServiceModel, ServiceChannel } from '../src/simulation/service_model.ts';
import { runBaseline } from '../src/simulation/baseline_policies.ts';
import { type Injection, type Scenario, scenarioOf } from '../src/simulation/scenario.ts';
import { Simulation } from '../src/simulation/simulation.ts';
import { overSeeds, shareOfThis, tell, workersFor } from './seeds.ts';
import { HOUR_MS } from '../src/core/duration.ts';
import { optionsOf } from './options.ts';

const values = optionsOf(import.meta.filename, {
  seeds: { type: 'string', default: '20' },
  from: { type: 'string', default: '1' },
  days: { type: 'string', default: '7' },
  channels: { type: 'string', default: '200' },
  calm: { type: 'string', default: '30' },
  'start-cost': { type: 'boolean', default: false },
  /** The crueller world, start cost included. */
  cruel: { type: 'boolean', default: false },
  workers: { type: 'string' },
});

/** A trouble may show itself this long after the fault that brought it. */
const NEAR_MS = 120_000;

/** Its persona lets nothing be restarted, whatever the fault: Reeve pages, and the other policies know no persona. */
const UNTOUCHABLE = 'any, on a channel that may not be restarted';

type Hours = Record<string, number>;

function causeOf({ channel, fromMs }: Episode, { plan }: ServiceChannel, { injections }: Scenario): string {
  const isNear = ({ atMs, forMs }: Injection): boolean =>
    atMs <= fromMs + 1 && fromMs <= atMs + Math.max(forMs, NEAR_MS);
  const touches = ({ target, kind }: Injection): boolean =>
    !kind.startsWith('probe') && ['', channel, plan.group, plan.engine].includes(target);
  return injections.findLast((one) => isNear(one) && touches(one))?.kind ?? 'other';
}

function hoursBy(service: ServiceModel, script: Scenario, nowMs: number): Hours {
  const hours: Hours = {};
  for (const episode of service.downtime.episodes) {
    const channel = service.at(episode.channel);
    const kind = channel.plan.untouchable === true ? UNTOUCHABLE : causeOf(episode, channel, script);
    hours[kind] = (hours[kind] ?? 0) + (((episode.toMs ?? nowMs) - episode.fromMs) / HOUR_MS) * channel.viewers;
  }
  return hours;
}

async function work(first: number, count: number, step: number): Promise<void> {
  for (let seed = first; seed < first + count * step; seed += step) {
    const size = { days: Number(values.days), channels: Number(values.channels), calm: Number(values.calm) };
    const script = scenarioOf({
      ...{ seed, ...size, startCost: values['start-cost'] },
      ...(values.cruel ? comparedCruelly : compared),
    });
    const naive = runBaseline('naive', script);
    const reeve = await new Simulation(script, { livenessMs: 0 }).run();
    tell([hoursBy(naive.service, script, naive.nowMs), hoursBy(reeve.service, script, reeve.nowMs)]);
  }
}

async function main(): Promise<void> {
  const sums: [Hours, Hours] = [{}, {}];
  const seeds = Number(values.seeds);
  const share = { first: Number(values.from), seeds, workers: workersFor(values.workers, seeds) };
  await overSeeds(import.meta.filename, share, (message) => {
    for (const [at, hours] of (message as [Hours, Hours]).entries())
      for (const [kind, more] of Object.entries(hours)) sums[at]![kind] = (sums[at]![kind] ?? 0) + more;
    return false;
  });
  const [naive, reeve] = sums;
  const kinds = [...new Set([...Object.keys(naive), ...Object.keys(reeve)])];
  const rows = kinds.map((kind) => ({ kind, naive: naive[kind] ?? 0, reeve: reeve[kind] ?? 0 }));
  rows.sort((a, b) => b.reeve - b.naive - (a.reeve - a.naive));
  console.log('| fault | naive | Reeve | difference |\n|---|---|---|---|');
  for (const { kind, ...of } of rows)
    console.log(`| ${kind} | ${of.naive.toFixed(0)} | ${of.reeve.toFixed(0)} | ${(of.reeve - of.naive).toFixed(0)} |`);
}

const mine = shareOfThis();
if (mine === undefined) await main();
else await work(mine.first, mine.count, mine.step);
