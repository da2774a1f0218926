import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHlsProbe } from '../../../src/collect/probes/hls.ts';
import { type Clock, systemClock } from '../../../src/core/clock.ts';
import { boundedFetch } from '../../../src/resilience/http.ts';
import { fakeClock } from '../../support/fake_clock.ts';
import { aFreePort, serve } from '../support/serving.ts';
import { aDirectory } from '../support/tailing.ts';

const forever = new AbortController().signal;

function aProbe(url: string, timeoutMs = 1_000, clock: Clock = systemClock) {
  const ask = boundedFetch(systemClock);
  onTestFinished(() => ask[Symbol.dispose]());
  return createHlsProbe({ url, ask, timeoutMs, clock });
}

const mediaPlaylist = (first: number, more = '') =>
  `#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA-SEQUENCE:${first}\n` +
  [0, 1, 2].map((at) => `#EXTINF:2.0,\nseg${first + at}.ts${more}\n`).join('');

describe('a look at a playlist that its server can say has not changed', () => {
  const modified = 'Thu, 01 Jan 2026 00:00:06 GMT';
  const served = async (date: string, headers: Record<string, string>) => {
    const statuses: number[] = [];
    const { url } = await serve((request, response) => {
      if (request.method === 'HEAD') return response.setHeader('content-length', 9).end();
      response.setHeader('date', date);
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      const { 'if-none-match': tag, 'if-modified-since': since } = request.headers;
      const isKnown = (tag ?? since) !== undefined && (tag ?? since) === (headers.etag ?? headers['last-modified']);
      statuses.push(isKnown ? 304 : 200);
      return isKnown ? response.writeHead(304).end() : response.end(mediaPlaylist(5));
    });
    const probe = aProbe(`${url}/index.m3u8`);
    return { statuses, look: () => probe(forever) };
  };

  it.each([
    ['a tag', { etag: '"a-1"' }],
    ['the time of its change', { 'last-modified': modified }],
    ['both', { etag: '"a-1"', 'last-modified': modified }],
  ])('asks with %s, and reads the list whole after two such answers', async (_with, headers) => {
    const { statuses, look } = await served('Thu, 01 Jan 2026 00:00:07 GMT', headers);
    const first = await look();
    for (let looks = 0; looks < 5; looks += 1) {
      const { revision, ok, mediaSequence } = await look();
      expect({ revision, ok, mediaSequence }).toEqual({ revision: first.revision, ok: true, mediaSequence: 5 });
    }
    expect(statuses).toEqual([200, 304, 304, 200, 304, 304]);
  });

  it('reports its age by the clock of the newest answer', async () => {
    let second = 10;
    const { url } = await serve((request, response) => {
      response.setHeader('date', `Thu, 01 Jan 2026 00:00:${second} GMT`);
      if (request.headers['if-modified-since'] === modified) return response.writeHead(304).end();
      return response.setHeader('last-modified', modified).end(mediaPlaylist(5));
    });
    const probe = aProbe(`${url}/index.m3u8`);
    expect((await probe(forever)).ageMs).toBe(4_000);
    second = 15;
    expect(await probe(forever)).toMatchObject({ status: 304, ageMs: 9_000 });
  });

  it('reads it again when it was changed in the second of the answer: it may have changed once more since', async () => {
    const { statuses, look } = await served(modified, { etag: '"a-1"', 'last-modified': modified });
    for (let looks = 0; looks < 3; looks += 1) await look();
    expect(statuses).toEqual([200, 200, 200]);
  });
});

