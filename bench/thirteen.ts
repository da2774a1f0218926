// What watching thirteen real channels costs: ffmpeg under supervisord, HLS over HTTP, an origin that four of them pull
// from. Nine outputs and four sources are looked at; of four channels only logs and supervisor are.
// Usage: node bench/thirteen.ts [--seconds 180] [--settle-seconds 90] [--checkout] [--home DIR]
//   [--faults 20]: faults for so many minutes after that, what the daemon's memory does meanwhile, and the cost after it.
//   [--json]: the figures alone, as one line of JSON.
import { cpus, loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startReeve } from '../demo/reeve.ts';
import { openStage, type Stage } from '../demo/stage.ts';
import { builtPackage } from './package.ts';
import { figuresOf } from './process_figures.ts';
import { quantile, sayRow, stolenSeconds } from './rows.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '180' },
    'settle-seconds': { type: 'string', default: '90' },
    faults: { type: 'string', default: '0' },
    checkout: { type: 'boolean', default: false },
    home: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});
const GENERATED = 9;
const PULLED = 4;
const UNWATCHED = ['gen6', 'gen7', 'gen8', 'gen9'];
const SAMPLE_MS = 5_000;

/** What healthy channels cost; counts are per second. */
interface Cost {
  readonly cpuPercent: number;
  readonly wakeUps: number;
  readonly wakeUpsAll: number;
  readonly rssMb: number;
  readonly stolenPercent: number;
}

/** What the daemon's memory does while faults come one after another. */
interface Growth {
  readonly faults: number;
  /** Medians of the second and of the last quarter of the time. */
  readonly earlyMb: number;
  readonly lateMb: number;
  readonly maxMb: number;
}

/** What is done to whom, in turn. */
const FAULTS: readonly ((stage: Stage) => Promise<void>)[] = [
  ({ faults }) => faults.killed('gen1'),
  ({ faults }) => faults.frozen('gen2'),
  ({ faults }) => faults.origin('pull1', '403'),
  ({ faults }) => faults.crashed('gen3'),
  ({ faults }) => faults.origin('pull2', 'stall'),
  ({ faults }) => faults.badSetting('gen4'),
  ({ faults }) => faults.origin('pull3', 'corrupt'),
  ({ faults }) => faults.killed('gen6'),
  ({ faults }) => faults.origin('pull4', 'refuse'),
];
/** How long a cause stays, and how long there is none. */
const FAULT_MS = 25_000;
const CALM_MS = 15_000;
const GROWTH_MAX_MB = 5;

const settle = (): Promise<void> => sleep(Number(values['settle-seconds']) * 1_000);
const home = values.home ?? (values.checkout ? resolve(import.meta.dirname, '..') : builtPackage());
{
  await using stage = await openStage({ generated: GENERATED, pulled: PULLED });
  await using reeve = await startReeve(stage, { program: join(home, 'bin/reeve.js'), unwatched: UNWATCHED });
  if (!(await reeve.sawAllPlay())) throw new Error('the daemon did not see every channel play');
  const { pid } = reeve.child;
  await settle();
  const healthy = await costOf(pid);
  const minutes = Number(values.faults);
  const growth = minutes > 0 ? await growthOf(pid, stage, minutes) : undefined;
  if (growth !== undefined) await settle();
  const after = growth === undefined ? undefined : await costOf(pid);
  if (values.json) console.log(JSON.stringify({ ...healthy, growth, after }));
  else report({ healthy, growth, after });
}

async function costOf(pid: number): Promise<Cost> {
  const seconds = Number(values.seconds);
  const [before, stolen] = [figuresOf(pid), stolenSeconds()];
  const sizes = await sizesOf(pid, seconds * 1_000);
  const after = figuresOf(pid);
  return {
    cpuPercent: ((after.cpuSeconds - before.cpuSeconds) / seconds) * 100,
    wakeUps: (after.wakeUps - before.wakeUps) / seconds,
    wakeUpsAll: (after.wakeUpsAll - before.wakeUpsAll) / seconds,
    rssMb: Math.max(...sizes),
    stolenPercent: ((stolenSeconds() - stolen) / seconds) * 100,
  };
}

/** The process's memory every few seconds, for so long. */
async function sizesOf(pid: number, forMs: number): Promise<number[]> {
  const sizes: number[] = [];
  for (let leftMs = forMs; leftMs > 0; leftMs -= SAMPLE_MS) {
    await sleep(Math.min(leftMs, SAMPLE_MS));
    sizes.push(figuresOf(pid).rssMb);
  }
  return sizes;
}

async function growthOf(pid: number, stage: Stage, minutes: number): Promise<Growth> {
  const sizes: number[] = [];
  const untilMs = Date.now() + minutes * 60_000;
  let faults = 0;
  for (; Date.now() < untilMs; faults += 1) {
    await FAULTS[faults % FAULTS.length]!(stage);
    sizes.push(...(await sizesOf(pid, FAULT_MS)));
    await stage.faults.clear();
    sizes.push(...(await sizesOf(pid, CALM_MS)));
  }
  const quarter = (nth: number): number[] => sizes.slice((sizes.length * (nth - 1)) / 4, (sizes.length * nth) / 4);
  const median = (of: readonly number[]): number =>
    quantile(
      of.toSorted((a, b) => a - b),
      0.5,
    );
  return { faults, earlyMb: median(quarter(2)), lateMb: median(quarter(4)), maxMb: Math.max(...sizes) };
}

interface Report {
  readonly healthy: Cost;
  readonly growth: Growth | undefined;
  readonly after: Cost | undefined;
}

function report({ healthy, growth, after }: Report): void {
  const stolen = healthy.stolenPercent.toFixed(1);
  console.log(
    `machine: ${cpus().length} × ${cpus()[0]?.model}, load ${loadavg()[0]?.toFixed(1)}, ${stolen} % of a core stolen`,
  );
  console.log(`${values.seconds} s after ${values['settle-seconds']} s`);
  sayCost('thirteen real channels', healthy);
  if (growth === undefined || after === undefined) return;
  const part = `${growth.faults} faults in ${values.faults} minutes`;
  const grown = growth.lateMb - growth.earlyMb;
  const figure = `${growth.earlyMb.toFixed(1)} → ${growth.lateMb.toFixed(1)} MB, at most ${growth.maxMb.toFixed(1)}`;
  const [goal, met] = [`no growth (≤ ${GROWTH_MAX_MB} MB)`, grown <= GROWTH_MAX_MB];
  sayRow({ part, measure: 'RSS, second quarter → last', figure, goal, met });
  sayCost('after the faults', after);
}

function sayCost(part: string, { cpuPercent, rssMb, wakeUps, wakeUpsAll }: Cost): void {
  const cpu = `${cpuPercent.toFixed(2)} % of a core`;
  sayRow({ part, measure: 'CPU', figure: cpu, goal: '≤ 0.5 % of a core', met: cpuPercent <= 0.5 });
  sayRow({ part, measure: 'RSS', figure: `${rssMb.toFixed(1)} MB`, goal: '≤ 115 MB', met: rssMb <= 115 });
  const woken = `${wakeUps.toFixed(1)}/s (${wakeUpsAll.toFixed(1)} of all threads)`;
  sayRow({ part, measure: 'wake-ups', figure: woken, goal: '–', met: undefined });
}
