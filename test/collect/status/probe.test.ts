import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Poller } from '../../../src/collect/probes/poller.ts';
import { STATUS_MAPPINGS, type StatusProbe, statusProbes } from '../../../src/collect/status/probe.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { ON_DEMAND_KINDS, STATUS_KINDS, type StatusKind } from '../../../src/collect/status/schema.ts';
import type { Sample } from '../../../src/core/sample.ts';
import { boundedFetch } from '../../../src/resilience/http.ts';
import { fakeClock } from '../../support/fake_clock.ts';
import { aFreePort, serve } from '../support/serving.ts';
import { aDirectory } from '../support/tailing.ts';

const has = (program: string): boolean => spawnSync('which', [program]).status === 0;

type StatusSample = Sample & {
  readonly ok?: boolean;
  readonly failure?: string;
  readonly viewers?: number;
  readonly silentMs?: number;
  readonly spanMs?: number;
};

function look(probe: Pick<StatusProbe, 'kind' | 'url'> & Partial<StatusProbe>, clock = systemClock) {
  const samples: StatusSample[] = [];
  const reports: string[] = [];
  const ask = boundedFetch(systemClock);
  const whole: StatusProbe = { channel: 'news', of: 'output', target: '', everyMs: 200, stallAfterMs: 0, ...probe };
  const [first] = statusProbes([whole], {
    ...{ clock, ask, onSample: (sample: Sample) => samples.push(sample) },
    report: (_, because) => reports.push(because),
  });
  onTestFinished(() => ask[Symbol.dispose]());
  const once = () => first!.run(new AbortController().signal);
  const verdicts = () => samples.filter(({ kind }) => kind !== 'viewers').map(({ ok, failure }) => failure ?? ok);
  return {
    samples,
    reports,
    once,
    verdicts,
    probe: first!,
    last: (kind: string) => samples.findLast((one) => one.kind === kind),
  };
}

/** What each server answers, by its documentation: with the stream, and without it. */
const PAGES: Readonly<Record<StatusKind, { target: string; with: string; viewers?: number; without: string }>> = {
  icecast: {
    target: '/news.mp3',
    with: '{"icestats":{"source":{"listenurl":"http://box:8000/news.mp3","listeners":3,"dummy":null}}}',
    viewers: 3,
    without: '{"icestats":{"admin":"x","dummy":null}}',
  },
  nginx_rtmp: {
    target: 'live/news',
    with: '<?xml version="1.0"?><rtmp><server><application><name>live</name><live><stream><name>news</name><bytes_in>BYTES</bytes_in><client><publishing/></client><client><id>2</id></client><publishing/></stream></live></application></server></rtmp>',
    viewers: 1,
    without:
      '<rtmp><server><application><name>live</name><live><nclients>0</nclients></live></application></server></rtmp>',
  },
  mediamtx: {
    target: 'news',
    with: '{"itemCount":1,"items":[{"name":"news","available":true,"inboundBytes":BYTES,"readers":[{},{}]}]}',
    viewers: 2,
    without: '{"itemCount":0,"items":[]}',
  },
  srs: {
    target: 'live/news',
    with: '{"code":0,"streams":[{"app":"live","name":"news","clients":3,"recv_bytes":BYTES,"publish":{"active":true,"cid":"x"}}]}',
    viewers: 2,
    without: '{"code":0,"streams":[]}',
  },
  owncast: {
    target: '',
    with: '{"online":true,"viewerCount":4}',
    viewers: 4,
    without: '{"online":false,"viewerCount":0}',
  },
  ersatztv: {
    target: '7.1',
    with: '[{"channelNumber":"7.1","state":"x","transcodedUntil":"2026-01-01T00:00:BYTES+00:00"}]',
    viewers: 1,
    without: '[]',
  },
  tunarr: {
    target: 'c-1',
    with: '{"c-1":[{"type":"hls","numConnections":2,"state":"started"}]}',
    viewers: 2,
    without: '{}',
  },
  jellyfin: { target: '', with: 'Healthy', without: 'Unhealthy' },
};