describe('a look at a playlist', () => {
  it('asks for the size of a calm channel once a minute, and at each new list in doubt or when it was empty', async () => {
    let [sequence, bytes] = [1, 9];
    const { url, asked } = await serve((request, response) => {
      if (request.method === 'HEAD') return response.setHeader('content-length', bytes).end();
      return response.end(request.url?.endsWith('.m3u8') === true ? mediaPlaylist(sequence) : '');
    });
    let nowMs = 0;
    const probe = aProbe(`${url}/index.m3u8`, 1_000, { ...systemClock, monotonicMs: () => nowMs });
    const sizesAfter = async (isCalm: boolean, passedMs: number): Promise<number> => {
      sequence += 1;
      nowMs += passedMs;
      await probe(forever, isCalm);
      return asked.filter((line) => line.startsWith('HEAD')).length;
    };
    expect(await sizesAfter(true, 0)).toBe(1);
    expect(await sizesAfter(true, 30_000)).toBe(1);
    expect(await sizesAfter(true, 30_000)).toBe(2);
    expect(await sizesAfter(true, 59_999)).toBe(2);
    expect(await sizesAfter(true, 1)).toBe(3);
    expect(await sizesAfter(true, 12_000)).toBe(3);
    expect(await sizesAfter(false, 2_000)).toBe(4);
    bytes = 0;
    expect(await sizesAfter(false, 2_000)).toBe(5);
    expect(await sizesAfter(true, 2_000)).toBe(6);
  });

  it('asks for the sizes of calm channels that began together at different times from then on', async () => {
    let nowMs = 0;
    const asked: string[] = [];
    const { url } = await serve((request, response) => {
      if (request.method === 'GET') return response.end(mediaPlaylist(nowMs / 2_000));
      asked.push(request.url ?? '');
      return response.setHeader('content-length', 9).end();
    });
    const clock = { ...systemClock, monotonicMs: () => nowMs };
    const probes = Array.from({ length: 30 }, (_, at) => aProbe(`${url}/ch${at}/index.m3u8`, 1_000, clock));
    const askedAt = async (ms: number): Promise<number> => {
      nowMs = ms;
      asked.length = 0;
      for (const probe of probes) await probe(forever, true);
      return asked.length;
    };
    expect(await askedAt(0)).toBe(30);
    const later = [await askedAt(40_000), await askedAt(50_000), await askedAt(60_000)];
    expect(later.reduce((sum, count) => sum + count)).toBe(30);
    expect(Math.max(...later)).toBeLessThan(25);
  });

  it('reports what it holds, how old it is by the server, and how long its newest segment is', async () => {
    const { url, asked } = await serve((request, response) => {
      if (request.url === '/index.m3u8') {
        response.setHeader('date', 'Thu, 01 Jan 2026 00:00:10 GMT');
        response.setHeader('last-modified', 'Thu, 01 Jan 2026 00:00:06 GMT');
        return response.end(mediaPlaylist(5));
      }
      response.setHeader('content-length', 4_711);
      return response.end();
    });
    const probe = aProbe(`${url}/index.m3u8`);
    expect(await probe(forever)).toEqual({
      ok: true,
      status: 200,
      revision: expect.any(String),
      mediaSequence: 5,
      targetDurationMs: 2_000,
      ended: false,
      ageMs: 4_000,
      newestSegmentBytes: 4_711,
    });
    await probe(forever);
    expect(asked).toEqual(['GET /index.m3u8', 'HEAD /seg7.ts', 'GET /index.m3u8']);
  });

  it.each([
    ['its first byte, without HEAD', 206, { 'content-range': 'bytes 0-0/9000' }, 9_000],
    ['its length, without HEAD and ranges', 200, { 'content-length': '9000' }, 9_000],
    ['the refusal of a first byte, when it has none', 416, { 'content-range': 'bytes */0' }, 0],
  ])('learns the size of a segment from %s', async (_how, status, headers, bytes) => {
    const { url } = await serve((request, response) => {
      if (request.url === '/index.m3u8') return response.end(mediaPlaylist(1));
      response.writeHead(request.method === 'HEAD' ? 405 : status, headers);
      return response.end(request.method === 'HEAD' ? '' : 'x'.repeat(status === 200 ? 9_000 : 0));
    });
    const probe = aProbe(`${url}/index.m3u8`);
    expect(await probe(forever)).toMatchObject({ ok: true, newestSegmentBytes: bytes });
  });

  const listing = (list: string, statuses: Readonly<Record<string, number>>) =>
    serve((request, response) => {
      if (request.url === '/index.m3u8') return response.end(list);
      const status = statuses[request.method ?? ''] ?? 200;
      return response.writeHead(status, { 'content-range': 'bytes 0-0/9000' }).end(request.method === 'GET' ? 'x' : '');
    });
  const live = '#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXT-X-MEDIA-SEQUENCE:7\n';

  it.each([
    ['neither method finds', mediaPlaylist(1), { HEAD: 404, GET: 404 }, { newestSegmentMissing: true }],
    ['is gone', mediaPlaylist(1), { HEAD: 410, GET: 410 }, { newestSegmentMissing: true }],
    ['only HEAD does not find', mediaPlaylist(1), { HEAD: 404, GET: 206 }, { newestSegmentBytes: 9_000 }],
    ['may not be read', mediaPlaylist(1), { HEAD: 403, GET: 403 }, {}],
    ['the server fails about', mediaPlaylist(1), { HEAD: 404, GET: 500 }, {}],
    ['is to come and not listed', live, {}, { newestSegmentMissing: true }],
    ['does not come any more', `${live}#EXT-X-ENDLIST\n`, {}, {}],
    ['is a part yet', `${live}#EXT-X-PART:DURATION=0.3,URI="p.mp4"\n`, {}, {}],
    [
      'the list calls a gap',
      `${live}#EXTINF:2,\na.ts\n#EXTINF:2,\n#EXT-X-GAP\nb.ts\n`,
      { HEAD: 405, GET: 206 },
      { newestSegmentBytes: 9_000 },
    ],
  ])('says that the newest segment is missing, and of nothing else: one that %s', async (_, list, statuses, says) => {
    const { url } = await listing(list, statuses);
    const { ok, newestSegmentBytes, newestSegmentMissing } = await aProbe(`${url}/index.m3u8`)(forever);
    expect(JSON.parse(JSON.stringify({ ok, newestSegmentBytes, newestSegmentMissing }))).toEqual({ ok: true, ...says });
  });

  it('asks again about an empty one: it may be listed while it is written', async () => {
    let bytes = 0;
    const { url } = await serve((request, response) => {
      if (request.url === '/index.m3u8') return response.end(mediaPlaylist(1));
      if (bytes === 0 && request.method === 'GET') return response.writeHead(416).end();
      return response.setHeader('content-length', bytes).end();
    });
    const probe = aProbe(`${url}/index.m3u8`);
    expect(await probe(forever)).toMatchObject({ newestSegmentBytes: 0 });
    bytes = 900;
    expect(await probe(forever)).toMatchObject({ newestSegmentBytes: 900 });
  });

  it('asks about a missing segment again at each look, however calm the channel is', async () => {
    const { url, asked } = await listing(mediaPlaylist(1), { HEAD: 404, GET: 404 });
    const probe = aProbe(`${url}/index.m3u8`);
    for (let looks = 0; looks < 3; looks += 1) await probe(forever, true);
    expect(asked.filter((line) => line === 'HEAD /seg3.ts')).toHaveLength(3);
  });

  it('does without the size when the server gives none, and the playlist is fine all the same', async () => {
    const { url } = await serve((request, response) => {
      if (request.url === '/index.m3u8') return response.end(mediaPlaylist(1));
      if (request.method === 'HEAD') return undefined;
      return response.writeHead(404).end();
    });
    const reading = await aProbe(`${url}/index.m3u8`, 200)(forever);
    expect(reading.ok).toBe(true);
    expect(reading.newestSegmentBytes).toBeUndefined();
  });

  it('follows a master playlist one level, and goes back to it when the variant is gone', async () => {
    let variant = 'a';
    const { url, asked } = await serve((request, response) => {
      const master = `#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n${variant}/media.m3u8\n`;
      if (request.url === '/master.m3u8') return response.end(master);
      if (request.url === `/${variant}/media.m3u8`) return response.end(mediaPlaylist(1));
      return response.writeHead(404).end();
    });
    const probe = aProbe(`${url}/master.m3u8`);
    expect(await probe(forever)).toMatchObject({ ok: true, mediaSequence: 1 });
    await probe(forever);
    expect(asked.filter((line) => line.includes('master'))).toHaveLength(1);
    variant = 'b';
    expect(await probe(forever)).toMatchObject({ ok: false, failure: 'http_status', status: 404 });
    expect(await probe(forever)).toMatchObject({ ok: true });
  });

  it.each([
    ['', {}],
    [' and says that it has not changed', { etag: '"a-1"' }],
  ])('goes back to the master playlist when the variant stands%s: it may name another by now', async (_, headers) => {
    let variant = 'old.m3u8';
    let first = 1;
    const { url } = await serve((request, response) => {
      if (request.url === '/master.m3u8') {
        return response.end(`#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n${variant}\n`);
      }
      if (request.url === '/new.m3u8') return response.end(mediaPlaylist(first++));
      if (request.url !== '/old.m3u8') return response.writeHead(404).end();
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      const isKnown = request.headers['if-none-match'] !== undefined;
      return isKnown ? response.writeHead(304).end() : response.end(mediaPlaylist(100));
    });
    const { clock, advance } = fakeClock();
    const probe = aProbe(`${url}/master.m3u8`, 1_000, clock);
    expect(await probe(forever)).toMatchObject({ ok: true, mediaSequence: 100 });
    variant = 'new.m3u8';
    const looks = [];
    for (let at = 0; at < 5; at += 1) {
      await advance(at === 1 ? 1 : 1_999);
      looks.push((await probe(forever)).mediaSequence);
    }
    expect(looks).toEqual([100, 100, 100, 1, 2]);
  });

  it('does not take a list that stands for a new one when its server names it anew for each viewer', async () => {
    let viewers = 0;
    let first = 7;
    const { url } = await serve((request, response) => {
      const [, viewer] = /_w(\d+)\.m3u8$/.exec(request.url!) ?? [];
      if (viewer !== undefined) return response.end(mediaPlaylist(first).replace(/seg/g, `media_w${viewer}_`));
      if (request.url !== '/master.m3u8') return response.setHeader('content-length', 9).end();
      viewers += 1;
      return response.end(`#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nchunklist_w${10 ** viewers}.m3u8\n`);
    });
    const { clock, advance } = fakeClock();
    const probe = aProbe(`${url}/master.m3u8`, 1_000, clock);
    const revisions: unknown[] = [];
    for (let looks = 0; looks < 12; looks += 1) {
      if (looks === 9) first = 8;
      revisions.push((await probe(forever)).revision);
      await advance(2_000);
    }
    expect(viewers).toBeGreaterThan(3);
    expect(new Set(revisions.slice(0, 9)).size).toBe(1);
    expect(new Set(revisions.slice(8)).size).toBe(2);
  });

  it('asks for the master playlist once while the variant moves', async () => {
    const asked: string[] = [];
    let looks = 0;
    const { url } = await serve((request, response) => {
      if (request.method === 'GET') asked.push(request.url!);
      const isMaster = request.url === '/master.m3u8';
      response.end(isMaster ? '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nv.m3u8\n' : mediaPlaylist(looks >> 1));
    });
    const { clock, advance } = fakeClock();
    const probe = aProbe(`${url}/master.m3u8`, 1_000, clock);
    for (; looks < 12; looks += 1) {
      expect((await probe(forever)).ok).toBe(true);
      await advance(2_000);
    }
    expect(asked.filter((path) => path === '/master.m3u8')).toHaveLength(1);
  });

  it('reads what its server packs though it was asked not to', async () => {
    const { url } = await serve((request, response) => {
      if (request.method === 'HEAD') return response.setHeader('content-length', 9).end();
      const text = request.url === '/m.m3u8' ? '#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nv.m3u8\n' : mediaPlaylist(7);
      return response.setHeader('content-encoding', 'gzip').end(gzipSync(text));
    });
    expect(await aProbe(`${url}/m.m3u8`)(forever)).toMatchObject({ ok: true, mediaSequence: 7, newestSegmentBytes: 9 });
  });

  it.each([
    ['damaged', gzipSync(mediaPlaylist(7)).subarray(0, 30)],
    ['far larger than it seems', gzipSync(Buffer.alloc(2 << 20, '#EXTM3U\n'))],
  ])('cannot read what is packed and %s', async (_, body) => {
    const { url } = await serve((_request, response) => response.end(body));
    expect(await aProbe(`${url}/m.m3u8`)(forever)).toMatchObject({ ok: false, failure: 'invalid_answer' });
  });

  it('goes to no other host, whatever the playlist says', async () => {
    const other = await serve((_request, response) => response.end(mediaPlaylist(1)));
    const { url } = await serve((request, response) =>
      response.end(
        request.url === '/master.m3u8'
          ? `#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\n${other.url}/media.m3u8\n`
          : mediaPlaylist(1).replace(/seg/g, `${other.url}/seg`),
      ),
    );
    expect(await aProbe(`${url}/master.m3u8`)(forever)).toMatchObject({ ok: false, failure: 'invalid_answer' });
    expect(await aProbe(`${url}/media.m3u8`)(forever)).toMatchObject({ ok: true });
    expect(other.asked).toEqual([]);
  });

  it('does not go round in circles between master playlists', async () => {
    const { url, asked } = await serve((_request, response) =>
      response.end('#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nm.m3u8\n'),
    );
    expect(await aProbe(`${url}/m.m3u8`)(forever)).toMatchObject({ ok: false, failure: 'invalid_answer' });
    expect(asked).toHaveLength(2);
  });

  it.each([
    [
      'a refusal',
      (_: unknown, response: { writeHead(status: number): { end(): void } }) => response.writeHead(403).end(),
      { failure: 'http_status', status: 403 },
    ],
    [
      'a redirect',
      (_: unknown, response: { writeHead(status: number, headers: object): { end(): void } }) =>
        response.writeHead(302, { location: 'http://example.invalid/' }).end(),
      { failure: 'http_status', status: 302 },
    ],
    [
      'a page',
      (_: unknown, response: { end(text: string): void }) => response.end('<html>'),
      { failure: 'invalid_answer', status: 200 },
    ],
    ['silence', () => undefined, { failure: 'timeout' }],
    [
      'a flood',
      (_: unknown, response: { end(text: string): void }) => response.end('#EXTM3U\n'.repeat(200_000)),
      { failure: 'too_large' },
    ],
    [
      'a broken answer',
      (
        _: unknown,
        response: { writeHead(status: number, headers: object): void; write(text: string): void; destroy(): void },
      ) => {
        response.writeHead(200, { 'content-length': 100 });
        response.write('#EXTM3U\n');
        setImmediate(() => response.destroy());
      },
      { failure: 'truncated' },
    ],
  ])('says what went wrong: %s', async (_what, answer, expected) => {
    const { url } = await serve(answer as never);
    expect(await aProbe(`${url}/index.m3u8`, 300)(forever)).toMatchObject({ ok: false, ...expected });
  });

  it('reports that the port refuses connections, and that there is no such host', async () => {
    expect(await aProbe(`http://127.0.0.1:${await aFreePort()}/x.m3u8`)(forever)).toEqual({
      ok: false,
      failure: 'refused',
    });
    expect(await aProbe('http://no-such-host.invalid/x.m3u8', 3_000)(forever)).toMatchObject({
      ok: false,
      failure: expect.stringMatching(/dns|timeout/),
    });
  });
});

