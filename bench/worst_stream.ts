// A log into which somebody writes nothing but lines that take the scanner long: what becomes of the event loop.
//   node bench/worst_stream.ts [--seconds 10] [--bytes 4096]
import { mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { readCatalogue } from '../scripts/corpus.ts';
import { createTail } from '../src/collect/tail/tail.ts';
import { systemClock } from '../src/core/clock.ts';
import { memoryCheckpoints } from '../src/journal/checkpoints.ts';
import { shippedDetector } from './shipped_detector.ts';
import { sayRow } from './rows.ts';

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '10' }, bytes: { type: 'string', default: '4096' } },
});
const lineBytes = Number(values.bytes);
const literals = readCatalogue().patterns.flatMap((pattern) => pattern.literals);
/** Literals of many patterns in another order each time, so that nothing fits and each expression is tried. */
const lineOf = (at: number): string => {
  const parts: string[] = [];
  for (let length = 0, index = at * 7; length < lineBytes; index += 13) {
    const part = `x${literals[index % literals.length]}`;
    parts.push(part);
    length += part.length;
  }
  return `${parts
    .join('')
    .replaceAll('\n', 'x')
    .slice(0, lineBytes - 1)}\n`;
};
const block = Buffer.from(Array.from({ length: 64 }, (_, at) => lineOf(at)).join(''), 'latin1');

const folder = mkdtempSync(join(tmpdir(), 'reeve-bench-'));
try {
  const path = join(folder, 'worst.log');
  const file = openSync(path, 'a');
  const detector = shippedDetector(['worst'], () => undefined);
  await using tail = createTail({
    ...{ sources: [{ id: 'worst', path, channel: 'worst' }], clock: systemClock, checkpoints: memoryCheckpoints() },
    sink: detector.accept,
  });
  tail.start();
  const lag = monitorEventLoopDelay({ resolution: 1 });
  lag.enable();
  const endMs = performance.now() + Number(values.seconds) * 1_000;
  while (performance.now() < endMs) {
    writeSync(file, block);
    await sleep(10);
  }
  lag.disable();
  const p99Ms = lag.percentile(99) / 1e6;
  const part = `worst lines of ${lineBytes} bytes, ${values.seconds} s`;
  sayRow({ part, measure: 'loop lag p99', figure: `${p99Ms.toFixed(1)} ms`, goal: '≤ 20 ms', met: p99Ms <= 20 });
  console.log(`most ${(lag.max / 1e6).toFixed(1)} ms; ${JSON.stringify(tail.stats?.() ?? {}).slice(0, 300)}`);
} finally {
  rmSync(folder, { recursive: true });
}