describe.each(STATUS_KINDS)('the status page of %s', (kind) => {
  const page = PAGES[kind];
  const { format } = STATUS_MAPPINGS[kind];
  const onDemand = ON_DEMAND_KINDS.has(kind);
  const counts = page.with.includes('BYTES');

  it('distinguishes a stream that comes in from one that does not', async () => {
    let bytes = 10;
    let isThere = true;
    const { url } = await serve((_, response) => {
      bytes += 1;
      response.end(isThere ? page.with.replace('BYTES', String(bytes)) : page.without);
    });
    const { clock, advance } = fakeClock();
    const { once: one, verdicts, last } = look({ kind, url, target: page.target }, clock);
    for (let round = 0; round < 3; round += 1) {
      await one();
      await advance(1_000);
    }
    expect(verdicts()).toEqual(counts ? [true, true] : [true, true, true]);
    expect(last('viewers')?.viewers).toBe(page.viewers);
    isThere = false;
    await one();
    expect(verdicts().at(-1)).toBe(onDemand ? true : 'unreachable');
    if (onDemand) expect(last('viewers')?.viewers).toBe(0);
  });

  const itCounted = counts ? it : () => undefined;
  itCounted('does not accept a stream that is listed and stands', async () => {
    const { url } = await serve((_, response) => response.end(page.with.replace('BYTES', '10')));
    const { clock, advance } = fakeClock();
    const { once: one, verdicts } = look({ kind, url, target: page.target }, clock);
    await one();
    const stuckMs = STATUS_MAPPINGS[kind].stuckMs ?? 12_000;
    await advance(stuckMs - 1);
    await one();
    expect(verdicts()).toEqual([]);
    await advance(500);
    await one();
    expect(verdicts()).toEqual(['timeout']);
  });

  itCounted('that stands is not gone yet, and vouches only until its bytes were last seen to move', async () => {
    let bytes = 10;
    const { url } = await serve((_, response) => response.end(page.with.replace('BYTES', String(bytes))));
    const { clock, advance } = fakeClock();
    const { once: one, last } = look({ of: 'source', kind, url, target: page.target }, clock);
    const seen: unknown[] = [];
    for (const added of [0, 5, 0, 0, 5]) {
      bytes += added;
      await one();
      const { ok, silentMs, spanMs } = last('source') ?? {};
      seen.push([ok, silentMs, spanMs]);
      await advance(1_000);
    }
    expect(seen).toEqual([
      [undefined, undefined, undefined],
      [true, 0, 1_000],
      [true, 1_000, 1_000],
      [true, 2_000, 1_000],
      [true, 0, 1_000],
    ]);
  });

  it('says nothing of the stream when the page is another one, and says so once', async () => {
    const answers = [404, 401, 500];
    const { url } = await serve((_, response) => {
      const status = answers.shift();
      if (status === undefined) response.end(format === 'xml' ? '<html></html>' : '<html>welcome');
      else response.writeHead(status).end('no');
    });
    const { clock, advance } = fakeClock();
    const { once: one, samples, reports } = look({ kind, url, target: page.target }, clock);
    for (let round = 0; round < 6; round += 1) {
      await one();
      await advance(1_000);
    }
    expect(samples).toEqual([]);
    expect(reports.length).toBe(4);
    expect(reports[3]).toMatch(/expected/);
  });

  it('a server that is not there has no streams, and where others publish to it, that is not theirs', async () => {
    const { once: one, samples } = look({ kind, url: `http://127.0.0.1:${await aFreePort()}`, target: page.target });
    await one();
    const isPublishedTo = ['icecast', 'nginx_rtmp', 'mediamtx', 'srs'].includes(kind);
    expect(samples).toEqual([expect.objectContaining({ kind: 'reach', ok: false, failure: 'refused' })]);
    expect('serverFailed' in samples[0]!).toBe(isPublishedTo);
  });
});

