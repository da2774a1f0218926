// All figures in one run, and one table at the end.
//   npm run bench                               everything (about a quarter of an hour)
//   npm run bench -- latency flood              only these parts
//   npm run bench -- living --channels 2000     one part, and options for it
//   npm run bench -- --quick                    small workloads, one round
import { spawn } from 'node:child_process';
import { cpus, loadavg, totalmem } from 'node:os';
import { resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { usageOf } from '../scripts/options.ts';
import { type Row, tableOf, yardstickMs } from './rows.ts';

interface Part {
  readonly title: string;
  readonly script: string;
  readonly args?: readonly string[];
  readonly quick?: readonly string[];
}

const PARTS: Readonly<Record<string, Part>> = {
  living: {
    title: 'the daemon with living channels',
    script: 'living.ts',
    quick: ['--channels', '10', '--seconds', '5', '--settle-seconds', '5', '--verdicts', '5'],
  },
  thirteen: {
    title: 'the daemon with thirteen real channels',
    script: 'thirteen.ts',
    quick: ['--seconds', '5', '--settle-seconds', '5'],
  },
  peers: {
    title: 'the hot path and its peers',
    script: 'peers.ts',
    args: ['--ten'],
    quick: ['mixed', 'storm', '--lines', '100000', '--rounds', '1'],
  },
  catalogue: {
    title: 'the shipped catalogue',
    script: 'catalogue.ts',
    quick: ['--lines', '100000', '--rounds', '1', '--alone'],
  },
  latency: {
    title: 'from an appended line to the symptom',
    script: 'latency.ts',
    quick: ['--files', '200', '--appends', '300'],
  },
  channels: { title: 'the memory of ten thousand channels', script: 'channels.ts' },
  flood: { title: 'a flood', script: 'flood.ts', quick: ['--seconds', '10'] },
  backtest: { title: 'a backtest', script: 'backtest.ts', quick: ['200000'] },
  memory: { title: 'the memory', script: 'memory.ts', quick: ['5000'] },
  journal: { title: 'the journal', script: 'journal.ts', quick: ['/tmp', '50000'] },
  hints: { title: 'hints', script: 'hints.ts', quick: ['--asks', '300'] },
  rules: { title: 'ten thousand rules', script: 'rules.ts', quick: ['--asks', '500'] },
  daemon: {
    title: 'the daemon at 500 channels',
    script: 'daemon.ts',
    quick: ['--verdicts', '30', '--idle-seconds', '5'],
  },
  files: {
    title: 'the daemon, following 500 files',
    script: 'daemon.ts',
    args: ['--verdicts', '0', '--poll', '30s'],
    quick: ['--verdicts', '0', '--poll', '30s', '--settle-seconds', '5', '--idle-seconds', '5'],
  },
};
const ROWS_FD = 3;

if (process.argv.slice(2).includes('--help')) {
  const parts = Object.entries(PARTS).map(([name, { title }]) => `  ${name.padEnd(10)} ${title}\n`);
  process.stdout.write(`${usageOf(import.meta.filename)}\nParts:\n${parts.join('')}`);
  process.exit(0);
}
const isQuick = process.argv.includes('--quick');
const options = process.argv.slice(2).filter((option) => option !== '--quick');
const firstOption = options.findIndex((option) => option.startsWith('--'));
/** From the first option on, arguments are for the one part that stands before them. */
const named = firstOption < 0 ? options : options.slice(0, firstOption);
const own = firstOption < 0 ? undefined : options.slice(firstOption);
const unknown = named.filter((name) => !(name in PARTS));
if (unknown.length > 0) {
  console.error(`there is no part ${unknown.join(', ')}; there are ${Object.keys(PARTS).join(', ')}`);
  process.exit(64);
}
if (own !== undefined && named.length !== 1) {
  console.error(`${own.join(' ')} is for one part: name it first`);
  process.exit(64);
}
const [cpu] = cpus();
const load = loadavg().map((value) => value.toFixed(1));
console.log(
  `machine: ${cpus().length} × ${cpu?.model}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`,
);
console.log(`load before: ${load.join(' ')} (a busy machine spreads every figure)`);

const rows: Row[] = [];
for (const name of named.length > 0 ? named : Object.keys(PARTS)) rows.push(...(await run(name, PARTS[name]!)));
console.log(`\n${tableOf(rows)}`);
const missed = rows.filter(({ met }) => met === false).length;
console.log(missed === 0 ? '\nevery goal was met' : `\n${missed} of ${rows.length} figures miss their goal`);
process.exitCode = missed === 0 ? 0 : 1;

async function run(name: string, { title, script, args = [], quick = [] }: Part): Promise<readonly Row[]> {
  console.log(`\n## ${title}\nyardstick: ${yardstickMs().toFixed(0)} ms`);
  const given = own ?? (isQuick ? quick : args);
  const child = spawn(process.execPath, [resolve(import.meta.dirname, script), ...given], {
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
    env: { ...process.env, REEVE_BENCH_ROWS: String(ROWS_FD) },
  });
  const printed = text(child.stdio[ROWS_FD] as Readable);
  const status = await new Promise((done) => child.once('exit', done));
  const lines = (await printed).split('\n').filter((line) => line !== '');
  const measured = lines.map((line) => JSON.parse(line) as Row);
  if (status === 0) return measured;
  return [
    ...measured,
    { part: name, measure: 'the part ran to its end', figure: `exit ${status}`, goal: '0', met: false },
  ];
}
