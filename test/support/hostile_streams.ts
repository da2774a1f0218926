/** What somebody writes who owns a log or a sender's token: forged lines of everything, drawn by fast-check. */
import fc from 'fast-check';
import { loadYamlFolder } from '../../src/config/files.ts';
import type { TokenScope } from '../../src/core/access.ts';

export const CHANNELS = ['news', 'arts', 'sport'] as const;
/** The one that dies while the stream goes on; the others play. */
export const DEAD = 'sport';

export const LOG_INPUTS = ['own', 'own:docker_json', 'own:progress', 'engine', 'server', 'syslog', 'journald'] as const;
export const PUSH_INPUTS = ['loki_json', 'loki_protobuf', 'otlp_json', 'ndjson', 'alerts'] as const;
export type LogInput = (typeof LOG_INPUTS)[number];
export type PushInput = (typeof PUSH_INPUTS)[number];
export type HostileInput = LogInput | PushInput;
export const HOSTILE_INPUTS: readonly HostileInput[] = [...LOG_INPUTS, ...PUSH_INPUTS];
/** All that there are, but for the one of a person who may do everything anyway. */
export const TOKENS: readonly TokenScope[] = ['ingest', 'operate', 'read', 'ack', 'approve', 'metrics'];

/** One line or alert that is written again and again. */
export interface HostileWriter {
  readonly door: HostileInput;
  /** The channel that its label, its file or its sender names; undefined where only the text may say. */
  readonly channel: string | undefined;
  readonly token: TokenScope;
  /** What it writes, in order; `%t` is the encoder's position of now. */
  readonly lines: readonly string[];
  readonly fromMs: number;
  readonly untilMs: number;
  readonly everyMs: number;
  /** How often it is written at once. */
  readonly burst: number;
}

export interface HostileStream {
  readonly writers: readonly HostileWriter[];
}

const STAMP = '2026-01-01 00:00:00,118';
const FORGED: Readonly<Record<string, readonly string[]>> = {
  supervisor: [
    `${STAMP} WARN exited: CH (terminated by SIGSEGV (core dumped); not expected)`,
    `${STAMP} WARN exited: CH (terminated by SIGKILL; not expected)`,
    `${STAMP} WARN exited: CH (exit status 1; not expected)`,
    `${STAMP} INFO exited: CH (exit status 0; expected)`,
    `${STAMP} INFO gave up: CH entered FATAL state, too many start retries too quickly`,
    'systemd[1]: CH.service: Main process exited, code=killed, status=9/KILL',
    "systemd[1]: CH.service: Failed with result 'oom-kill'.",
    '[path CH] [publisher] destroyed: not in use anymore; publisher disconnected',
    'level=error msg="container die" channel=CH exitCode=137',
  ],
  kernel: [
    'kernel: Out of memory: Killed process 4711 (ffmpeg) total-vm:9999kB, anon-rss:9999kB channel=CH',
    'kernel: ffmpeg[4711]: segfault at 0 ip 0000 sp 0000 error 4 in libavcodec.so channel=CH',
    'kernel: EXT4-fs warning (device sda1): No space left on device /srv/live/CH/1.ts',
    'kernel: nf_conntrack: table full, dropping packet channel=CH',
    'kernel: CPU0: Package temperature above threshold, cpu clock throttled channel=CH',
  ],
  ffmpeg: [
    '[channel=CH] [tcp @ 0x55] Connection to tcp://127.0.0.1:9000 failed: Connection refused',
    '[channel=CH] [https @ 0x55] HTTP error 401 Unauthorized',
    '[channel=CH] [https @ 0x55] HTTP error 403 Forbidden',
    '[channel=CH] [https @ 0x55] HTTP error 404 Not Found',
    '[channel=CH] [mov,mp4 @ 0x55] moov atom not found',
    '[channel=CH] [h264 @ 0x55] error while decoding MB 35 11',
    '[channel=CH] [mpegts @ 0x55] Non-monotonous DTS in output stream 0:0',
    '[channel=CH] /srv/live/CH/9.ts: No space left on device',
    '[channel=CH] [h264_nvenc @ 0x55] OpenEncodeSessionEx failed: out of memory (10)',
    '[channel=CH] database is locked',
    '[channel=CH] output stalled: no new segment for 30 s',
    '[channel=CH] ffmpeg exited with code 137',
    'open() "/srv/live/CH/x.ts" failed (2: No such file or directory), client: 203.0.113.9',
  ],
  recovery: [
    `${STAMP} INFO success: CH entered RUNNING state, process has stayed up for > than 1 seconds (startsecs)`,
    `${STAMP} INFO spawned: 'CH' with pid 4711`,
    `${STAMP} INFO stopped: CH (terminated by SIGTERM)`,
    'systemd[1]: Started CH.service. channel=CH',
    'systemd[1]: CH.service: Succeeded. channel=CH',
    '[path CH] stream is available and online, 2 tracks',
    '[channel=CH] publisher reconnected, everything is fine, maintenance ended, resolved',
    `[channel=CH] [hls @ 0x55] Opening '/srv/live/CH/1.ts' for writing`,
    `[channel=CH] nobody watches, publisher went away, channel stopped on purpose`,
  ],
  progress: [
    'frame= 100 fps= 25 q=28.0 size= 512kB time=%t bitrate= 800.1kbits/s speed=1.00x',
    'frame= 100 fps= 25 q=28.0 size= 512kB time=00:00:01.00 bitrate= 800.1kbits/s speed=0.01x',
    'frame=100\nfps=25\nbitrate=800.1kbits/s\nout_time=%t\nspeed=1x\nprogress=continue',
    '"GET /live/CH/x.ts?a_time=%t&bitrate=1 HTTP/1.1" 404',
    '[channel=CH] frame= 7 time=%t bitrate= 1kbits/s',
  ],
};
export const FAMILIES = Object.keys(FORGED);

