import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isCorruptTransportStream } from '../../../src/collect/probes/mpegts.ts';
import { probeSource } from '../../../src/collect/probes/source.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { ReeveError } from '../../../src/core/errors.ts';
import { accept, aFreePort, serve } from '../support/serving.ts';

/** Whole packets with random content. */
function transportStream(packets: number): Buffer {
  const bytes = randomBytes(packets * 188);
  for (let at = 0; at < bytes.length; at += 188) {
    bytes[at] = 0x47;
    bytes[at + 1] = bytes[at + 1]! & 0x7f;
  }
  return bytes;
}

function damaged(bytes: Buffer, share: number): Buffer {
  const copy = Buffer.from(bytes);
  for (let count = 0; count < copy.length * share; count += 1)
    copy[Math.floor(Math.random() * copy.length)] = randomBytes(1)[0]!;
  return copy;
}

/** A signal as the poller gives it: its reason is a typed error. */
function within(ms: number): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(new ReeveError('TIMED_OUT', 'late')), ms).unref();
  return controller.signal;
}

const look = (url: string, expected: 'mpegts' | 'any' = 'mpegts', ms = 4_000) =>
  probeSource({ url, expect: expected, clock: systemClock }, within(ms));

describe('a transport stream', () => {
  it('is whole from whatever byte it is joined at', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 12, max: 60 }), (cut, packets) => {
        expect(isCorruptTransportStream(transportStream(packets + 3).subarray(cut))).toBe(false);
      }),
    );
  });

  it('is corrupt when one byte in twenty is not what it was, and when it is something else', () => {
    for (let run = 0; run < 50; run += 1)
      expect(isCorruptTransportStream(damaged(transportStream(200), 0.05))).toBe(true);
    expect(isCorruptTransportStream(randomBytes(65_536))).toBe(true);
    expect(isCorruptTransportStream(Buffer.from('<html>'.repeat(2_000)))).toBe(true);
  });

  it('is taken for whole with one bad packet, and with too few bytes to judge', () => {
    const bytes = transportStream(100);
    bytes[188 * 50] = 0;
    expect(isCorruptTransportStream(bytes)).toBe(false);
    bytes[188 * 60] = 0;
    expect(isCorruptTransportStream(bytes)).toBe(true);
    expect(isCorruptTransportStream(randomBytes(188 * 10))).toBe(false);
  });

  it('that says of itself that it is damaged, is', () => {
    const bytes = transportStream(100);
    for (let packet = 0; packet < 10; packet += 1) bytes[packet * 188 + 1] = 0x80;
    expect(isCorruptTransportStream(bytes)).toBe(true);
  });
});

