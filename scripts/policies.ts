/**
 * `npm run policies`: every policy in the same worlds, as tables and a chart. The whole run is 100 worlds of 7 days and
 * 200 channels; `--quick` is 12 worlds of 2 days and 60 channels, for every day. `--write` puts the tables into
 * docs/simulation.md and README.md and draws docs/policies.svg. Uses every core unless `--workers` says otherwise.
 */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { compared, comparedCruelly, runPolicy } from '../src/simulation/order.ts';
import { type Scenario, scenarioOf } from '../src/simulation/scenario.ts';
import type { SimulationReport } from '../src/simulation/simulate.ts';
import {
  chartOf,
  POLICIES,
  type PolicyName,
  replaceBetween,
  rowOf,
  spreadTable,
  sumsTable,
  type World,
} from './policy_table.ts';
import { overSeeds, type Share, shareOfThis, tell, workersFor } from './seeds.ts';
import { optionsOf } from './options.ts';

const values = optionsOf(import.meta.filename, {
  quick: { type: 'boolean', default: false },
  seeds: { type: 'string' },
  from: { type: 'string', default: '1' },
  days: { type: 'string' },
  channels: { type: 'string' },
  calm: { type: 'string' },
  /** Encoders that start at once slow each other down, as measured. */
  'start-cost': { type: 'boolean', default: false },
  /** The crueller world, start cost included. */
  cruel: { type: 'boolean', default: false },
  write: { type: 'boolean', default: false },
  workers: { type: 'string' },
  /** A line of JSON for each seed as soon as it is done: what a long run came to when it is cut short. */
  save: { type: 'string' },
  /** Runs nothing: tables and chart of what `--save` kept. May be given several times. */
  read: { type: 'string', multiple: true },
});

const SIZE = values.quick
  ? { seeds: 12, days: 2, channels: 60, calm: 15 }
  : { seeds: 100, days: 7, channels: 200, calm: 30 };
const asked = (name: keyof typeof SIZE): number => Number(values[name] ?? SIZE[name]);
const ROOT = resolve(import.meta.dirname, '..');

function worldOf(seed: number): Scenario {
  const size = { days: asked('days'), channels: asked('channels'), calm: asked('calm') };
  const kind = values.cruel ? comparedCruelly : compared;
  return scenarioOf({ seed, ...size, startCost: values['start-cost'], ...kind });
}

/** In a worker: its own seeds under every policy, each reported as soon as it is done. */
async function work({ first, count, step }: Share): Promise<void> {
  for (let seed = first; seed < first + count * step; seed += step) {
    const script = worldOf(seed);
    const reports: Partial<Record<PolicyName, SimulationReport>> = {};
    for (const policy of POLICIES) reports[policy] = await runPolicy(policy, script);
    tell({ seed, reports });
  }
}

const savedIn = (file: string): readonly World[] =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as World);

async function measure(): Promise<readonly World[]> {
  const worlds: World[] = [];
  const seeds = asked('seeds');
  const share = { first: Number(values.from), seeds, workers: workersFor(values.workers, seeds) };
  await overSeeds(import.meta.filename, share, (message) => {
    const world = message as World;
    worlds.push(world);
    if (values.save !== undefined) appendFileSync(values.save, `${JSON.stringify(world)}\n`);
    process.stderr.write(`seed ${world.seed}: ${worlds.length} of ${seeds}\n`);
    return false;
  });
  return worlds;
}

/** Figures of a run in which a law was broken are not shown. */
function expectLawful(worlds: readonly World[]): void {
  for (const { seed, reports } of worlds) {
    const [broken] = reports.reeve.violations;
    if (broken !== undefined) throw new Error(`seed ${seed} broke a law: ${JSON.stringify(broken)}`);
  }
}

/**
 * Where a persona lets nothing be restarted, the other policies, which know no persona, start it all the same: how the
 * worlds lie without that.
 */
function withoutUntouchable(worlds: readonly World[]): string {
  const those = worlds.filter(({ seed }) => !worldOf(seed).channels.some(({ untouchable }) => untouchable === true));
  if (those.length === worlds.length || those.length === 0) return '';
  return `\n\nThe ${those.length} of these worlds in which every channel may be restarted:\n\n${spreadTable(those)}`;
}

/** Each kind of world has its own place in the page; the plain one is in the README and has the chart. */
function write(text: string, chart: string): void {
  const name = values.cruel ? 'policies: cruel' : values['start-cost'] ? 'policies: start cost' : 'policies';
  for (const page of name === 'policies' ? ['README.md', 'docs/simulation.md'] : ['docs/simulation.md']) {
    const file = resolve(ROOT, page);
    writeFileSync(file, replaceBetween(readFileSync(file, 'utf8'), name, text));
  }
  if (name === 'policies') writeFileSync(resolve(ROOT, 'docs/policies.svg'), chart);
}

async function main(): Promise<void> {
  const found = values.read === undefined ? await measure() : values.read.flatMap(savedIn);
  const worlds = found.toSorted((a, b) => a.seed - b.seed);
  expectLawful(worlds);
  const rows = POLICIES.map((policy) => rowOf(policy, worlds));
  const [seeds, days] = [worlds.length, worlds[0]?.reports.reeve.virtualDays];
  const caption = `${seeds} worlds × ${days} days × ${asked('channels')} channels`;
  const text = `${caption}:\n\n${sumsTable(rows)}\n\n${spreadTable(worlds)}${withoutUntouchable(worlds)}`;
  process.stdout.write(`${text}\n`);
  if (values.write) write(text, chartOf(rows, caption));
}

const share = shareOfThis();
await (share === undefined ? main() : work(share));
