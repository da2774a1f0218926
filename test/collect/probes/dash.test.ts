import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createDashProbe } from '../../../src/collect/probes/dash.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { boundedFetch } from '../../../src/resilience/http.ts';
import { aFreePort, serve } from '../support/serving.ts';
import { aDirectory } from '../support/tailing.ts';

const mpd = (inner: string, type = 'dynamic', more = '') =>
  `<?xml version="1.0"?><MPD type="${type}" ${more}><Period start="PT0S"><AdaptationSet>${inner}</AdaptationSet></Period></MPD>`;
const BEGAN_MS = Date.UTC(2026, 0, 1);

function probe(url: string) {
  const ask = boundedFetch(systemClock);
  onTestFinished(() => ask[Symbol.dispose]());
  const look = createDashProbe({ url, ask, timeoutMs: 2_000 });
  return () => look(new AbortController().signal);
}

describe('a look at a DASH output', () => {
  it('is a failure with its reason when there is no manifest, or none that can be read', async () => {
    const { url } = await serve((request, response) =>
      request.url === '/a' ? response.writeHead(404).end() : response.end('hello'),
    );
    expect(await probe(`${url}/a`)()).toEqual({ ok: false, failure: 'http_status', status: 404 });
    expect(await probe(`${url}/b`)()).toEqual({ ok: false, failure: 'invalid_answer', status: 200 });
    expect(await probe(`http://127.0.0.1:${await aFreePort()}/c`)()).toEqual({ ok: false, failure: 'refused' });
  });

  it('reads what its server packs though it was asked not to', async () => {
    const list = '<SegmentList duration="2"><SegmentURL media="a.m4s"/></SegmentList><Representation id="a"/>';
    const { url } = await serve((request, response) =>
      request.url === '/a.mpd' ? response.end(gzipSync(mpd(list))) : response.setHeader('content-length', 9).end(),
    );
    expect(await probe(`${url}/a.mpd`)()).toMatchObject({ ok: true, targetDurationMs: 2_000, newestSegmentBytes: 9 });
  });

  it('where segments are numbered by the clock, it moves only when they really are there', async () => {
    let newest = 100;
    const text = mpd(
      '<SegmentTemplate duration="1" media="s/$Number$.m4s"/><Representation id="a"/>',
      'dynamic',
      `availabilityStartTime="${new Date(Date.now() - 101_500).toISOString()}"`,
    );
    const { url } = await serve((request, response) => {
      const number = Number(/(\d+)\.m4s/.exec(request.url ?? '')?.[1]);
      if (request.url === '/live.mpd') response.end(text);
      else if (number <= newest) response.writeHead(200, { 'content-length': 10 }).end();
      else response.writeHead(404).end();
    });
    const look = probe(`${url}/live.mpd`);
    newest = 99;
    const first = await look();
    expect(first).toMatchObject({ ok: true, revision: 's/99.m4s', newestSegmentBytes: 10 });
    newest = 0;
    expect((await look()).revision).toBe('s/99.m4s');
    newest = 1_000;
    expect((await look()).revision).not.toBe('s/99.m4s');
  });

  /** A server whose clock is at so many seconds, with a manifest and the segments of these numbers. */
  async function segments(
    text: () => string,
    now: () => { readonly seconds: number; readonly there: readonly number[] },
  ) {
    const { url, asked } = await serve((request, response) => {
      const { seconds, there } = now();
      const number = Number(/(\d+)\.m4s/.exec(request.url ?? '')?.[1]);
      response.setHeader('date', new Date(BEGAN_MS + 1_000 * seconds).toUTCString());
      if (request.url === '/live.mpd') response.end(text());
      else if (there.includes(number)) response.writeHead(200, { 'content-length': 10 }).end();
      else response.writeHead(404).end();
    });
    return { look: probe(`${url}/live.mpd`), asked };
  }

  it('where segments are listed, they are missing when neither the newest nor the one before it is there', async () => {
    let [newest, there] = [5, [] as number[]];
    const listed = () =>
      mpd(
        `<SegmentTemplate timescale="1" media="$Number$.m4s"><SegmentTimeline><S t="0" d="1" r="${newest - 1}"/></SegmentTimeline></SegmentTemplate><Representation id="a"/>`,
      );
    const { look, asked } = await segments(listed, () => ({ seconds: 0, there }));
    const first = await look();
    expect(first).toMatchObject({ ok: true, newestSegmentMissing: true, mediaSequence: 5 });
    expect(asked.slice(1)).toEqual(['HEAD /5.m4s', 'GET /5.m4s', 'HEAD /4.m4s', 'GET /4.m4s']);
    newest = 6;
    const second = await look();
    expect(second).toMatchObject({ newestSegmentMissing: true });
    expect(second.revision).not.toBe(first.revision);
    there = [5];
    const ahead = await look();
    expect([ahead.newestSegmentMissing, ahead.newestSegmentBytes]).toEqual([undefined, undefined]);
    there = [6];
    expect(await look()).toMatchObject({ newestSegmentBytes: 10 });
  });

  const byClock = (type = 'dynamic') =>
    mpd(
      '<SegmentTemplate duration="1" media="$Number$.m4s"/><Representation id="a"/>',
      type,
      `availabilityStartTime="${new Date(BEGAN_MS).toISOString()}"`,
    );

  it('where segments are numbered by the clock and none ever was there, each that is due is one more missing', async () => {
    let now = { seconds: 101, there: [] as number[] };
    const { look } = await segments(byClock, () => now);
    const first = await look();
    expect(first).toMatchObject({ ok: true, newestSegmentMissing: true });
    now = { seconds: 102, there: [] };
    const second = await look();
    expect(second).toMatchObject({ newestSegmentMissing: true });
    expect(second.revision).not.toBe(first.revision);
    now = { seconds: 102, there: [86] };
    const behind = await look();
    expect([behind.newestSegmentMissing, behind.revision]).toEqual([undefined, undefined]);
    now = { seconds: 102, there: [101] };
    expect(await look()).toMatchObject({ revision: '101.m4s', newestSegmentBytes: 10 });
    now = { seconds: 107, there: [] };
    expect((await look()).revision).toBe('101.m4s');
  });

  it('of a recording no segment is due by the clock', async () => {
    const { look } = await segments(
      () => byClock('static'),
      () => ({ seconds: 101, there: [] }),
    );
    expect(await look()).toEqual({ ok: true, status: 200, ended: true, mediaSequence: 101, targetDurationMs: 1_000 });
  });

  it('of segments that cannot be asked about nothing is known', async () => {
    const { url } = await serve((request, response) => {
      response.setHeader('date', new Date(BEGAN_MS + 101_000).toUTCString());
      if (request.url === '/live.mpd') response.end(byClock());
      else response.writeHead(request.url === '/101.m4s' ? 404 : 403).end();
    });
    const reading = await probe(`${url}/live.mpd`)();
    expect([reading.ok, reading.revision, reading.newestSegmentMissing]).toEqual([true, undefined, undefined]);
  });

  it.skipIf(spawnSync('which', ['ffmpeg']).status !== 0)(
    'moves while a real ffmpeg writes, and stands when it does not (skipped without ffmpeg)',
    async () => {
      const folder = aDirectory();
      const { url } = await serve((request, response) => {
        const path = join(folder, request.url ?? '');
        if (!existsSync(path)) return void response.writeHead(404).end();
        response.writeHead(200, { 'content-length': statSync(path).size });
        if (request.method === 'HEAD') response.end();
        else createReadStream(path).pipe(response);
      });
      const input = ['-loglevel', 'error', '-re', '-f', 'lavfi', '-i', 'sine=frequency=440', '-c:a', 'aac'];
      const output = ['-f', 'dash', '-seg_duration', '0.5', '-window_size', '5', join(folder, 'live.mpd')];
      const encoder = spawn('ffmpeg', [...input, ...output], { stdio: 'ignore' });
      onTestFinished(async () => {
        encoder.kill('SIGKILL');
        await once(encoder, 'exit');
      });
      const look = probe(`${url}/live.mpd`);
      const revisions: (string | undefined)[] = [];
      await vi.waitFor(
        async () => {
          const reading = await look();
          revisions.push(reading.revision);
          expect(reading).toMatchObject({ ok: true, ended: false });
          expect(reading.newestSegmentBytes).toBeGreaterThan(0);
          expect(new Set(revisions).size).toBeGreaterThan(3);
        },
        { timeout: 30_000, interval: 200 },
      );
      encoder.kill('SIGSTOP');
      const still = (await look()).revision;
      expect((await look()).revision).toBe(still);
      encoder.kill('SIGCONT');
      await vi.waitFor(async () => expect((await look()).revision).not.toBe(still), { timeout: 30_000 });
    },
  );
});
