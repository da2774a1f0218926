import dns from 'node:dns';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import type { ReeveError } from '../../src/core/errors.ts';
import { failureOf, statusOf } from '../../src/resilience/failure.ts';
import { boundedFetch, type HttpRequest } from '../../src/resilience/http.ts';
import { closeServersAfterAll, serve, serveRaw } from '../support/servers.ts';

const fetch = boundedFetch(systemClock);
afterAll(() => fetch[Symbol.dispose]());
closeServersAfterAll();

const ask = (request: Partial<HttpRequest> & { url: string }) =>
  fetch({ timeoutMs: 5_000, bytesMax: 1_000, ...request });
const failure = async (request: Partial<HttpRequest> & { url: string }) => {
  const error = await ask(request).then(
    () => expect.fail('it should have failed'),
    (thrown: unknown) => thrown as ReeveError,
  );
  return { code: error.code, failure: failureOf(error), status: statusOf(error), message: error.message, error };
};

describe('boundedFetch', () => {
  it('asks once for a name that gives no answer, however many want it, and reaches this machine all the while', async () => {
    const url = await serve((_request, response) => response.end('here'));
    const asked = vi.spyOn(dns, 'lookup').mockImplementation(() => undefined as never);
    onTestFinished(() => asked.mockRestore());
    const all = Array.from({ length: 50 }, () => failure({ url: 'http://origin.example/', timeoutMs: 200 }));
    const here = await ask({ url: url.replace('127.0.0.1', 'localhost') });
    expect(here.body.toString()).toBe('here');
    expect(new Set((await Promise.all(all)).map((each) => each.failure))).toEqual(new Set(['timeout']));
    expect(asked).toHaveBeenCalledTimes(1);
  });

  it('lets no peer wait for connections that others keep, and keeps no more than a few of many', async () => {
    using own = boundedFetch(systemClock);
    const asked = (url: string, timeoutMs: number) => own({ url, timeoutMs, bytesMax: 1_000 });
    const open = new Set<net.Socket>();
    const urls = await Promise.all(
      Array.from({ length: 140 }, () =>
        serve(({ socket }, response) => {
          open.add(socket);
          socket.once('close', () => open.delete(socket));
          response.end('ok');
        }),
      ),
    );
    for (let round = 0; round < 3; round += 1) {
      for (const url of urls) expect((await asked(url, 2_000)).status).toBe(200);
    }
    await expect.poll(() => open.size).toBeLessThanOrEqual(128);
    expect(open.size).toBeGreaterThan(100);
    const hanging = await serve(() => undefined);
    const held = Array.from({ length: 200 }, () => asked(hanging, 1_000).then(() => 'answered', failureOf));
    expect((await asked(urls[139]!, 800)).status).toBe(200);
    expect(new Set(await Promise.all(held))).toEqual(new Set(['timeout']));
  });

  it('sends method, headers and body, and reads the answer', async () => {
    const url = await serve(async (request, response) => {
      const body = await request.toArray();
      response.setHeader('x-seen', `${request.method} ${request.url} ${request.headers['x-key']}`);
      response.end(`got ${Buffer.concat(body).toString()}`);
    });
    const answer = await ask({ url: `${url}/a?b=1`, method: 'POST', headers: { 'x-key': 'k' }, body: 'grüße' });
    expect(answer.status).toBe(200);
    expect(answer.headers['x-seen']).toBe('POST /a?b=1 k');
    expect(answer.body.toString()).toBe('got grüße');
  });

  it('asks through a unix socket', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'reeve-http-'));
    const socketPath = join(dir, 's');
    const server = http.createServer((request, response) => response.end(request.url));
    server.listen(socketPath);
    await once(server, 'listening');
    expect((await ask({ url: 'http://unix/RPC2', socketPath })).body.toString()).toBe('/RPC2');
    server.close();
    rmSync(dir, { recursive: true });
  });

  it('keeps a connection for repeatable requests and uses a fresh one for all others', async () => {
    const ports = new Set<number | undefined>();
    const url = await serve((request, response) => {
      ports.add(request.socket.remotePort);
      response.end('ok');
    });
    for (let index = 0; index < 3; index += 1) await ask({ url });
    expect(ports.size).toBe(1);
    for (let index = 0; index < 3; index += 1) await ask({ url, method: 'POST', body: '' });
    expect(ports.size).toBe(4);
  });

  it('sends a repeatable request again when the kept connection was dead, any other exactly once', async () => {
    let requests = 0;
    const url = await serveRaw((socket) => {
      let served = 0;
      socket.on('data', () => {
        requests += 1;
        served += 1;
        if (served > 1) return socket.destroy();
        return socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
      });
    });
    expect((await ask({ url })).body.toString()).toBe('ok');
    expect((await ask({ url })).body.toString()).toBe('ok');
    expect(requests).toBe(3);
    const dying = await serveRaw((socket) => {
      socket.on('data', () => {
        requests += 1;
        socket.destroy();
      });
    });
    requests = 0;
    expect(await failure({ url: dying, method: 'POST', body: 'restart' })).toMatchObject({ failure: 'reset' });
    expect(requests).toBe(1);
  });
});

