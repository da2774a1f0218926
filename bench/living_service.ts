// A streaming service as it is in production, for `living.ts`: in a process of its own it serves playlists, segments,
// sources and the list of its engine over HTTP, and writes what encoders write. One channel in fifty is in trouble.
import { appendFileSync, closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';

/** What can be wrong with a channel, in turn. */
export const TROUBLES = ['killed', 'frozen', 'stalled', 'refused'] as const;
export type Trouble = (typeof TROUBLES)[number];

/** What the service has served since it began. */
export interface ServedCounts {
  readonly playlists: number;
  /** Of them, those that were answered with 304. */
  readonly unchanged: number;
  readonly segments: number;
  readonly sources: number;
  readonly lists: number;
  /** Questions about one channel alone. */
  readonly single: number;
  readonly bytes: number;
  /** Connections that were opened. */
  readonly connections: number;
  /** Channels in trouble now. */
  readonly troubled: number;
}

export type ServiceOrder =
  | { readonly do: 'kill'; readonly channel: string }
  | { readonly do: 'heal'; readonly channel: string }
  | { readonly do: 'count' }
  | { readonly do: 'end' };

const PROGRESS_MS = 500;
const SEGMENT_MS = 2_000;
const TROUBLE_MS = 40_000;
/** What ends in a start comes no more often: more of them in a minute would be a storm, and contain the fleet. */
const STARTS_APART_MS = 4_000;
/** All sources have one origin: more refusals in a minute would be one trouble of the origin. */
const REFUSALS_APART_MS = 45_000;
/** Troubles go round in steps: channels of one group that fail in a row would be one trouble of the group. */
const TROUBLE_STEP = 0.382;
/** Until then the incident of its last trouble may be open, and another death would be no news. */
const RECOVERED_MS = 75_000;
/** Segments in a playlist: half a minute of live. */
const LISTED = 15;
const SEGMENT_BYTES = 500_000;
/** A source sends this much each 40 ms: two megabits a second. */
const SOURCE_PIECE = Buffer.alloc(
  188 * 53,
  Buffer.concat([Buffer.from([0x47, 0x40, 0x11, 0x10]), Buffer.alloc(184, 0xff)]),
);
const SOURCE_PIECE_MS = 40;

class Channel {
  readonly name: string;
  readonly log: number;
  trouble: Trouble | undefined;
  healedMs = 0;
  life = 1;
  segment = 100;
  movedMs = Date.now();
  outTimeMs = 3_600_000;
  frame = 90_000;

  constructor(name: string, folder: string) {
    this.name = name;
    this.log = openSync(join(folder, `${name}.err`), 'a');
  }
}

/** Serves so many channels from a folder until it is closed. */
export class LivingService {
  readonly #channels: ReadonlyMap<string, Channel>;
  readonly #all: readonly Channel[];
  readonly #engineLog: string;
  readonly #server = createServer((request, response) => this.#answer(request, response));
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #counts = {
    playlists: 0,
    unchanged: 0,
    segments: 0,
    sources: 0,
    lists: 0,
    single: 0,
    bytes: 0,
    connections: 0,
  };
  #nextTrouble = 0;
  #startedMs = 0;
  #refusedMs = 0;
  #steps = 0;

  constructor(folder: string, count: number) {
    mkdirSync(join(folder, 'log'), { recursive: true });
    this.#engineLog = join(folder, 'engine.log');
    writeFileSync(this.#engineLog, '');
    this.#all = Array.from({ length: count }, (_, at) => new Channel(`ch${at + 1}`, join(folder, 'log')));
    this.#channels = new Map(this.#all.map((channel) => [channel.name, channel]));
    this.#server.keepAliveTimeout = 75_000;
    this.#server.on('connection', () => {
      this.#counts.connections += 1;
    });
  }

  /** Begins to serve and to write; gives the port. */
  async start(): Promise<number> {
    await new Promise<void>((done) => this.#server.listen(0, '127.0.0.1', done));
    // Encoders do not write at one moment: ten groups, one after the other.
    this.#timers.push(setInterval(() => this.#step(), PROGRESS_MS / 10));
    const troubled = Math.max(1, Math.round(this.#all.length / 50));
    this.#timers.push(setInterval(() => this.#trouble(), TROUBLE_MS / troubled));
    return (this.#server.address() as { port: number }).port;
  }

  counts(): ServedCounts {
    return { ...this.#counts, troubled: this.#all.filter(({ trouble }) => trouble !== undefined).length };
  }

  close(): void {
    for (const timer of this.#timers) clearInterval(timer);
    this.#server.close();
    this.#server.closeAllConnections();
    for (const { log } of this.#all) closeSync(log);
  }

  /** False where it is in trouble already, or was a moment ago. */
  hurt(name: string, trouble: Trouble): boolean {
    const channel = this.#channels.get(name);
    if (channel === undefined || channel.trouble !== undefined || Date.now() - channel.healedMs < RECOVERED_MS) {
      return false;
    }
    channel.trouble = trouble;
    const line = `WARN exited: ${name} (terminated by SIGKILL; not expected)`;
    if (trouble === 'killed') appendFileSync(this.#engineLog, `2026-11-21 10:00:00,000 ${line}\n`);
    return true;
  }

  heal(name: string): void {
    const channel = this.#channels.get(name);
    if (channel?.trouble === undefined) return;
    if (channel.trouble !== 'stalled') Object.assign(channel, { life: channel.life + 1, outTimeMs: 0, frame: 0 });
    Object.assign(channel, { trouble: undefined, healedMs: Date.now() });
  }

  /** The next channel in turn gets the next trouble, for a while. */
  #trouble(): void {
    const at = this.#nextTrouble;
    this.#nextTrouble += 1;
    const { name } = this.#all[inTurn(at, this.#all.length)]!;
    const nowMs = Date.now();
    const trouble = this.#bearable(TROUBLES[at % TROUBLES.length]!, nowMs);
    if (!this.hurt(name, trouble)) return;
    if (trouble !== 'stalled') this.#startedMs = nowMs;
    if (trouble === 'refused') this.#refusedMs = nowMs;
    this.#timers.push(setTimeout(() => this.heal(name), TROUBLE_MS));
  }

  /** That trouble, or a standstill where it would make many troubles one. */
  #bearable(trouble: Trouble, nowMs: number): Trouble {
    const isTooSoon = trouble === 'refused' && nowMs - this.#refusedMs < REFUSALS_APART_MS;
    return isTooSoon || nowMs - this.#startedMs < STARTS_APART_MS ? 'stalled' : trouble;
  }

  /** A tenth of the encoders writes its report, and a new segment when it is time. */
  #step(): void {
    const nowMs = Date.now();
    for (let at = this.#steps % 10; at < this.#all.length; at += 10) this.#encode(this.#all[at]!, nowMs);
    this.#steps += 1;
  }

  #encode(channel: Channel, nowMs: number): void {
    const { trouble, log } = channel;
    if (trouble === 'refused') writeSync(log, `[https @ 0x5581] HTTP error 403 Forbidden\n`);
    if (trouble !== undefined && trouble !== 'stalled') return;
    channel.outTimeMs += PROGRESS_MS;
    channel.frame += 12;
    writeSync(log, progressLine(channel));
    if (trouble !== undefined || nowMs - channel.movedMs < SEGMENT_MS) return;
    channel.segment += 1;
    channel.movedMs = nowMs;
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const [, kind, name = '', file = ''] = (request.url ?? '').split('/');
    if (kind === 'list' && name === '') return this.#list(response);
    const channel = this.#channels.get(name);
    if (kind === 'hook' || channel === undefined) return void response.writeHead(kind === 'hook' ? 200 : 404).end();
    if (kind === 'list') return this.#one(channel, response);
    if (kind === 'source') return this.#source(channel, request, response);
    if (file.endsWith('.m3u8')) return this.#playlist(channel, request, response);
    this.#counts.segments += 1;
    const body = request.method === 'HEAD' ? '' : Buffer.alloc(SEGMENT_BYTES);
    response.writeHead(200, { 'content-type': 'video/mp2t', 'content-length': SEGMENT_BYTES }).end(body);
  }

  #list(response: ServerResponse): void {
    this.#counts.lists += 1;
    this.#send(response, JSON.stringify(this.#all.map(rowOf)), 'application/json');
  }

  #one(channel: Channel, response: ServerResponse): void {
    this.#counts.single += 1;
    this.#send(response, JSON.stringify(rowOf(channel)), 'application/json');
  }

  /** As nginx serves a file: with the time of its change and a tag, and 304 for who has it already. */
  #playlist({ segment, movedMs }: Channel, request: IncomingMessage, response: ServerResponse): void {
    this.#counts.playlists += 1;
    const etag = `"${movedMs.toString(16)}-${segment.toString(16)}"`;
    const modified = new Date(movedMs).toUTCString();
    response.setHeader('etag', etag).setHeader('last-modified', modified);
    const { 'if-none-match': tag, 'if-modified-since': since } = request.headers;
    if (tag === etag || (tag === undefined && since === modified)) {
      this.#counts.unchanged += 1;
      return void response.writeHead(304).end();
    }
    this.#send(response, playlistOf(segment), 'application/vnd.apple.mpegurl');
  }

  #source({ trouble }: Channel, { method }: IncomingMessage, response: ServerResponse): void {
    this.#counts.sources += 1;
    if (trouble === 'refused') return void response.writeHead(403).end();
    response.writeHead(200, { 'content-type': 'video/mp2t' });
    if (method === 'HEAD') return void response.end();
    const send = (): void => {
      this.#counts.bytes += SOURCE_PIECE.length;
      response.write(SOURCE_PIECE);
    };
    send();
    const timer = setInterval(send, SOURCE_PIECE_MS);
    response.on('close', () => clearInterval(timer));
  }

  #send(response: ServerResponse, body: string, type: string): void {
    this.#counts.bytes += body.length;
    response.writeHead(200, { 'content-type': type, 'content-length': body.length }).end(body);
  }
}

