/**
 * `node scripts/start_cost.ts`: how the time to the first HLS segment grows when 1, 2, 4, 8, 16 real ffmpeg encoders
 * start at once. Each round starts one first, and every count is measured against it, so that whatever else the machine
 * does weighs on both; the figure is the median over the rounds. Needs Linux, ffmpeg and taskset. The result goes into
 * START_CURVE in src/simulation/start_cost.ts by hand, with its source in docs/simulation.md.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { quantile } from '../src/simulation/statistics.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    cores: { type: 'string', default: String(availableParallelism()) },
    size: { type: 'string', default: '320x180' },
    ffmpeg: { type: 'string', default: 'ffmpeg' },
  },
});

const COUNTS = [1, 2, 4, 8, 16];
const SEGMENT_S = 2;
const LOOK_MS = 10;
const TOO_LONG_MS = 60_000;
/** After a start this long until the next: the machine has done with the last one. */
const REST_MS = 1_000;

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** A test picture in real time, as a live channel comes, into HLS of 2 s. */
function argumentsFor(folder: string): readonly string[] {
  const source = `testsrc2=size=${values.size}:rate=25`;
  const encode = ['-c:v', 'libx264', '-preset', 'ultrafast', '-threads', '1', '-g', `${25 * SEGMENT_S}`];
  const output = ['-f', 'hls', '-hls_time', `${SEGMENT_S}`, join(folder, 'live.m3u8')];
  return ['-nostdin', '-loglevel', 'error', '-re', '-f', 'lavfi', '-i', source, ...encode, ...output];
}

interface Encoder {
  readonly child: ChildProcess;
  readonly folder: string;
  readonly cores: string;
}

function start(cores: string): Encoder {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-start-'));
  const child = spawn('taskset', ['-c', cores, values.ffmpeg, ...argumentsFor(folder)], { stdio: 'ignore' });
  return { child, folder, cores };
}

async function stop({ child, folder }: Encoder): Promise<void> {
  const gone = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined;
  child.kill('SIGKILL');
  await gone;
  rmSync(folder, { recursive: true, force: true });
}

/** Milliseconds from the start of all to the first playlist of each; the median over them. */
async function startAtOnce(count: number, cores: string): Promise<number> {
  const startedMs = performance.now();
  const encoders = Array.from({ length: count }, () => start(cores));
  const tookMs = new Map<Encoder, number>();
  try {
    while (tookMs.size < count) {
      const nowMs = performance.now() - startedMs;
      if (nowMs > TOO_LONG_MS) throw new Error(`${count - tookMs.size} of ${count} had no segment after ${nowMs} ms`);
      for (const one of encoders) {
        // The playlist names its first segment when that is complete.
        if (!tookMs.has(one) && existsSync(join(one.folder, 'live.m3u8'))) tookMs.set(one, nowMs);
      }
      await pause(LOOK_MS);
    }
    return quantile([...tookMs.values()], 0.5);
  } finally {
    await Promise.all(encoders.map(stop));
  }
}

async function main(): Promise<void> {
  const cores = `0-${Number(values.cores) - 1}`;
  const version = execFileSync(values.ffmpeg, ['-version'], { encoding: 'utf8' }).split(' ', 3)[2];
  process.stdout.write(`ffmpeg ${version}, ${values.size}, ${values.cores} cores, ${values.rounds} rounds\n`);
  const found = new Map(COUNTS.map((count) => [count, { ms: [] as number[], ratio: [] as number[] }]));
  for (let round = 0; round < Number(values.rounds); round += 1) {
    for (const count of COUNTS) {
      const oneMs = await startAtOnce(1, cores);
      await pause(REST_MS);
      const ms = count === 1 ? oneMs : await startAtOnce(count, cores);
      await pause(REST_MS);
      found.get(count)!.ms.push(ms);
      found.get(count)!.ratio.push(ms / oneMs);
    }
    process.stderr.write(`round ${round + 1} of ${values.rounds}\n`);
  }
  process.stdout.write('| at once | to the first segment | against one |\n|---|---|---|\n');
  for (const [count, { ms, ratio }] of found) {
    const [low, median, high] = [0.25, 0.5, 0.75].map((fraction) => quantile(ratio, fraction).toFixed(2));
    process.stdout.write(`| ${count} | ${quantile(ms, 0.5).toFixed(0)} ms | ${median} (${low} to ${high}) |\n`);
  }
}

await main();
