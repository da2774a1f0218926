// From a line that another process appends to the symptom it means, with a thousand files followed and the shipped
// catalogue.   node bench/latency.ts [--files 1000] [--appends 2000]
import { fork } from 'node:child_process';
import { mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createTail } from '../src/collect/tail/tail.ts';
import { systemClock } from '../src/core/clock.ts';
import { memoryCheckpoints } from '../src/journal/checkpoints.ts';
import { shippedDetector } from './shipped_detector.ts';
import { quantile, sayRow } from './rows.ts';

const GAP_MS = 5;
const { values } = parseArgs({
  options: {
    files: { type: 'string', default: '1000' },
    appends: { type: 'string', default: '2000' },
    write: { type: 'string' },
  },
});
const names = Array.from({ length: Number(values.files) }, (_, at) => `ch${at}`);
const appends = Number(values.appends);
const pathIn = (folder: string, name: string): string => join(folder, `${name}.err`);

if (values.write === undefined) await measure();
else await write(values.write);

/** The other process. The monotonic clock is the same for both. */
async function write(folder: string): Promise<void> {
  const files = names.map((name) => openSync(pathIn(folder, name), 'a'));
  for (let at = 0; at < appends; at += 1) {
    const file = files[at % files.length]!;
    writeSync(file, `[tcp @ 0x55d0c8] Connection refused at=${process.hrtime.bigint()}\n`);
    await sleep(GAP_MS);
  }
  process.disconnect();
}

async function measure(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-bench-'));
  const tookMs: number[] = [];
  const detector = shippedDetector(names, ({ evidence }) => {
    const written = /at=(\d+)/.exec(evidence.at(-1)?.text ?? '')?.[1];
    if (written !== undefined) tookMs.push(Number(process.hrtime.bigint() - BigInt(written)) / 1e6);
  });
  try {
    for (const name of names) writeFileSync(pathIn(folder, name), '');
    const sources = names.map((name) => ({ id: name, path: pathIn(folder, name), channel: name }));
    await using tail = createTail({
      ...{ sources, clock: systemClock, checkpoints: memoryCheckpoints() },
      sink: detector.accept,
    });
    tail.start();
    await tail.drainNow();
    const writer = fork(import.meta.filename, ['--write', folder, ...process.argv.slice(2)]);
    await new Promise((done) => writer.once('exit', done));
    await sleep(500);
    report(tookMs.sort((a, b) => a - b));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function report(sorted: readonly number[]): void {
  const [p50, p99] = [quantile(sorted, 0.5), quantile(sorted, 0.99)];
  const part = `append → symptom, ${names.length} files`;
  const ms = (value: number): string => `${value.toFixed(2)} ms`;
  sayRow({ part, measure: 'p50', figure: ms(p50), goal: '≤ 2 ms', met: p50 <= 2 });
  sayRow({ part, measure: 'p99', figure: ms(p99), goal: '≤ 20 ms', met: p99 <= 20 });
  // A second symptom of one channel within a second is counted and not raised again.
  const due = Math.min(appends, Math.ceil((appends * GAP_MS) / Math.max(1000, names.length * GAP_MS)) * names.length);
  const seen = `${sorted.length} of ${due}`;
  sayRow({ part, measure: 'symptoms', figure: seen, goal: 'all', met: sorted.length >= due });
}