describe('status pages', () => {
  it('one page is requested once, however many channels it reports on', async () => {
    const { url, asked } = await serve((_, response) => response.end(PAGES.mediamtx.with.replace('BYTES', '1')));
    const ask = boundedFetch(systemClock);
    onTestFinished(() => ask[Symbol.dispose]());
    const { clock } = fakeClock();
    const each = { of: 'source', kind: 'mediamtx', url, everyMs: 1_000, stallAfterMs: 0 } as const;
    const looks = Array.from({ length: 50 }, (_, at) => ({ ...each, channel: `c${at}`, target: `c${at}` }));
    const samples: StatusSample[] = [];
    const probes = statusProbes(looks, {
      clock,
      ask,
      onSample: (sample) => samples.push(sample),
      report: () => undefined,
    });
    await Promise.all(probes.map((probe) => probe.run(new AbortController().signal)));
    expect(asked).toEqual(['GET /v3/paths/list?itemsPerPage=1000']);
    expect(samples.map(({ kind, failure }) => [kind, failure])).toEqual(Array(50).fill(['source', 'unreachable']));
  });

  it('an address with a path of its own is asked as it stands', async () => {
    const { url, asked } = await serve((_, response) => response.end('{}'));
    await look({ kind: 'tunarr', url: `${url}/tv/api/sessions` }).once();
    expect(asked).toEqual(['GET /tv/api/sessions']);
  });

  it.each([
    ['srs', '/api/v1/streams/', '/api/v1/streams/?start=0&count=1000'],
    ['srs', '/proxy/api/v1/streams?count=50', '/proxy/api/v1/streams?count=50&start=0'],
    ['mediamtx', '/v3/paths/list', '/v3/paths/list?itemsPerPage=1000'],
    ['icecast', '/status-json.xsl', '/status-json.xsl'],
  ] as const)('the page of %s, written out as %s, is asked for all that it has', async (kind, written, expected) => {
    const { url, asked } = await serve((_, response) => response.end('{}'));
    await look({ kind, url: `${url}${written}` }).once();
    expect(asked).toEqual([`GET ${expected}`]);
  });

  it('a page that lists other streams and not all is no verdict, and that is reported', async () => {
    const { url } = await serve((_, response) => response.end('{"pageCount":2,"items":[{"name":"sport"}]}'));
    const found = look({ kind: 'mediamtx', url, target: 'news' });
    await found.once();
    expect(found.samples).toEqual([]);
    expect(found.reports).toEqual([expect.stringContaining('expected the whole status page of mediamtx')]);
  });
});

function run(program: string, args: readonly string[]): ChildProcess {
  const child = spawn(program, args, { stdio: 'ignore' });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    // Each is one process, so nothing of it is left.
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  return child;
}

const watch = (found: ReturnType<typeof look>): void => {
  const poller = new Poller({
    probes: [found.probe],
    clock: systemClock,
    concurrencyMax: 1,
    onBug: (_, thrown) => expect(thrown).toBeUndefined(),
  });
  onTestFinished(() => poller[Symbol.dispose]());
  poller.start();
};

const SOON = { timeout: 15_000, interval: 50 };
const tone = ['-loglevel', 'error', '-re', '-f', 'lavfi', '-i', 'sine=frequency=440'];