/** The lines by which the shipped patterns show what they recognise: everything that can be recognised. */
function recognised(): readonly string[] {
  const folder = new URL('../../config/patterns', import.meta.url).pathname;
  const files = loadYamlFolder(folder, '.yaml').map(({ value }) => value as { patterns?: { match?: string[] }[] });
  return files.flatMap(({ patterns = [] }) => patterns.flatMap(({ match = [] }) => match));
}

const forged = fc.constantFrom(...FAMILIES).chain((family) => fc.constantFrom(...FORGED[family]!));
const quoted = fc.constantFrom(...recognised()).map((line) => `[channel=CH] ${line}`);
const aLine = fc.oneof({ weight: 3, arbitrary: forged }, { weight: 2, arbitrary: quoted });
const disguised = fc.tuple(aLine, fc.constantFrom(...CHANNELS, DEAD, DEAD)).chain(([line, channel]) => {
  const text = line.replaceAll('CH', channel);
  return fc.constantFrom(text, text, text, `<3>1 ${text}`, `ERROR ${text}`, `${text}\n${text}`, `\u001b[31m${text}`);
});

const LASTS_MS = 180_000;
const aWriter = (door: HostileInput): fc.Arbitrary<HostileWriter> =>
  fc
    .record({
      door: fc.constant(door),
      channel: fc.constantFrom<string | undefined>(DEAD, DEAD, ...CHANNELS, undefined),
      token: fc.oneof({ weight: 3, arbitrary: fc.constant<TokenScope>('ingest') }, fc.constantFrom(...TOKENS)),
      lines: fc.array(disguised, { minLength: 1, maxLength: 4 }),
      fromMs: fc.constantFrom(0, 0, 5_000, 25_000, 31_000, 45_000),
      lastsMs: fc.constantFrom(LASTS_MS, LASTS_MS, 40_000, 12_000),
      everyMs: fc.constantFrom(1_000, 1_000, 2_000, 5_000, 11_000),
      burst: fc.constantFrom(1, 1, 3, 20),
    })
    .map(({ lastsMs, ...writer }) => ({ ...writer, untilMs: writer.fromMs + lastsMs }));

/** One door alone, or several at once; which doors is drawn too. */
export const aHostileStream: fc.Arbitrary<HostileStream> = fc
  .oneof(
    fc.constantFrom(...HOSTILE_INPUTS).map((door) => [door]),
    fc.uniqueArray(fc.constantFrom(...HOSTILE_INPUTS), { minLength: 2, maxLength: 4 }),
  )
  .chain((doors) => fc.array(fc.constantFrom(...doors).chain(aWriter), { minLength: 1, maxLength: 6 }))
  .map((writers) => ({ writers }));
