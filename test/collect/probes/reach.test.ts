import { createServer } from 'node:net';
import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { reachHttp, reachTcp } from '../../../src/collect/probes/reach.ts';
import { RequestFailed } from '../../../src/resilience/failure.ts';
import type { BoundedFetch } from '../../../src/resilience/http.ts';
import { aFreePort } from '../support/serving.ts';

const forever = new AbortController().signal;

describe('a look at a port', () => {
  it('finds it open where a connection is accepted, and sends nothing', async () => {
    let bytes = 0;
    const server = createServer((socket) => socket.on('data', (some) => (bytes += some.length))).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const { port } = server.address() as { port: number };
    expect(await reachTcp('127.0.0.1', port, forever)).toEqual({ ok: true });
    expect(bytes).toBe(0);
  });

  it('names a refusal, and a look that was cut off before and after it began', async () => {
    const port = await aFreePort();
    expect(await reachTcp('127.0.0.1', port, forever)).toEqual({ ok: false, failure: 'refused' });
    expect(await reachTcp('127.0.0.1', port, AbortSignal.abort(new Error('cut')))).toMatchObject({ ok: false });
    const limit = new AbortController();
    const look = reachTcp('192.0.2.1', 9, limit.signal);
    limit.abort(new RequestFailed('ENGINE_UNREACHABLE', 'too late', { failure: 'timeout' }));
    expect(await look).toEqual({ ok: false, failure: 'timeout' });
  });
});

describe('a look at an address', () => {
  const lookAt = (ask: BoundedFetch) => reachHttp({ url: 'http://h/', ask, timeoutMs: 10 }, forever);
  const answering = (status: number): BoundedFetch =>
    Object.assign(async () => ({ status, headers: new Headers(), body: Buffer.alloc(0) }), {
      [Symbol.dispose]: () => undefined,
    }) as unknown as BoundedFetch;
  const failing = (status: number): BoundedFetch =>
    Object.assign(
      async () => {
        throw new RequestFailed('ENGINE_UNREACHABLE', `answered ${status}`, { failure: 'http_status', status });
      },
      { [Symbol.dispose]: () => undefined },
    ) as unknown as BoundedFetch;

  it('takes any answer, and a redirect, for an answer', async () => {
    expect(await lookAt(answering(200))).toEqual({ ok: true, status: 200 });
    expect(await lookAt(failing(300))).toEqual({ ok: true, status: 300 });
    expect(await lookAt(failing(399))).toEqual({ ok: true, status: 399 });
  });

  it('takes any other status for a failure', async () => {
    for (const status of [299, 400, 503])
      expect(await lookAt(failing(status))).toEqual({ ok: false, failure: 'http_status', status });
  });
});
