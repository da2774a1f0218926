/** Serves what the channels pull from, and fails on request. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Clock, systemClock } from '../src/core/clock.ts';
import { freePorts, LOOPBACK } from './ports.ts';
import { type Child, needProgram, startChild } from './process.ts';

/** What an origin can do to the channels that pull from it. */
export const ORIGIN_MODES = ['ok', '403', '404', '500', 'refuse', 'stall', 'slow', 'truncate', 'corrupt'] as const;
export type OriginMode = (typeof ORIGIN_MODES)[number];

/** About a tenth of what the picture needs. */
const SLOW_BYTES_PER_S = 2_048;
const TRUNCATE_AFTER_BYTES = 48 * 1_024;
const TRUNCATED_LENGTH = 10_000_000;
/** One byte in this many is spoilt. It has no divisor in common with a packet's 188, so every part of one is hit. */
const CORRUPT_EVERY = 19;
/** A viewer that does not read loses the oldest chunks beyond these. */
const QUEUE_MAX = 2_000;

/** A live MPEG-TS origin whose failures can be switched on per channel, at any moment, for old and new viewers. */
export interface Origin extends AsyncDisposable {
  urlOf(channel: string): string;
  modeOf(channel: string): OriginMode;
  set(channel: string, mode: OriginMode): Promise<void>;
  /** Connected viewers of a channel. */
  viewersOf(channel: string): number;
}

interface Viewer {
  readonly response: ServerResponse;
  readonly queue: Buffer[];
  /** Wakes the loop that writes to this viewer. */
  wake: () => void;
  sentBytes: number;
}

interface Line {
  readonly port: number;
  readonly viewers: Set<Viewer>;
  mode: OriginMode;
  server: Server | undefined;
}

/** One ffmpeg makes the picture, every viewer gets the same bytes. One port per channel, so that one can refuse. */
export async function openOrigin(channels: readonly string[], clock: Clock = systemClock): Promise<Origin> {
  const ports = await freePorts(channels.length);
  const lines = new Map<string, Line>();
  for (const [index, channel] of channels.entries()) {
    const line: Line = { port: ports[index]!, viewers: new Set(), mode: 'ok', server: undefined };
    lines.set(channel, line);
    await openLine(line, clock);
  }
  const lineOf = (channel: string): Line => {
    const line = lines.get(channel);
    if (!line) throw new RangeError(`the origin has no channel ${channel}`);
    return line;
  };
  const picture = showPicture((chunk) => {
    for (const line of lines.values()) for (const viewer of line.viewers) offer(viewer, chunk);
  }, clock);

  return {
    urlOf: (channel) => `http://${LOOPBACK}:${lineOf(channel).port}/live/${channel}.ts`,
    modeOf: (channel) => lineOf(channel).mode,
    viewersOf: (channel) => lineOf(channel).viewers.size,
    async set(channel, mode) {
      const line = lineOf(channel);
      line.mode = mode;
      if (mode === 'refuse') await closeLine(line);
      else if (!line.server) await openLine(line, clock);
      for (const viewer of line.viewers) viewer.wake();
    },
    async [Symbol.asyncDispose]() {
      await picture[Symbol.asyncDispose]();
      await Promise.all([...lines.values()].map(closeLine));
    },
  };
}

/** Runs ffmpeg and starts it again when it ends, until disposed. */
function showPicture(show: (chunk: Buffer) => void, clock: Clock): AsyncDisposable {
  const ffmpeg = needProgram('ffmpeg');
  const args = [
    ...['-nostdin', '-loglevel', 'error', '-re', '-f', 'lavfi', '-i', 'testsrc=s=160x90:r=5'],
    ...['-re', '-f', 'lavfi', '-i', 'sine=440', '-c:v', 'libx264', '-preset', 'ultrafast', '-g', '5'],
    ...['-threads', '1', '-pix_fmt', 'yuv420p', '-c:a', 'aac', '-b:a', '32k'],
    ...['-f', 'mpegts', '-flush_packets', '1', 'pipe:1'],
  ];
  let open = true;
  let child: Child;
  const start = (): void => {
    child = startChild(ffmpeg, args, { stdio: ['ignore', 'pipe', 'ignore'], graceMs: 2_000 });
    child.process.stdout?.on('data', show);
    void child.ended.then(() => {
      if (open) clock.after(1_000, () => open && start());
    });
  };
  start();
  return {
    async [Symbol.asyncDispose]() {
      open = false;
      await child[Symbol.asyncDispose]();
    },
  };
}

