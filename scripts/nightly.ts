/**
 * `npm run nightly`: a hundred thousand small worlds over all cores, each with another half of the faults, another size
 * and another planner. Ends with 1 at the first broken law, after it was made as small as it can be.
 * Then each parser of bytes from outside is tried on 20,000 inputs (scripts/fuzz.ts).
 * `--from 4711 --seeds 1 --workers 1` plays one of them again.
 */
import { execFileSync } from 'node:child_process';
import { runOrder, type SimulationOrder } from '../src/simulation/order.ts';
import type { SimulationReport } from '../src/simulation/simulate.ts';
import { fuzz } from './fuzz.ts';
import { overSeeds, type Share, shareOfThis, tell, workersFor } from './seeds.ts';
import { optionsOf } from './options.ts';

const values = optionsOf(import.meta.filename, {
  from: { type: 'string', default: '1' },
  seeds: { type: 'string', default: '100000' },
  workers: { type: 'string' },
  /** In the crueller world. */
  cruel: { type: 'boolean', default: false },
  /** In a world whose groups read from one origin. */
  'shared-origin': { type: 'boolean', default: false },
  /** On a machine that sleeps while Reeve is not running. */
  sleeps: { type: 'boolean', default: false },
  /** With an attacker who holds one log, one ingest token and one status page. */
  attacker: { type: 'boolean', default: false },
  /** Goes on after a broken law: each is printed, at most one for each seed. */
  all: { type: 'boolean', default: false },
});

/** Small and short, so that many can be had in a night: what breaks a law breaks it with few channels, too. */
const HOURS = 3;
const HOURS_HOSTILE = 1;
const TELL_EVERY = 20;
const FULL_NIGHT = 10_000;
/** Inputs for each parser of bytes from outside. */
const FUZZ_RUNS = 20_000;

/** What a seed stands for; the same for ever. */
function orderOf(seed: number): SimulationOrder {
  const planner = seed % 5 === 0 ? 'adversary' : seed % 5 === 1 ? 'random' : 'rules';
  const hours = planner === 'adversary' ? HOURS_HOSTILE : HOURS;
  const size = { days: hours / 24, channels: 2 + (seed % 7), calm: 1 };
  return {
    seed,
    ...size,
    storm: seed % 3 === 0,
    planner,
    policy: undefined,
    cruel: values.cruel,
    sharedOrigin: values['shared-origin'],
    sleeps: values.sleeps,
    attacker: values.attacker,
  };
}

interface Broken {
  readonly kind: 'broken';
  readonly order: SimulationOrder;
  readonly report: SimulationReport;
}

type Message = { readonly kind: 'done'; readonly seeds: number; readonly days: number } | Broken;

async function work({ first, count, step }: Share): Promise<void> {
  let untold = { seeds: 0, days: 0 };
  for (let at = 0; at < count; at += 1) {
    const order = orderOf(first + at * step);
    const report = await runOrder(order);
    if (report.violations.length > 0) {
      tell({ kind: 'broken', order, report } satisfies Message);
      if (!values.all) return;
    }
    untold = { seeds: untold.seeds + 1, days: untold.days + report.virtualDays };
    if (untold.seeds < TELL_EVERY && at < count - 1) continue;
    tell({ kind: 'done', ...untold } satisfies Message);
    untold = { seeds: 0, days: 0 };
  }
}

function commit(): string {
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    const head = git('rev-parse', 'HEAD');
    return git('status', '--porcelain') === '' ? head : `${head} with changes`;
  } catch {
    return 'unknown'; // A copy without its history plays the same seeds.
  }
}

function tellBroken({ order, report }: Broken): void {
  const { violations, minimised, traceSha256 } = report;
  const world = `${values.cruel ? ' --cruel' : ''}${values.attacker ? ' --attacker' : ''}${
    values['shared-origin'] ? ' --shared-origin' : ''
  }${values.sleeps ? ' --sleeps' : ''}`;
  process.stdout.write(`seed ${order.seed} broke a law at commit ${commit()}\n`);
  process.stdout.write(`again: npm run nightly -- --from ${order.seed} --seeds 1 --workers 1${world}\n`);
  process.stdout.write(`${JSON.stringify({ order, violations, minimised, traceSha256 }, undefined, 2)}\n`);
}

async function main(): Promise<number> {
  const [first, seeds] = [Number(values.from), Number(values.seeds)];
  const workers = workersFor(values.workers, seeds);
  const startedMs = performance.now();
  let done = { seeds: 0, days: 0 };
  let shownMs = startedMs;
  const broken: Broken[] = [];
  const show = (): void => {
    const seconds = (performance.now() - startedMs) / 1_000;
    const found = broken.length === 0 ? 'no law broken' : `${broken.length} seeds broke a law`;
    const pace = `${(done.seeds / seconds).toFixed(2)} seeds/s, ${(done.days / seconds).toFixed(2)} virtual days/s`;
    process.stdout.write(`${done.seeds} of ${seeds} seeds, ${done.days.toFixed(1)} virtual days, ${pace}, ${found}\n`);
  };
  process.stdout.write(`commit ${commit()}, seeds ${first} to ${first + seeds - 1}, ${workers} workers\n`);
  await overSeeds(import.meta.filename, { first, seeds, workers }, (sent) => {
    const message = sent as Message;
    if (message.kind === 'broken') {
      broken.push(message);
      tellBroken(message);
      return !values.all;
    }
    done = { seeds: done.seeds + message.seeds, days: done.days + message.days };
    if (performance.now() - shownMs < 60_000) return false;
    shownMs = performance.now();
    show();
    return false;
  });
  show();
  // One seed played again is no night.
  const fuzzed = seeds < FULL_NIGHT ? 0 : await fuzz({ runs: FUZZ_RUNS });
  return broken.length + fuzzed === 0 ? 0 : 1;
}

const share = shareOfThis();
if (share === undefined) process.exitCode = await main();
else await work(share);
