// A seeded log and the truth about it:  node bench/workload.ts OUT mixed|storm|garbage LINES [SEED]
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { CHANNELS, channelName, PATTERNS } from './patterns.ts';

export type Kind = 'mixed' | 'storm' | 'garbage';

/** A small generator of numbers (mulberry32): the same seed gives the same log. */
function numbers(seed: number) {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return { next, below, pick: <T>(from: readonly T[]): T => from[below(from.length)]! };
}

const BENIGN = [
  'heartbeat ok',
  'segment uploaded',
  'manifest refreshed',
  'viewer joined',
  'token refreshed, expires in 3600',
  'bitrate switched',
];
const DECOYS = [
  'rate limit remaining=4999',
  'process exited with code 0',
  'stream key accepted',
  'pool size 10 idle 7',
  'watchdog: no alarms',
  'segment 17 written, late 0',
  'HTTP error count 0',
  'retry: timeout acquiring lock',
];
const FOREIGN = ['直播频道状态正常', 'поток запущен', '配信中🎥🔥', '\u2028inner\u2029', 'çà et là'].map((text) =>
  Buffer.from(text).toString('latin1'),
);
const FAILING: Readonly<Record<Kind, number>> = { mixed: 0.005, storm: 0.4, garbage: 0.005 };

/** Writes `lines` lines to `path` and the failures in them, by class and channel, to `path.truth`. */
export function writeWorkload(path: string, kind: Kind, lines: number, seed = 7): void {
  const random = numbers(seed);
  const truth = new Map<string, number>();
  const file = openSync(path, 'w');
  let block: string[] = [];
  for (let at = 0; at < lines; at += 1) {
    // Low numbers are busier, as channels are.
    const channel = channelName(Math.floor(random.below(CHANNELS) * random.next()));
    const fails = random.next() < FAILING[kind];
    block.push(fails ? failing(channel, kind, random, truth) : ordinary(channel, kind, random));
    if (block.length === 8000 || at === lines - 1) {
      writeSync(file, Buffer.from(`${block.join('\n')}\n`, 'latin1'));
      block = [];
    }
  }
  closeSync(file);
  const rows = [...truth].map(([key, count]) => `${key}\t${count}\n`);
  writeFileSync(`${path}.truth`, rows.sort().join(''));
}

type Numbers = ReturnType<typeof numbers>;

const stamp = ({ below }: Numbers): string =>
  `2026-11-21T20:${String(below(60)).padStart(2, '0')}:${String(below(60)).padStart(2, '0')}.${100 + below(900)}Z`;
const access = (channel: string, status: number, { below }: Numbers): string =>
  `10.${below(256)}.${below(256)}.${below(256)} - - [21/Nov/2026:20:11:04 +0000] "GET /live/${channel}/seg_${below(99_999)}.ts HTTP/1.1" ${status} ${below(2e6)} "-" "Mozilla/5.0 (X11; Linux x86_64)" rt=0.${below(999)}`;
const json = (channel: string, level: number, message: string, { below }: Numbers): string =>
  `{"level":${level},"time":${1_795_294_000_000 + below(1e9)},"pid":${below(9000)},"hostname":"edge-${below(20)}","channel":"${channel}","reqId":"${below(1e9).toString(16)}","msg":"${message}","retries":${below(3)}}`;

function failing(channel: string, kind: Kind, random: Numbers, truth: Map<string, number>): string {
  const pattern = random.pick(PATTERNS);
  const key = `${pattern.id}\t${channel}`;
  truth.set(key, (truth.get(key) ?? 0) + 1);
  const line =
    pattern.says.length === 0
      ? access(channel, random.pick([502, 503, 504]), random)
      : carried(channel, pattern.says, random);
  if (kind !== 'garbage') return line;
  const chance = random.next();
  if (chance < 0.3) return `${random.pick(FOREIGN)} ${line}`;
  if (chance < 0.4) return 'x'.repeat(20_000) + line + 'y'.repeat(9000);
  return chance < 0.5 ? `${line}\r` : line;
}

function carried(channel: string, says: readonly string[], random: Numbers): string {
  const message = random.pick(says).replaceAll('#', () => String(1 + random.below(9000)));
  const chance = random.next();
  if (chance < 0.4) return `${stamp(random)} [channel=${channel}] [error] ${message}`;
  if (chance < 0.7)
    return `[hls @ 0x55d${random.below(1e9).toString(16)}] ${message}: '/live/${channel}/seg_${random.below(99_999)}.ts'`;
  return json(channel, 50, message, random);
}

function ordinary(channel: string, kind: Kind, random: Numbers): string {
  if (kind === 'garbage' && random.next() < 0.6) return rubbish(channel, random);
  const { below, pick, next } = random;
  const chance = next();
  if (chance < 0.38) {
    return `${stamp(random)} [channel=${channel}] frame=${String(below(1e6)).padStart(6)} fps= ${24 + below(3)} q=28.0 size=${String(below(1e7)).padStart(9)}kB time=01:02:${10 + below(50)}.${10 + below(89)} bitrate=${2000 + below(900)}.${below(9)}kbits/s speed=1.0${below(9)}x`;
  }
  if (chance < 0.46)
    return `[hls @ 0x55d${below(1e9).toString(16)}] Opening '/live/${channel}/seg_${below(99_999)}.ts.tmp' for writing`;
  if (chance < 0.74) return access(channel, pick([200, 200, 206, 304]), random);
  if (chance < 0.98) return json(channel, 30, pick(BENIGN), random);
  return `${stamp(random)} [channel=${channel}] [info] ${pick(DECOYS)}`;
}

/** Long lines, text of other scripts, bytes that are no text, and progress that ends in returns. */
function rubbish(channel: string, random: Numbers): string {
  const { below, next, pick } = random;
  const chance = next();
  if (chance < 0.02)
    return json(channel, 20, `stack ${'QWxhZGRpbjpvcGVuIHNlc2FtZQ/+'.repeat(300 + below(2000))}`, random);
  if (chance < 0.5) return `${stamp(random)} [channel=${channel}] ${pick(FOREIGN)} ${pick(FOREIGN)} ${below(1e9)}`;
  if (chance < 0.85) {
    const bytes = Array.from({ length: 20 + below(300) }, () => below(256)).map((byte) =>
      byte === 10 || byte === 13 ? 11 : byte,
    );
    return String.fromCharCode(...bytes);
  }
  return `${Array.from({ length: 1 + below(8) }, () => `frame=${below(1e6)} fps=25 [channel=${channel}]`).join('\r')}\r`;
}

if (import.meta.main) {
  const [path, kind, lines, seed] = process.argv.slice(2);
  writeWorkload(path!, kind as Kind, Number(lines), seed === undefined ? 7 : Number(seed));
}
