// What ten thousand channels with three kinds of trouble each cost in memory, beside ten channels that get the same
// lines.   node bench/channels.ts
import { spawnSync } from 'node:child_process';
import { systemClock } from '../src/core/clock.ts';
import { shippedDetector } from './shipped_detector.ts';
import { sayRow } from './rows.ts';

const MANY = 10_000;
const FEW = 10;
const TROUBLES = ['Connection refused', 'No space left on device', 'Too many open files'];
const GOAL_MB = 40;

const asked = process.argv[2];
if (asked === undefined) compare();
else process.stdout.write(String(residentMb(Number(asked))));

function compare(): void {
  const measured = (channels: number): number => {
    const args = ['--expose-gc', import.meta.filename, String(channels)];
    const { stdout, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    if (status !== 0) throw new Error('a measurement failed');
    return Number(stdout);
  };
  const rounds = Array.from({ length: 3 }, () => measured(MANY) - measured(FEW)).sort((a, b) => a - b);
  const more = rounds[1]!;
  sayRow({
    part: `${MANY.toLocaleString('en')} channels`,
    measure: 'more memory than ten (median of 3)',
    figure: `${more.toFixed(1)} MB`,
    goal: `≤ ${GOAL_MB} MB`,
    met: more <= GOAL_MB,
  });
}

function residentMb(count: number): number {
  const channels = Array.from({ length: count }, (_, at) => `ch${at}`);
  let raised = 0;
  const detector = shippedDetector(channels, () => {
    raised += 1;
  });
  for (let at = 0; at < MANY; at += 1) {
    const channel = channels[at % count]!;
    const bytes = Buffer.from(TROUBLES.map((trouble) => `[error] ${trouble}\n`).join(''));
    const [now, monoMs] = [systemClock.now(), systemClock.monotonicMs()];
    detector.accept({ source: channel, channel, bytes, start: 0, end: bytes.length, backlog: false, at: now, monoMs });
  }
  if (raised < count * TROUBLES.length) throw new Error(`${raised} symptoms of ${count} channels`);
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage.rss() / 2 ** 20;
}
