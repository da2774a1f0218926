/**
 * `npm run policies`: every policy in the same worlds, as a table for the README and a chart (docs/policies.svg).
 * `--seeds 20 --days 7 --channels 200 --calm 30` is the whole run; smaller numbers give a quicker look.
 * Uses every core unless `--workers` says otherwise.
 */
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { compared, runPolicy } from '../src/simulation/order.ts';
import { scenarioOf } from '../src/simulation/scenario.ts';
import type { SimulationReport } from '../src/simulation/simulate.ts';
import { overSeeds, type Share, shareOfThis, tell, workersFor } from './seeds.ts';

const POLICIES = ['none', 'naive', 'health_tasks', 'monit', 'reeve'] as const;
type Policy = (typeof POLICIES)[number];

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '20' },
    from: { type: 'string', default: '1' },
    days: { type: 'string', default: '7' },
    channels: { type: 'string', default: '200' },
    calm: { type: 'string', default: '30' },
    out: { type: 'string', default: 'docs' },
    workers: { type: 'string' },
    /** A line of JSON for each seed as soon as it is done: what a long run came to when it is cut short. */
    save: { type: 'string' },
    /** Runs nothing: table and chart of what `--save` kept. */
    read: { type: 'string' },
  },
});

interface Row {
  readonly policy: Policy;
  readonly p50: number;
  readonly p95: number;
  readonly restarts: number;
  readonly needless: number;
  readonly storms: number;
  readonly dark: number;
  readonly pages: number;
  readonly missed: number;
}

interface Told {
  readonly seed: number;
  readonly reports: Readonly<Record<Policy, SimulationReport>>;
}

/** In a worker: its own seeds under every policy, each told as soon as it is done. */
async function work({ first, count, step }: Share): Promise<void> {
  for (let seed = first; seed < first + count * step; seed += step) {
    const size = { days: Number(values.days), channels: Number(values.channels), calm: Number(values.calm) };
    const script = scenarioOf({ seed, ...size, ...compared });
    const reports: Partial<Record<Policy, SimulationReport>> = {};
    for (const policy of POLICIES) reports[policy] = await runPolicy(policy, script);
    tell({ seed, reports });
  }
}

const savedIn = (file: string): readonly Told[] =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Told);

async function measure(): Promise<readonly Told[]> {
  const told: Told[] = [];
  const seeds = Number(values.seeds);
  const share = { first: Number(values.from), seeds, workers: workersFor(values.workers, seeds) };
  await overSeeds(import.meta.filename, share, (message) => {
    told.push(message as Told);
    if (values.save !== undefined) appendFileSync(values.save, `${JSON.stringify(message)}\n`);
    process.stderr.write(`seed ${(message as Told).seed}: ${told.length} of ${seeds}\n`);
    return false;
  });
  return told.sort((a, b) => a.seed - b.seed);
}

function rowOf(policy: Policy, all: readonly SimulationReport[]): Row {
  const sum = (of: (report: SimulationReport) => number): number => all.reduce((total, one) => total + of(one), 0);
  const mean = (of: (report: SimulationReport) => number): number => sum(of) / all.length;
  const broken = all.flatMap(({ violations }) => violations);
  if (broken.length > 0) throw new Error(`a law was broken: ${JSON.stringify(broken[0])}`);
  return {
    policy,
    p50: mean(({ mttrS }) => mttrS.p50),
    p95: mean(({ mttrS }) => mttrS.p95),
    restarts: sum((one) => one.restarts),
    needless: sum((one) => one.unnecessaryRestarts),
    storms: sum((one) => one.storms),
    dark: sum((one) => one.darkViewerSeconds),
    pages: sum((one) => one.escalations),
    missed: sum((one) => one.missedEscalations),
  };
}

function tableOf(rows: readonly Row[]): string {
  const head = '| policy | recovery p50 / p95 | restarts | needless | storms | dark viewer-hours | pages | missed |';
  const lines = rows.map(({ policy, p50, p95, restarts, needless, storms, dark, pages, missed }) => {
    const hours = (dark / 3_600).toFixed(0);
    return `| ${policy} | ${p50.toFixed(0)} s / ${p95.toFixed(0)} s | ${restarts} | ${needless} | ${storms} | ${hours} | ${pages} | ${missed} |`;
  });
  return [head, '|---|---|---|---|---|---|---|---|', ...lines].join('\n');
}

const WIDTH = 760;
const BAR = 18;
const PANELS = [
  { title: 'needless restarts', of: (row: Row) => row.needless },
  { title: 'storms (more than 10 starts in 60 s)', of: (row: Row) => row.storms },
  { title: 'dark viewer-hours', of: (row: Row) => row.dark / 3_600 },
  { title: 'channels dark for 10 min of which nobody was told', of: (row: Row) => row.missed },
] as const;

/** Bars that can be read without colour: each carries its name and its number. */
function chartOf(rows: readonly Row[], caption: string): string {
  const panel = 34 + rows.length * (BAR + 6);
  const parts = PANELS.map(({ title, of }, at) => {
    const top = 40 + at * panel;
    const max = Math.max(1, ...rows.map(of));
    const bars = rows.map((row, line) => {
      const y = top + 24 + line * (BAR + 6);
      const width = Math.round((of(row) / max) * (WIDTH - 260));
      const fill = row.policy === 'reeve' ? '#1f6f54' : '#8a94a0';
      return (
        `<text x="110" y="${y + 13}" text-anchor="end">${row.policy}</text>` +
        `<rect x="120" y="${y}" width="${Math.max(1, width)}" height="${BAR}" fill="${fill}"/>` +
        `<text x="${128 + width}" y="${y + 13}">${Math.round(of(row)).toLocaleString('en')}</text>`
      );
    });
    return `<text x="120" y="${top + 14}" font-weight="bold">${title}</text>${bars.join('')}`;
  });
  const height = 56 + PANELS.length * panel;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" font-family="sans-serif" font-size="13"`,
    ` role="img" aria-label="${caption}"><rect width="100%" height="100%" fill="#ffffff"/>`,
    `<text x="120" y="24">${caption}</text>${parts.join('')}</svg>\n`,
  ].join('');
}

async function main(): Promise<void> {
  const told = values.read === undefined ? await measure() : savedIn(values.read);
  const reportsOf = (policy: Policy) => told.map(({ reports }) => reports[policy]);
  const rows = POLICIES.map((policy) => rowOf(policy, reportsOf(policy)));
  const caption = `${told.length} seeds × ${values.days} days × ${values.channels} channels`;
  const out = resolve(values.out);
  mkdirSync(out, { recursive: true });
  writeFileSync(resolve(out, 'policies.svg'), chartOf(rows, caption));
  process.stdout.write(`${caption}\n\n${tableOf(rows)}\n`);
}

const share = shareOfThis();
await (share === undefined ? main() : work(share));