describe('bounds', () => {
  it('reads exactly as many bytes as allowed, and refuses one more', async () => {
    const url = await serve((request, response) => response.end('x'.repeat(Number(request.url!.slice(1)))));
    expect((await ask({ url: `${url}/1000` })).body.length).toBe(1_000);
    expect(await failure({ url: `${url}/1001` })).toMatchObject({ code: 'ANSWER_TOO_LARGE', failure: 'too_large' });
  });

  it('closes the connection of a flood, without holding it', async () => {
    let sent = 0;
    let closed = false;
    const url = await serve((_, response) => {
      const block = Buffer.alloc(65_536);
      const pour = (): void => {
        while (!response.destroyed && sent < 1 << 30) {
          sent += block.length;
          if (!response.write(block)) {
            response.once('drain', pour);
            return;
          }
        }
      };
      response.on('close', () => {
        closed = true;
      });
      pour();
    });
    expect(await failure({ url })).toMatchObject({ code: 'ANSWER_TOO_LARGE' });
    await expect.poll(() => closed).toBe(true);
    expect(sent).toBeLessThan(32 << 20);
  });

  it('takes the beginning of an endless body when asked to cut', async () => {
    const url = await serve((_, response) => {
      const timer = setInterval(() => response.write(Buffer.alloc(188, 0x47)), 1);
      response.on('close', () => clearInterval(timer));
    });
    const answer = await ask({ url, cut: true, bytesMax: 376 });
    expect(answer).toMatchObject({ status: 200, wasCut: true });
    expect(answer.body).toEqual(Buffer.alloc(376, 0x47));
  });

  it('gives up at the deadline: before the head, and in the middle of a dripping body', async () => {
    const silent = await serveRaw(() => {});
    expect(await failure({ url: silent, timeoutMs: 50 })).toMatchObject({ code: 'TIMED_OUT', failure: 'timeout' });
    const dripping = await serve((_, response) => {
      const timer = setInterval(() => response.write('x'), 5);
      response.on('close', () => clearInterval(timer));
    });
    expect(await failure({ url: dripping, timeoutMs: 100 })).toMatchObject({ code: 'TIMED_OUT', failure: 'timeout' });
  });

  it('ends with the caller, and with his reason', async () => {
    const url = await serveRaw(() => {});
    const caller = new AbortController();
    const call = ask({ url, signal: caller.signal });
    caller.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    await expect(ask({ url, signal: caller.signal })).rejects.toThrow('enough');
  });

  it('refuses a head that is too large', async () => {
    const url = await serveRaw((socket) => {
      socket.on('data', () => socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`));
    });
    expect(await failure({ url })).toMatchObject({ failure: 'invalid_answer' });
  });

  it('does not unpack a compressed answer', async () => {
    const url = await serve((request, response) => {
      response.setHeader('content-encoding', 'gzip');
      response.end(request.headers['accept-encoding']);
    });
    expect((await ask({ url })).body.toString()).toBe('identity');
  });
});

describe('failures', () => {
  it('distinguishes refused, reset, nonsense and truncation', async () => {
    const gone = net.createServer();
    gone.listen(0, '127.0.0.1');
    await once(gone, 'listening');
    const { port } = gone.address() as net.AddressInfo;
    gone.close();
    await once(gone, 'close');
    expect(await failure({ url: `http://127.0.0.1:${port}` })).toMatchObject({
      code: 'ENGINE_UNREACHABLE',
      failure: 'refused',
    });
    const reset = await serveRaw((socket) => socket.on('data', () => socket.resetAndDestroy()));
    expect(await failure({ url: reset })).toMatchObject({ code: 'ENGINE_UNREACHABLE', failure: 'reset' });
    const closed = await serveRaw((socket) => socket.on('data', () => socket.end()));
    expect(await failure({ url: closed })).toMatchObject({ failure: 'reset' });
    const nonsense = await serveRaw((socket) => socket.on('data', () => socket.end('SSH-2.0-OpenSSH_9.2\r\n')));
    expect(await failure({ url: nonsense })).toMatchObject({ failure: 'invalid_answer' });
    const cut = await serveRaw((socket) => {
      socket.on('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'));
    });
    expect(await failure({ url: cut })).toMatchObject({ code: 'ENGINE_UNREACHABLE', failure: 'truncated' });
    const switching = await serveRaw((socket) => {
      socket.on('data', () =>
        socket.write('HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
      );
    });
    expect(await failure({ url: switching })).toMatchObject({ failure: 'reset' });
  });

  it('distinguishes a missing socket file, an unknown name and a plain peer behind TLS', async () => {
    expect(await failure({ url: 'http://unix/', socketPath: '/nowhere/reeve.sock' })).toMatchObject({
      failure: 'refused',
    });
    const plain = await serve((_, response) => response.end());
    expect(await failure({ url: plain.replace('http:', 'https:') })).toMatchObject({ failure: 'tls' });
    expect(failureOf(Object.assign(new Error(), { code: 'ENOTFOUND' }))).toBe('dns');
    expect(failureOf(new AggregateError([Object.assign(new Error(), { code: 'ECONNREFUSED' })]))).toBe('refused');
    expect(failureOf(new Error('?'))).toBe('unreachable');
    expect(failureOf('?')).toBe('unreachable');
  });

  it('does not follow a redirect', async () => {
    let asked = 0;
    const url = await serve((_, response) => {
      asked += 1;
      response.writeHead(302, { location: '/other' }).end();
    });
    const seen = await failure({ url: `${url}/stat`, accept: () => true });
    expect(seen).toMatchObject({ code: 'ENGINE_REFUSED', failure: 'http_status', status: 302 });
    expect(seen.message).toContain('redirects are not followed');
    expect(asked).toBe(1);
  });

  it('takes 4xx for a refusal, and 408, 425, 429 and 5xx for a peer to ask again', async () => {
    const url = await serve((request, response) => {
      response.writeHead(Number(request.url!.slice(1)), { 'retry-after': '7' }).end();
    });
    for (const status of [400, 401, 403, 404, 410, 451]) {
      expect(await failure({ url: `${url}/${status}` })).toMatchObject({ code: 'ENGINE_REFUSED', status });
    }
    for (const status of [408, 425, 429, 500, 502, 503, 504]) {
      const seen = await failure({ url: `${url}/${status}` });
      expect(seen).toMatchObject({ code: 'ENGINE_UNREACHABLE', status, failure: 'http_status' });
      expect(seen.error).toMatchObject({ retryAfterMs: 7_000 });
    }
    expect((await ask({ url: `${url}/404`, accept: (status) => status === 404 })).status).toBe(404);
  });

  it('names receivers in its errors where it serves receivers', async () => {
    using toReceiver = boundedFetch(systemClock, { unreachable: 'RECEIVER_UNREACHABLE', refused: 'RECEIVER_REFUSED' });
    const url = await serve((request, response) => response.writeHead(Number(request.url!.slice(1))).end());
    for (const [status, code] of [
      [500, 'RECEIVER_UNREACHABLE'],
      [403, 'RECEIVER_REFUSED'],
    ] as const) {
      const call = toReceiver({ url: `${url}/${status}`, timeoutMs: 5_000, bytesMax: 100 });
      await expect(call).rejects.toMatchObject({ code });
    }
  });

  it('names the peer alone in a message: no credentials, path or query', async () => {
    const url = await serve((_, response) => response.writeHead(500).end());
    const secret = url.replace('http://', 'http://user:hunter2@');
    const { message } = await failure({ url: `${secret}/path?X-Plex-Token=hunter3` });
    expect(message).toMatch(/^http:\/\/127\.0\.0\.1:\d+ answered 500$/);
    expect(message).not.toMatch(/hunter|user/);
  });
});
