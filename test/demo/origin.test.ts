import { get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Origin, openOrigin } from '../../demo/origin.ts';
import { findProgram } from '../../demo/process.ts';

const SYNC_BYTE = 0x47;
const PACKET_BYTES = 188;

interface Seen {
  readonly status: number | undefined;
  readonly body: Buffer;
  readonly error: string | undefined;
}

/** Watches a channel until it has `enoughBytes`, the origin ends it, or `patienceMs` is over. */
function watch(url: string, { enoughBytes = 40_000, patienceMs = 8_000 } = {}): Promise<Seen> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let answer: IncomingMessage | undefined;
    const finish = (error?: string): void => {
      clearTimeout(patience);
      request.destroy();
      resolve({ status: answer?.statusCode, body: Buffer.concat(chunks), error });
    };
    const request = get(url, (response) => {
      answer = response;
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        if (chunks.reduce((sum, { length }) => sum + length, 0) >= enoughBytes) finish();
      });
      response.on('end', () => finish());
      response.on('error', (error: NodeJS.ErrnoException) => finish(error.code));
    });
    request.on('error', (error: NodeJS.ErrnoException) => finish(error.code));
    const patience = setTimeout(() => finish('patience'), patienceMs);
  });
}

/** The share of packets that begin with the sync byte, from the first one found. */
function soundShare(body: Buffer): number {
  const first = body.indexOf(SYNC_BYTE);
  let sound = 0;
  let all = 0;
  for (let at = first; at < body.length; at += PACKET_BYTES) {
    all += 1;
    if (body[at] === SYNC_BYTE) sound += 1;
  }
  return sound / all;
}

describe.skipIf(!findProgram('ffmpeg'))('the origin (needs ffmpeg)', () => {
  let origin: Origin;
  beforeAll(async () => {
    origin = await openOrigin(['a', 'b']);
  });
  afterAll(() => origin[Symbol.asyncDispose]());

  it('shows a sound transport stream', async () => {
    const { status, body } = await watch(origin.urlOf('a'));
    expect(status).toBe(200);
    expect(soundShare(body)).toBe(1);
  });

  it.each(['403', '404', '500'] as const)('answers %s to one channel and plays the other', async (mode) => {
    await origin.set('a', mode);
    expect(await watch(origin.urlOf('a'))).toMatchObject({ status: Number(mode), error: undefined });
    expect(await watch(origin.urlOf('b'))).toMatchObject({ status: 200, error: undefined });
    await origin.set('a', 'ok');
  });

  it('refuses connections and drops who is watching, then takes them again', async () => {
    const watching = watch(origin.urlOf('a'), { enoughBytes: Number.POSITIVE_INFINITY });
    await expect.poll(() => origin.viewersOf('a')).toBe(1);
    await origin.set('a', 'refuse');
    expect((await watching).error).toBe('ECONNRESET');
    expect(await watch(origin.urlOf('a'))).toMatchObject({ status: undefined, error: 'ECONNREFUSED' });
    await origin.set('a', 'ok');
    expect(await watch(origin.urlOf('a'))).toMatchObject({ status: 200, error: undefined });
  });

  it('stalls: accepts, answers nothing, and goes on when the stall ends', async () => {
    await origin.set('a', 'stall');
    const watching = watch(origin.urlOf('a'), { enoughBytes: 2_000 });
    expect(await watch(origin.urlOf('a'), { patienceMs: 700 })).toMatchObject({ status: undefined, error: 'patience' });
    await origin.set('a', 'ok');
    expect(await watching).toMatchObject({ status: 200, error: undefined });
  });

  it('is slow: sends far less than the picture needs', async () => {
    await origin.set('a', 'slow');
    const { body } = await watch(origin.urlOf('a'), { patienceMs: 3_000 });
    expect(body.length).toBeLessThan(12_000);
    await origin.set('a', 'ok');
  });

  it('truncates: announces more than it sends', async () => {
    await origin.set('a', 'truncate');
    const { status, body, error } = await watch(origin.urlOf('a'), { enoughBytes: 200_000, patienceMs: 15_000 });
    expect({ status, error }).toEqual({ status: 200, error: 'ECONNRESET' });
    expect(body.length).toBeLessThan(100_000);
    await origin.set('a', 'ok');
  });

  it('corrupts: the packets no longer begin where they should', async () => {
    await origin.set('a', 'corrupt');
    const { body } = await watch(origin.urlOf('a'));
    expect(soundShare(body)).toBeLessThan(0.99);
    await origin.set('a', 'ok');
  });
});