describe('a look at a source', () => {
  it('takes a moment of an endless stream and closes', async () => {
    let isClosed = false;
    const { url, host } = await serve((_request, response) => {
      const timer = setInterval(() => response.write(transportStream(100)), 5);
      response.on('close', () => {
        clearInterval(timer);
        isClosed = true;
      });
    });
    const { silentMs, ...seen } = await look(`${url}/live/x.ts?token=secret`);
    expect(seen).toEqual({ ok: true, status: 200, host });
    expect(silentMs).toBeLessThan(1_000);
    await expect.poll(() => isClosed).toBe(true);
  });

  it('accepts a slow stream after two seconds', async () => {
    const { url } = await serve((_request, response) => {
      const timer = setInterval(() => response.write(transportStream(1)), 50);
      response.on('close', () => clearInterval(timer));
    });
    const started = systemClock.monotonicMs();
    expect(await look(url)).toMatchObject({ ok: true });
    expect(systemClock.monotonicMs() - started).toBeLessThan(3_500);
  });

  it('reports for how long a stream had been silent when it ended', async () => {
    const { url } = await serve((_request, response) => void response.write(transportStream(20)));
    const seen = await look(url);
    expect(seen.ok).toBe(true);
    expect(seen.silentMs).toBeGreaterThan(1_900);
  });

  it.each([
    [403, {}, {}],
    [404, {}, {}],
    [410, {}, {}],
    [500, {}, {}],
    [503, { 'retry-after': '120' }, { retryAfterMs: 120_000 }],
    [429, { 'retry-after': '7' }, { retryAfterMs: 7_000 }],
    [429, { 'retry-after': 'Thu, 01 Jan 2026 00:00:00 GMT' }, {}],
  ])('reports status %d', async (status, headers, more) => {
    const { url, host } = await serve((_request, response) => response.writeHead(status, headers).end('no'));
    expect(await look(url)).toEqual({ ok: false, failure: 'http_status', status, host, ...more });
  });

  it('reports a corrupt stream, unless any content is expected', async () => {
    const { url } = await serve((_request, response) => void response.write(damaged(transportStream(400), 0.05)));
    expect(await look(url)).toMatchObject({ ok: false, failure: 'corrupt', status: 200 });
    expect(await look(url, 'any')).toMatchObject({ ok: true });
  });

  it('distinguishes who refuses, who accepts and sends nothing, and who sends a head and no byte', async () => {
    expect(await look(`http://127.0.0.1:${await aFreePort()}/x.ts`)).toMatchObject({ ok: false, failure: 'refused' });
    const silent = await accept(() => undefined);
    expect(await look(`http://127.0.0.1:${silent}/x.ts`, 'mpegts', 300)).toMatchObject({
      ok: false,
      failure: 'timeout',
    });
    const { url } = await serve((_request, response) => response.flushHeaders());
    expect(await look(url, 'mpegts', 300)).toMatchObject({ ok: false, failure: 'timeout' });
    expect(await look('http://no-such-host.invalid/x.ts', 'any', 3_000)).toMatchObject({
      ok: false,
      failure: expect.stringMatching(/dns|timeout/),
    });
  });

  it('reports a body that ends too soon, and one that breaks off', async () => {
    const short = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': 10_000_000 });
      response.write(transportStream(50), () => response.destroy());
    });
    expect(await look(short.url)).toMatchObject({ ok: false, failure: 'truncated' });
    const empty = await serve((_request, response) => response.end());
    expect(await look(empty.url)).toMatchObject({ ok: false, failure: 'truncated' });
    const ended = await serve((_request, response) => response.end(transportStream(50)));
    expect(await look(ended.url)).toMatchObject({ ok: false, failure: 'truncated' });
    expect(await look(ended.url, 'any')).toMatchObject({ ok: true });
  });

  it('reports an answer that is no HTTP, and a dropped connection', async () => {
    const garbage = await accept((socket) => socket.write('\0\0\0 not http\r\n\r\n'));
    expect(await look(`http://127.0.0.1:${garbage}/`)).toMatchObject({ ok: false, failure: 'invalid_answer' });
    const dropped = await accept((socket) => socket.destroy());
    expect(await look(`http://127.0.0.1:${dropped}/`)).toMatchObject({ ok: false, failure: 'reset' });
    const secure = await accept((socket) => socket.write('this is no TLS'));
    expect(await look(`https://127.0.0.1:${secure}/`)).toMatchObject({ ok: false, failure: 'tls' });
  });

  it('follows a redirect on the same host, and none to another', async () => {
    const other = await serve((_request, response) => response.end(transportStream(500)));
    const { url } = await serve((request, response) => {
      if (request.url === '/a') return response.writeHead(302, { location: '/b' }).end();
      if (request.url === '/out') return response.writeHead(302, { location: 'http://localhost.invalid/x' }).end();
      if (request.url === '/loop') return response.writeHead(302, { location: '/loop' }).end();
      return void response.write(transportStream(500));
    });
    expect(await look(`${url}/a`)).toMatchObject({ ok: true, status: 200 });
    expect(await look(`${url}/out`)).toMatchObject({ ok: false, failure: 'http_status', status: 302 });
    expect(await look(`${url}/loop`)).toMatchObject({ ok: false, failure: 'invalid_answer' });
    expect(other.asked).toEqual([]);
  });

  it('has a reading where a redirect leads to an address that nobody can ask', async () => {
    const { url } = await serve((_request, response) => {
      response.writeHead(302, { location: `http://%zz:x@${response.req.headers.host}/` }).end();
    });
    expect(await look(url)).toEqual({ ok: false, failure: 'invalid_answer', host: new URL(url).host });
  });

  it('follows a redirect to another port only where the configuration names it', async () => {
    const other = await serve((_request, response) => void response.write(transportStream(500)));
    const { url } = await serve((_request, response) => response.writeHead(302, { location: `${other.url}/x` }).end());
    expect(await look(url)).toMatchObject({ ok: false, failure: 'http_status', status: 302 });
    expect(other.asked).toEqual([]);
    const redirectsTo = [new URL(other.url).origin];
    const options = { url, expect: 'mpegts', redirectsTo, clock: systemClock } as const;
    expect(await probeSource(options, within(4_000))).toMatchObject({ ok: true, status: 200 });
    expect(other.asked).toHaveLength(1);
  });
});

describe('a look at the source of a channel that is in no doubt', () => {
  const calmLook = (url: string, expected: 'mpegts' | 'any') =>
    probeSource({ url, expect: expected, clock: systemClock, isCalm: true }, within(4_000));

  it.each([
    ['any', Buffer.from('x')],
    ['mpegts', transportStream(64)],
  ] as const)('of %s ends with its proof: nothing more need come', async (expected, bytes) => {
    const { url } = await serve((_request, response) => void response.write(bytes));
    const fromMs = performance.now();
    expect(await calmLook(url, expected)).toMatchObject({ ok: true });
    expect(performance.now() - fromMs).toBeLessThan(1_900);
  });

  it.each([
    ['too few packets', transportStream(63)],
    ['damaged packets', Buffer.concat([transportStream(30), randomBytes(188 * 34)])],
  ])('goes on for a moment after %s', async (_what, bytes) => {
    const { url } = await serve((_request, response) => void response.write(bytes));
    const fromMs = performance.now();
    await calmLook(url, 'mpegts');
    expect(performance.now() - fromMs).toBeGreaterThan(1_900);
  });

  it('calls it corrupt by as many bytes as ever', async () => {
    const { url } = await serve((_request, response) => void response.write(randomBytes(65_536)));
    expect(await calmLook(url, 'mpegts')).toMatchObject({ ok: false, failure: 'corrupt' });
  });
});
