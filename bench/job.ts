// The product's own path over a file: whole lines in chunks, detector, windows, totals by class and channel.
//   node bench/job.ts FILE [--shipped] [--quiet]
import { closeSync, openSync, readSync } from 'node:fs';
import { systemClock } from '../src/core/clock.ts';
import { compileCatalogue } from '../src/detect/patterns/catalogue.ts';
import { createChannelTable } from '../src/detect/channel_table.ts';
import { createDetector, type Detector } from '../src/detect/detector.ts';
import { CHANNELS, channelName, PATTERNS } from './patterns.ts';

const CHUNK_BYTES = 1 << 20;
const args = process.argv.slice(2);
const path = args.find((arg) => !arg.startsWith('--'))!;

async function catalogue() {
  if (args.includes('--shipped')) return (await import('../scripts/corpus.ts')).readCatalogue();
  const patterns = PATTERNS.map(({ id, regex, says }) => ({
    id,
    regex,
    symptom: 'upstream_unreachable',
    severity: 50,
    match: [says[0]?.replaceAll('#', '7') ?? '"GET /a HTTP/1.1" 502 157'],
  }));
  const position = () => ({ line: 1, column: 1 });
  const compiled = compileCatalogue([{ file: 'bench', value: { software: 'bench', patterns }, position }]);
  if (compiled.problems.length > 0) throw new Error(compiled.problems.map(({ message }) => message).join('\n'));
  return compiled.catalogue;
}

function drive(detector: Detector): number {
  const file = openSync(path, 'r');
  const bytes = Buffer.allocUnsafeSlow(2 * CHUNK_BYTES);
  let kept = 0;
  let lines = 0;
  for (;;) {
    const read = readSync(file, bytes, kept, CHUNK_BYTES, null);
    const have = kept + read;
    const end = read === 0 ? have : bytes.lastIndexOf(10, have - 1) + 1;
    const monoMs = systemClock.monotonicMs();
    const chunk = {
      source: path,
      channel: undefined,
      bytes,
      start: 0,
      end,
      backlog: false,
      at: systemClock.now(),
      monoMs,
    };
    if (end > 0) lines += detector.accept(chunk).lines;
    bytes.copyWithin(0, end, have);
    kept = have - end;
    if (read === 0) break;
  }
  closeSync(file);
  return lines;
}

const detector = createDetector({
  catalogue: await catalogue(),
  clock: systemClock,
  channels: createChannelTable(Array.from({ length: CHANNELS }, (_, at) => channelName(at))),
  clean: (text) => text,
  parseProgress: () => undefined,
  onSymptom: () => {},
  onProgress: () => {},
  onNotice: () => {},
  onUnrecognised: () => {},
});
const before = process.cpuUsage();
const lines = drive(detector);
const { user, system } = process.cpuUsage(before);
if (args.includes('--quiet')) process.stderr.write(`${lines} lines in ${(user + system) / 1e6} s of CPU time\n`);
else {
  const rows = detector.totals().patterns.map(({ pattern, channel, count }) => `${pattern}\t${channel}\t${count}\n`);
  process.stdout.write(rows.sort().join(''));
}