async function openLine(line: Line, clock: Clock): Promise<void> {
  const server = createServer((request, response) => void serve(line, request, response, clock));
  server.keepAliveTimeout = 1_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(line.port, LOOPBACK, resolve);
  });
  line.server = server;
}

async function closeLine(line: Line): Promise<void> {
  const server = line.server;
  line.server = undefined;
  if (!server) return;
  const closed = new Promise((done) => server.close(done));
  server.closeAllConnections();
  await closed;
}

function offer(viewer: Viewer, chunk: Buffer): void {
  if (viewer.queue.length === QUEUE_MAX) viewer.queue.shift();
  viewer.queue.push(chunk);
  viewer.wake();
}

async function serve(line: Line, request: IncomingMessage, response: ServerResponse, clock: Clock): Promise<void> {
  const viewer: Viewer = { response, queue: [], wake: () => {}, sentBytes: 0 };
  line.viewers.add(viewer);
  const gone = (): void => {
    line.viewers.delete(viewer);
    viewer.wake();
  };
  response.on('close', gone);
  response.on('error', gone);
  if (request.method !== 'GET') response.writeHead(405).end();
  // A viewer that came during a stall is not even answered before it ends.
  while (line.mode === 'stall' && line.viewers.has(viewer)) await nextWake(viewer);
  if (isStatus(line.mode)) response.writeHead(Number(line.mode), { 'content-length': '0', connection: 'close' }).end();
  else if (line.viewers.has(viewer) && !response.headersSent) {
    const length = line.mode === 'truncate' ? { 'content-length': String(TRUNCATED_LENGTH) } : {};
    response.writeHead(200, { 'content-type': 'video/mp2t', connection: 'close', ...length });
    await stream(line, viewer, clock);
  }
}

async function stream(line: Line, viewer: Viewer, clock: Clock): Promise<void> {
  while (line.viewers.has(viewer)) {
    const { mode } = line;
    const isCut = mode === 'truncate' && viewer.sentBytes >= TRUNCATE_AFTER_BYTES;
    // Dropped in the middle: what the viewer meets when it comes back is the failure itself.
    if (isStatus(mode) || mode === 'refuse' || isCut) return void viewer.response.destroy();
    const chunk = mode === 'stall' ? undefined : viewer.queue.shift();
    if (!chunk) {
      await nextWake(viewer);
      continue;
    }
    if (mode === 'slow') await clock.sleep((chunk.length / SLOW_BYTES_PER_S) * 1_000);
    viewer.sentBytes += chunk.length;
    if (!viewer.response.write(mode === 'corrupt' ? spoil(chunk) : chunk)) await nextDrain(viewer);
  }
}

const isStatus = (mode: OriginMode): boolean => /^\d+$/.test(mode);

const nextWake = (viewer: Viewer): Promise<void> =>
  new Promise((resolve) => {
    viewer.wake = resolve;
  });

/** Resolves when the viewer's connection takes more again, or is gone. */
const nextDrain = ({ response }: Viewer): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });

/** Every nth byte turned round: the same damage each time, so that a run can be repeated. */
function spoil(chunk: Buffer): Buffer {
  const spoilt = Buffer.from(chunk);
  for (let at = 7; at < spoilt.length; at += CORRUPT_EVERY) spoilt[at] = spoilt[at]! ^ 0xff;
  return spoilt;
}
