// A program, run with the daemon's own V8 options: takes bodies and prints what each cost in memory and processor time.
import { readFileSync, writeFileSync } from 'node:fs';
import { safeText } from '../../../src/collect/clean.ts';
import { createFeeds } from '../../../src/collect/feed/feed.ts';
import { IntakeRefused } from '../../../src/collect/intake/refused.ts';
import { createIntake } from '../../../src/collect/intake/intake.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { INTAKE_PLAIN_BYTES_MAX, type IntakeFormat } from '../../../src/http/intake.ts';

/** In bytes, from the kernel. */
const memory = (name: 'VmRSS' | 'VmHWM'): number =>
  Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(readFileSync('/proc/self/status', 'utf8'))![1]) * 1024;

const feeds = createFeeds({ clock: systemClock, sink: () => ({ lines: 1, matched: 0, unmatched: 1, progress: 0 }) });
const intake = createIntake({
  feeds: { loki: feeds.open('loki'), otlp: feeds.open('otlp'), ndjson: feeds.open('ndjson') },
  channelLabels: ['channel', 'stream'],
  bytesMax: INTAKE_PLAIN_BYTES_MAX,
  onSymptom: () => undefined,
  meanings: [{ alertname: 'EncoderSlow', means: 'encoder_overload', channelLabels: ['channel'] }],
  channelOf: (name) => (name.startsWith('c') ? name : undefined),
  clean: safeText,
  clock: systemClock,
});

function take(format: IntakeFormat, path: string): string {
  try {
    return intake.take(format, readFileSync(path)).kind;
  } catch (thrown) {
    if (thrown instanceof IntakeRefused) return `refused: ${thrown.message.slice(0, 120)}`;
    throw thrown;
  }
}

const [format, warmUp, ...paths] = process.argv.slice(2) as [IntakeFormat, string, ...string[]];
for (let times = 0; times < 5; times += 1) {
  take(format, warmUp);
  await feeds.idle();
}
globalThis.gc?.();
const before = memory('VmRSS');
for (const path of paths) {
  globalThis.gc?.();
  // What the bodies before left for the next one to use is theirs to answer for.
  const restBytes = memory('VmRSS');
  writeFileSync('/proc/self/clear_refs', '5');
  const started = process.cpuUsage();
  const result = take(format, path);
  const { user, system } = process.cpuUsage(started);
  await feeds.idle();
  const cost = {
    path,
    result,
    cpuMs: (user + system) / 1_000,
    grownBytes: memory('VmHWM') - restBytes,
    keptBytes: restBytes - before,
  };
  process.stdout.write(`${JSON.stringify(cost)}\n`);
}