/** A channel as the engine lists it. */
function rowOf({ name, life, trouble }: Channel) {
  const code = trouble === 'killed' ? -9 : trouble === 'refused' ? 1 : 0;
  return { name, state: code === 0 ? 'running' : 'exited', life, up: 1_000, code };
}

/** The place of the n-th of so many when they are taken in wide steps; each comes once before one comes again. */
export function inTurn(n: number, count: number): number {
  let step = Math.max(1, Math.round(count * TROUBLE_STEP));
  while (divisorOf(step, count) > 1) step += 1;
  return (n * step) % count;
}

const divisorOf = (a: number, b: number): number => (b === 0 ? a : divisorOf(b, a % b));

function progressLine({ frame, outTimeMs }: Channel): string {
  const [s, m] = [Math.floor(outTimeMs / 1_000) % 60, Math.floor(outTimeMs / 60_000) % 60];
  const two = (value: number): string => String(value).padStart(2, '0');
  const time = `${two(Math.floor(outTimeMs / 3_600_000))}:${two(m)}:${two(s)}.${two((outTimeMs % 1_000) / 10)}`;
  return `frame=${String(frame).padStart(5)} fps= 25 q=28.0 size=N/A time=${time} bitrate=N/A speed=1.01x    \r`;
}

function playlistOf(newest: number): string {
  const segments = Array.from({ length: LISTED }, (_, at) => {
    const number = newest - LISTED + 1 + at;
    return `#EXTINF:2.000000,\n#EXT-X-PROGRAM-DATE-TIME:2026-11-21T10:00:00.000+0000\nseg_${number}.ts`;
  });
  const head = ['#EXTM3U', '#EXT-X-VERSION:3', '#EXT-X-TARGETDURATION:2'];
  return [...head, `#EXT-X-MEDIA-SEQUENCE:${newest - LISTED + 1}`, ...segments, ''].join('\n');
}

if (import.meta.main) {
  const [folder, count] = process.argv.slice(2);
  const service = new LivingService(folder!, Number(count));
  process.on('message', (order: ServiceOrder) => {
    if (order.do === 'heal') service.heal(order.channel);
    if (order.do === 'kill') {
      const [at, atNs] = [Date.now(), String(process.hrtime.bigint())];
      process.send?.({ at, atNs, isHurt: service.hurt(order.channel, 'killed') });
    }
    if (order.do === 'count') process.send?.(service.counts());
    if (order.do === 'end') process.disconnect();
  });
  process.on('disconnect', () => {
    service.close();
    process.exit(0);
  });
  process.send?.({ port: await service.start() });
}
