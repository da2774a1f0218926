// A log that grows at twice the rate at which it can be read, for a minute: what becomes of memory, of the event loop,
// and of the account of lines.   node bench/flood.ts [--seconds 60]
import { fork } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createTail, type Tail } from '../src/collect/tail/tail.ts';
import { systemClock } from '../src/core/clock.ts';
import type { Detector } from '../src/detect/detector.ts';
import { memoryCheckpoints } from '../src/journal/checkpoints.ts';
import { shippedDetector } from './shipped_detector.ts';
import { CHANNELS, channelName } from './patterns.ts';
import { quantile, sayRow } from './rows.ts';
import { writeWorkload } from './workload.ts';

const LINES = 40_000;
const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '60' }, write: { type: 'string' }, rate: { type: 'string' } },
});
const seconds = Number(values.seconds);
const part = `flood, ${seconds} s at twice the capacity`;

if (values.write === undefined) await measure();
else await write(values.write, Number(values.rate));

/** The other process: the same lines over and over, at an even pace. Its exit is when the last line is written. */
async function write(path: string, bytesPerS: number): Promise<void> {
  const block = readFileSync(`${path}.block`);
  const file = openSync(path, 'a');
  const beganMs = performance.now();
  let blocks = 0;
  for (let spentMs = 0; spentMs < seconds * 1000; spentMs = performance.now() - beganMs) {
    for (; blocks * block.length < (spentMs / 1000) * bytesPerS; blocks += 1) writeSync(file, block);
    await sleep(5);
  }
  closeSync(file);
  process.send?.(blocks);
  process.disconnect();
}

/** Bytes per second of CPU time: on a busy machine the clock on the wall would flatter. */
function capacityOf(detector: Detector, bytes: Buffer): number {
  const accept = (): void => {
    const when = { at: systemClock.now(), monoMs: systemClock.monotonicMs() };
    const chunk = { source: 'warm', channel: undefined, bytes, start: 0, end: bytes.length, backlog: false, ...when };
    detector.accept(chunk);
  };
  for (let warm = 0; warm < 4; warm += 1) accept();
  const began = process.cpuUsage();
  for (let round = 0; round < 4; round += 1) accept();
  const { user, system } = process.cpuUsage(began);
  return (4 * bytes.length) / ((user + system) / 1e6);
}

async function measure(): Promise<void> {
  // In memory where that can be had: the disk is not what is measured.
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'reeve-bench-'));
  try {
    const path = join(folder, 'flood.log');
    writeWorkload(`${path}.block`, 'storm', LINES);
    writeFileSync(path, '');
    const channels = Array.from({ length: CHANNELS }, (_, at) => channelName(at));
    const detector = shippedDetector(channels, () => undefined);
    const capacity = capacityOf(detector, readFileSync(`${path}.block`));
    await using tail = createTail({
      sources: [{ id: 'flood', path }],
      ...{ clock: systemClock, checkpoints: memoryCheckpoints(), sink: detector.accept },
    });
    tail.start();
    await tail.drainNow();
    await flood(tail, path, capacity);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** How much CPU time passes between two iterations of the event loop: what it is held by, without what others hold it by. */
function heldMs(): { stop(): readonly number[] } {
  const spent = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  const held: number[] = [];
  let before = spent();
  const timer = setInterval(() => {
    const now = spent();
    held.push(now - before);
    before = now;
  }, 1);
  return {
    stop() {
      clearInterval(timer);
      return held.sort((a, b) => a - b);
    },
  };
}

async function flood(tail: Tail, path: string, capacity: number): Promise<void> {
  const loop = monitorEventLoopDelay({ resolution: 1 });
  const residentMb: number[] = [];
  const timer = setInterval(() => residentMb.push(process.memoryUsage.rss() / 2 ** 20), 250);
  const held = heldMs();
  loop.enable();
  const args = ['--write', path, '--rate', String(2 * capacity), '--seconds', String(seconds)];
  const writer = fork(import.meta.filename, args);
  let blocks = 0;
  writer.once('message', (count) => {
    blocks = Number(count);
  });
  await new Promise((done) => writer.once('exit', done));
  loop.disable();
  clearInterval(timer);
  const lagMs = { cpu: quantile(held.stop(), 0.99), wall: loop.percentile(99) / 1e6 };
  await tail.drainNow();
  report(tail, { written: blocks * LINES, capacity, residentMb, lagMs });
}

interface Seen {
  readonly written: number;
  readonly capacity: number;
  readonly residentMb: readonly number[];
  readonly lagMs: { readonly cpu: number; readonly wall: number };
}

function report(tail: Tail, { written, capacity, residentMb, lagMs }: Seen): void {
  const stats = tail.stats()[0]!;
  const dropped = stats.dropped.reduce((sum, { lines }) => sum + lines, 0);
  const count = (value: number): string => value.toLocaleString('en');
  const isExact = stats.lines === written && stats.lines === stats.matched + stats.unmatched + dropped;
  const figure = `${count(written)} written = ${count(stats.matched)} + ${count(stats.unmatched)} + ${count(dropped)} dropped`;
  sayRow({ part, measure: 'account of lines', figure, goal: 'exact', met: isExact && stats.gaps === 0 });
  const third = Math.ceil(residentMb.length / 3);
  const [early, late] = [Math.max(...residentMb.slice(third, 2 * third)), Math.max(...residentMb.slice(2 * third))];
  const grown = `${early.toFixed(0)} → ${late.toFixed(0)} MB`;
  sayRow({ part, measure: 'RSS, second third → last', figure: grown, goal: 'flat (±10 %)', met: late <= early * 1.1 });
  const lag = `${lagMs.cpu.toFixed(1)} ms by CPU, ${lagMs.wall.toFixed(1)} by wall`;
  sayRow({ part, measure: 'loop lag p99', figure: lag, goal: '≤ 20 ms', met: lagMs.cpu <= 20 });
  const rate = `${(capacity / 1e6).toFixed(0)} MB/s of CPU time`;
  sayRow({ part, measure: 'capacity: storm, shipped catalogue', figure: rate, goal: '–', met: undefined });
}