describe.skipIf(!has('icecast2') || !has('ffmpeg'))('a real Icecast (skipped without icecast2 or ffmpeg)', () => {
  it('has the mount while its source sends, and not before or after', async () => {
    const folder = aDirectory();
    const port = await aFreePort();
    const login = '<source-password>s</source-password><admin-user>a</admin-user><admin-password>a</admin-password>';
    const paths = `<paths><basedir>${folder}</basedir><logdir>${folder}</logdir><webroot>/usr/share/icecast2/web</webroot><adminroot>/usr/share/icecast2/admin</adminroot></paths>`;
    const user =
      '<security><chroot>0</chroot><changeowner><user>nobody</user><group>nogroup</group></changeowner></security>';
    const limits = '<limits><sources>4</sources><source-timeout>5</source-timeout></limits>';
    const listen = `<listen-socket><port>${port}</port><bind-address>127.0.0.1</bind-address></listen-socket>`;
    const xml = `<icecast>${limits}<authentication>${login}</authentication><hostname>localhost</hostname>${listen}${paths}${user}</icecast>`;
    writeFileSync(join(folder, 'icecast.xml'), xml);
    spawnSync('chmod', ['-R', 'a+rwX', folder]);
    run('icecast2', ['-c', join(folder, 'icecast.xml')]);
    const found = look({ kind: 'icecast', url: `http://127.0.0.1:${port}`, target: '/news.mp3' });
    watch(found);
    await vi.waitFor(() => expect(found.verdicts().at(-1)).toBe('unreachable'), SOON);
    const target = `icecast://source:s@127.0.0.1:${port}/news.mp3`;
    const source = run('ffmpeg', [...tone, '-c:a', 'libmp3lame', '-f', 'mp3', '-content_type', 'audio/mpeg', target]);
    await vi.waitFor(() => expect(found.verdicts().at(-1)).toBe(true), SOON);
    // Icecast names the mount a moment before it counts its listeners.
    await vi.waitFor(() => expect(found.last('viewers')?.viewers).toBe(0), SOON);
    source.kill('SIGKILL');
    await vi.waitFor(() => expect(found.verdicts().at(-1)).toBe('unreachable'), SOON);
  }, 60_000);
});

const RTMP_MODULE = '/usr/lib/nginx/modules/ngx_rtmp_module.so';

describe.skipIf(spawnSync('test', ['-f', RTMP_MODULE]).status !== 0 || !has('ffmpeg'))(
  'a real nginx with its RTMP module (skipped without the module or ffmpeg)',
  () => {
    it('has the stream while its publisher sends, and not when the publisher is halted', async () => {
      const folder = aDirectory();
      const [rtmp, http] = [await aFreePort(), await aFreePort()];
      for (const name of ['body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']) mkdirSync(join(folder, name));
      const temporary = [
        'client_body_temp_path body',
        'proxy_temp_path proxy',
        'fastcgi_temp_path fastcgi',
        'uwsgi_temp_path uwsgi',
        'scgi_temp_path scgi',
      ];
      const config = `
        load_module ${RTMP_MODULE};
        daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log;
        events { worker_connections 64; }
        rtmp { server { listen 127.0.0.1:${rtmp}; application live { live on; } } }
        http {
          access_log off; ${temporary.map((each) => `${each.replace(' ', ` ${folder}/`)};`).join(' ')}
          server { listen 127.0.0.1:${http}; location /stat { rtmp_stat all; } }
        }`;
      writeFileSync(join(folder, 'nginx.conf'), config);
      run('nginx', ['-p', folder, '-c', join(folder, 'nginx.conf')]);
      const found = look({ of: 'source', kind: 'nginx_rtmp', url: `http://127.0.0.1:${http}`, target: 'live/news' });
      watch(found);
      await vi.waitFor(() => expect(found.verdicts().at(-1)).toBe('unreachable'), SOON);
      const publisher = run('ffmpeg', [...tone, '-c:a', 'aac', '-f', 'flv', `rtmp://127.0.0.1:${rtmp}/live/news`]);
      await vi.waitFor(() => expect(found.verdicts().at(-1)).toBe(true), SOON);
      expect(found.last('source')).toMatchObject({ host: `127.0.0.1:${http}`, channel: 'news' });
      publisher.kill('SIGSTOP');
      await vi.waitFor(() => expect(found.verdicts().at(-1)).toBe('timeout'), { timeout: 25_000, interval: 100 });
      publisher.kill('SIGCONT');
      await vi.waitFor(() => expect(found.verdicts().at(-1)).toBe(true), SOON);
      publisher.kill('SIGKILL');
      await vi.waitFor(() => expect(found.verdicts().at(-1)).toBe('unreachable'), SOON);
    }, 90_000);
  },
);