const hasReal = existsSync('/usr/bin/ffmpeg') && existsSync('/usr/sbin/nginx');
describe.skipIf(!hasReal)('a real ffmpeg behind a real nginx (needs both)', () => {
  it('is seen to go on, to stand still when halted, and to have empty segments on a full disk', async () => {
    const directory = aDirectory();
    chmodSync(directory, 0o755);
    const hls = join(directory, 'hls');
    mkdirSync(hls);
    const port = await aFreePort();
    startNginx(directory, port);
    const ffmpeg = start('ffmpeg', [
      ...[
        '-nostdin',
        '-v',
        'error',
        '-re',
        '-f',
        'lavfi',
        '-i',
        'testsrc=s=64x48:r=10',
        '-c:v',
        'libx264',
        '-preset',
        'ultrafast',
      ],
      ...[
        '-g',
        '5',
        '-threads',
        '1',
        '-f',
        'hls',
        '-hls_time',
        '1',
        '-hls_list_size',
        '4',
        '-hls_flags',
        'delete_segments',
      ],
      join(hls, 'index.m3u8'),
    ]);
    const probe = aProbe(`http://127.0.0.1:${port}/index.m3u8`);
    const revisionNow = async () => (await probe(forever)).revision;
    await expect.poll(revisionNow, { timeout: 30_000 }).toEqual(expect.any(String));
    const first = await probe(forever);
    expect(first).toMatchObject({ ok: true, ended: false, targetDurationMs: 1_000 });
    expect(first.newestSegmentBytes).toBeGreaterThan(188);
    await expect.poll(async () => (await probe(forever)).ageMs).toBeLessThan(3_000);
    await expect.poll(revisionNow, { timeout: 30_000 }).not.toBe(first.revision);

    ffmpeg.kill('SIGSTOP');
    const halted = await probe(forever);
    await expect.poll(async () => (await probe(forever)).ageMs, { timeout: 30_000 }).toBeGreaterThan(2_500);
    expect(await revisionNow()).toBe(halted.revision);
    for (const name of readdirSync(hls)) if (name.endsWith('.ts')) truncateSync(join(hls, name), 0);
    const again = aProbe(`http://127.0.0.1:${port}/index.m3u8`);
    expect(await again(forever)).toMatchObject({ ok: true, newestSegmentBytes: 0 });
  }, 40_000);
});

function start(command: string, args: string[]): ChildProcess {
  const child = spawn(command, args, { stdio: 'ignore' });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  return child;
}

function startNginx(directory: string, port: number): void {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${directory}/tmp;`,
  );
  writeFileSync(
    join(directory, 'nginx.conf'),
    `daemon off; master_process off; worker_processes 1; pid ${directory}/nginx.pid; error_log ${directory}/error.log;
    events { worker_connections 64; }
    http { access_log off; ${temporary.join(' ')} server { listen 127.0.0.1:${port}; root ${directory}/hls; } }\n`,
  );
  start('/usr/sbin/nginx', ['-c', join(directory, 'nginx.conf'), '-e', join(directory, 'error.log')]);
}
