import { connect, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { sha256Of } from '../../src/http/auth/grants.ts';
import { WAITING_MAX } from '../../src/http/connections.ts';
import { type HttpServer, startServer } from '../../src/http/server.ts';
import { aDaemon } from './support.ts';

const TOKEN = `operator-${'x'.repeat(40)}`;
const HALF = 'GET /healthz HTTP/1.1\r\nHost: ';
let server: HttpServer;
let sockets: Socket[] = [];

beforeEach(async () => {
  const tokens = [{ name: 'operator', scopes: ['admin'], sha256: sha256Of(TOKEN) }] as const;
  const options = { host: '127.0.0.1', port: 0, allowedHosts: [], tokens, metrics: undefined };
  server = await startServer(options, { ...aDaemon(), clock: systemClock, onError: () => undefined });
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  await server[Symbol.asyncDispose]();
});

/** A connection that has begun something and does not go on. */
function halfOpen(begun = HALF): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(server.url).port) }, () => {
      socket.write(begun);
      resolve(socket);
    });
    socket.on('error', () => undefined);
    sockets.push(socket);
  });
}
const halfOpens = async (count: number) => {
  for (let left = count; left > 0; left -= 100) {
    await Promise.all(Array.from({ length: Math.min(100, left) }, () => halfOpen()));
  }
};
const refusedConnections = () => server.refused().find(({ reason }) => reason === 'connection')?.count;
const open = () => sockets.filter((socket) => !socket.destroyed && !socket.closed).length;

async function ask(path: string): Promise<{ readonly status: number; readonly tookMs: number }> {
  const beganMs = systemClock.monotonicMs();
  const headers = { authorization: `Bearer ${TOKEN}`, connection: 'close' };
  const { status } = await fetch(server.url + path, { headers });
  return { status, tookMs: systemClock.monotonicMs() - beganMs };
}

describe('half-open connections', () => {
  it('by the thousand keep no probe and no operator waiting', async () => {
    await halfOpens(3_000);
    for (const path of ['/healthz', '/api/v1/status']) {
      const { status, tookMs } = await ask(path);
      expect(status).toBe(200);
      expect(tookMs).toBeLessThan(1_000);
    }
  }, 60_000);

  it('crowd out each other: no more are kept than the bound, and what is cut is counted', async () => {
    await halfOpens(WAITING_MAX + 200);
    await expect.poll(() => refusedConnections(), { timeout: 10_000 }).toBe(200);
    await expect.poll(open, { timeout: 10_000 }).toBe(WAITING_MAX);
  }, 60_000);

  it('up to the bound are left alone', async () => {
    await halfOpens(WAITING_MAX);
    await ask('/healthz').catch(() => undefined);
    // The probe itself was one more for a moment.
    expect(refusedConnections()).toBeLessThanOrEqual(1);
  }, 60_000);

  it('do not cut a stream that a client reads', async () => {
    const stop = new AbortController();
    const headers = { authorization: `Bearer ${TOKEN}` };
    const stream = await fetch(`${server.url}/api/v1/events`, { headers, signal: stop.signal });
    let ended = false;
    const reading = (async () => {
      for await (const _ of stream.body!);
    })()
      .catch(() => undefined)
      .finally(() => (ended = true));
    await halfOpens(WAITING_MAX + 300);
    await expect.poll(() => refusedConnections(), { timeout: 10_000 }).toBeGreaterThanOrEqual(300);
    expect(ended).toBe(false);
    stop.abort();
    await reading;
  }, 60_000);

  it('end by themselves ten seconds after they began', async () => {
    const socket = await halfOpen();
    const beganMs = systemClock.monotonicMs();
    await new Promise((resolve) => socket.resume().once('close', resolve));
    const tookMs = systemClock.monotonicMs() - beganMs;
    expect(tookMs).toBeGreaterThan(8_000);
    expect(tookMs).toBeLessThan(15_000);
  }, 30_000);

  it('headers of more than 16 KiB are refused', async () => {
    const socket = await halfOpen(`GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}`);
    const answer = await new Promise<string>((resolve) => socket.once('data', (bytes) => resolve(String(bytes))));
    expect(answer).toMatch(/^HTTP\/1\.1 431/);
  });
});
