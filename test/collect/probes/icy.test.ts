import { describe, expect, it } from 'vitest';
import { isIcy, openIcy } from '../../../src/collect/probes/icy.ts';
import { reachHttp } from '../../../src/collect/probes/reach.ts';
import { probeSource } from '../../../src/collect/probes/source.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { boundedFetch } from '../../../src/resilience/http.ts';
import { accept, aFreePort } from '../support/serving.ts';

const forever = new AbortController().signal;

/** A SHOUTcast server that sends this after its answer, if it has a stream. */
async function shoutcast({ answer = 'ICY 200 OK', sends = 'x'.repeat(4_096) } = {}) {
  const asked: string[] = [];
  const port = await accept((socket) =>
    socket.once('data', (bytes) => {
      asked.push(bytes.toString());
      socket.write(`${answer}\r\nicy-name: jazz\r\ncontent-type: audio/mpeg\r\n\r\n${sends}`);
    }),
  );
  return { port, asked };
}

const look = (port: number, options: { isCalm?: boolean } = {}) =>
  probeSource({ url: `http://me:pass@127.0.0.1:${port}/;`, expect: 'any', clock: systemClock, ...options }, forever);

describe('a source that answers as SHOUTcast does', () => {
  it('is there, and asked as any other is, with the name and password of its address', async () => {
    const { port, asked } = await shoutcast();
    expect(await look(port, { isCalm: true })).toMatchObject({ ok: true, status: 200, host: `127.0.0.1:${port}` });
    const login = `Authorization: Basic ${Buffer.from('me:pass').toString('base64')}`;
    expect(asked).toHaveLength(2);
    expect(asked[1]).toBe(`GET /; HTTP/1.0\r\nHost: 127.0.0.1:${port}\r\n${login}\r\n\r\n`);
  });

  it('is silent where nothing comes after its answer', async () => {
    const { port } = await shoutcast({ sends: '' });
    const { ok, silentMs } = await look(port);
    expect([ok, (silentMs ?? 0) > 1_500]).toEqual([true, true]);
  });

  it.each(['ICY 401 Service Unavailable', 'NONSENSE 200 OK'])('is not there where it says %s', async (answer) => {
    const { port } = await shoutcast({ answer });
    expect(await look(port)).toMatchObject({ ok: false, failure: 'invalid_answer' });
  });

  it('is reached as an output, too', async () => {
    const { port } = await shoutcast();
    using ask = boundedFetch(systemClock);
    const url = `http://127.0.0.1:${port}/`;
    expect(await reachHttp({ url, ask, timeoutMs: 2_000 }, forever)).toEqual({ ok: true, status: 200 });
  });
});

describe('asking it once more', () => {
  it('fails where nobody listens, and ends with its signal', async () => {
    const url = new URL(`http://127.0.0.1:${await aFreePort()}/`);
    expect(await openIcy(url, forever)).toMatchObject({ error: { code: 'ECONNREFUSED' } });
    const late = new Error('late');
    expect(await openIcy(url, AbortSignal.abort(late))).toEqual({ error: late });
  });

  it('is not done for an error of another kind', () => {
    const circle: Error = new Error('a', { cause: undefined });
    circle.cause = circle;
    expect([isIcy(circle), isIcy('ICY 200 OK'), isIcy(undefined)]).toEqual([false, false, false]);
  });
});
