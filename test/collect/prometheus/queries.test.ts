import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  createPrometheusQueries,
  type PrometheusQuery,
  type PrometheusServer,
  seriesIn,
} from '../../../src/collect/prometheus/queries.ts';
import { systemClock } from '../../../src/core/clock.ts';
import type { Sample } from '../../../src/core/sample.ts';
import type { Symptom } from '../../../src/core/symptom.ts';
import { boundedFetch } from '../../../src/resilience/http.ts';
import { aFreePort, serve } from '../support/serving.ts';
import { aDirectory } from '../support/tailing.ts';

type AnySample = Sample & Readonly<Record<string, unknown>>;

function ask(
  url: string,
  queries: readonly (Pick<PrometheusQuery, 'query' | 'means'> & Partial<PrometheusQuery>)[],
  { token, beside = [] }: { token?: string; beside?: readonly PrometheusServer[] } = {},
) {
  const samples: AnySample[] = [];
  const symptoms: Symptom[] = [];
  const reports: string[] = [];
  const pools: [string, number][] = [];
  const fetch = boundedFetch(systemClock);
  const whole = queries.map((query) => ({
    symptom: undefined,
    channel: undefined,
    engine: undefined,
    channelLabels: ['channel'],
    ...query,
  }));
  const poller = createPrometheusQueries({
    servers: [
      ...beside,
      {
        id: 'main',
        url,
        everyMs: 200,
        staleAfterMs: 60_000,
        token: token === undefined ? undefined : () => token,
        queries: whole,
      },
    ],
    clock: systemClock,
    ask: fetch,
    channelOf: (name) => (['news', 'sport'].includes(name) ? name : undefined),
    looksItself: (channel) => channel === 'sport',
    onSample: (sample) => samples.push(sample as AnySample),
    onSymptom: (symptom) => symptoms.push(symptom),
    onPoolPressure: (engine, ratio) => pools.push([engine, ratio]),
    report: (_, because) => reports.push(because),
  });
  onTestFinished(() => {
    poller[Symbol.dispose]();
    fetch[Symbol.dispose]();
  });
  poller.start();
  return { samples, symptoms, reports, pools };
}

const vector = (...series: readonly [Record<string, string>, string][]) =>
  JSON.stringify({
    status: 'success',
    data: { resultType: 'vector', result: series.map(([metric, value]) => ({ metric, value: [1, value] })) },
  });

describe('the answer to a query', () => {
  it('is a vector or a scalar; what is no number says nothing', () => {
    expect(seriesIn(vector([{ a: 'b' }, '1.5'], [{}, 'NaN'], [{}, '+Inf']))).toEqual([
      { labels: { a: 'b' }, value: 1.5 },
    ]);
    expect(seriesIn('{"status":"success","data":{"resultType":"scalar","result":[1,"7"]}}')).toEqual([
      { labels: {}, value: 7 },
    ]);
  });

  it.each([
    '{}',
    '{"status":"error","error":"x"}',
    '{"status":"success","data":{"resultType":"matrix","result":[]}}',
    '<html>',
  ])('%s is refused', (text) => {
    expect(() => seriesIn(text)).toThrow();
  });
});

describe('a server that does not answer', () => {
  it('delays no query of another one', async () => {
    const mute = await serve(() => undefined);
    const { url } = await serve((_, response) => response.end(vector([{ channel: 'news' }, '1'])));
    const query = { query: 'q', means: 'up', symptom: undefined, channel: undefined, engine: undefined } as const;
    const many = Array.from({ length: 12 }, () => ({ ...query, channelLabels: ['channel'] }));
    const other = { id: 'mute', url: mute.url, everyMs: 200, staleAfterMs: 60_000, token: undefined, queries: many };
    const { samples, reports } = ask(url, [{ query: 'up', means: 'up' }], { beside: [other] });
    await vi.waitFor(() => expect(samples.length).toBeGreaterThan(2), { timeout: 30_000 });
    expect(mute.asked).toHaveLength(4);
    expect(reports).toEqual([]);
  });
});

describe('what a value means', () => {
  const taken = async (
    means: PrometheusQuery['means'],
    values: readonly string[],
    more: Partial<PrometheusQuery> = {},
  ) => {
    const left = [...values];
    const { url } = await serve((_, response) =>
      response.end(
        vector([{ channel: 'news' }, left.length > 1 ? left.shift()! : left[0]!], [{ channel: 'nobody' }, '1']),
      ),
    );
    const found = ask(url, [{ query: 'q', means, ...more }]);
    await vi.waitFor(
      () =>
        expect(found.samples.length + found.symptoms.length + found.pools.length).toBeGreaterThanOrEqual(values.length),
      { timeout: 30_000 },
    );
    return found;
  };

  it('up: whether the output is there', async () => {
    const { samples } = await taken('up', ['1', '0']);
    expect(samples[0]).toMatchObject({ kind: 'reach', channel: 'news', ok: true, source: 'prometheus:main' });
    expect(samples[1]).toMatchObject({ ok: false, failure: 'unreachable' });
  });

  it('source_up: whether what the channel reads from is there', async () => {
    const { samples } = await taken('source_up', ['0']);
    expect(samples[0]).toMatchObject({ kind: 'source', channel: 'news', ok: false });
  });

  it('playlist_age_seconds: output moves for as long as it is younger than a stall', async () => {
    const { samples } = await taken('playlist_age_seconds', ['1', '5.9', '6', '60', '2']);
    expect(samples.slice(0, 5).map(({ kind, revision }) => [kind, revision])).toEqual(
      ['1', '2', '2', '2', '3'].map((revision) => ['playlist', revision]),
    );
  });

  it('output_position: output moves when the number changes', async () => {
    const { samples } = await taken('output_position', ['7', '7', '8']);
    expect(samples.slice(0, 3).map(({ revision }) => revision)).toEqual(['7', '7', '8']);
  });

  it('viewers, and a symptom', async () => {
    expect((await taken('viewers', ['12'])).samples[0]).toMatchObject({
      kind: 'viewers',
      channel: 'news',
      viewers: 12,
    });
    const { symptoms } = await taken('symptom', ['1'], { symptom: 'encoder_overload' });
    expect(symptoms[0]).toMatchObject({ kind: 'encoder_overload', origin: 'metric', channel: 'news' });
  });

  it('the pressure on the fullest of several pools is that of the engine', async () => {
    const { url } = await serve((_, response) =>
      response.end(
        vector([{ pool: 'a' }, '0.1'], [{ pool: 'b' }, '0.95'], [{ pool: 'c' }, '0.2'], [{ pool: 'd' }, 'NaN']),
      ),
    );
    const { pools } = ask(url, [{ query: 'q', means: 'pool_pressure', engine: 'local' }]);
    await vi.waitFor(() => expect(pools.length).toBeGreaterThan(1), { timeout: 30_000 });
    expect(pools.slice(0, 2)).toEqual([
      ['local', 0.95],
      ['local', 0.95],
    ]);
  });

  it('says nothing of what a probe of its own looks at', async () => {
    const { url } = await serve((_, response) =>
      response.end(vector([{ channel: 'sport' }, '0'], [{ channel: 'news' }, '1'])),
    );
    const { samples } = ask(
      url,
      (['up', 'source_up', 'output_position', 'viewers'] as const).map((means) => ({ query: means, means })),
    );
    await vi.waitFor(() => expect(samples.length).toBeGreaterThanOrEqual(10), { timeout: 30_000 });
    expect(new Set(samples.filter(({ channel }) => channel === 'sport').map(({ kind }) => kind))).toEqual(
      new Set(['viewers']),
    );
  });
});

describe('a server that does not answer well', () => {
  it('gives no sample, and is reported once for each change', async () => {
    let status = 500;
    const { url, asked } = await serve((_, response) => {
      if (status === 200) response.end(vector([{ channel: 'news' }, '1']));
      else response.writeHead(status).end();
    });
    const { samples, reports } = ask(url, [{ query: 'up', means: 'up' }], { token: 'secret' });
    await vi.waitFor(() => expect(asked.length).toBeGreaterThan(3), { timeout: 30_000 });
    expect([samples.length, reports.length]).toEqual([0, 1]);
    status = 200;
    await expect.poll(() => samples.length).toBeGreaterThan(0);
    expect(reports[1]).toBe('up answers again');
    expect(reports.join()).not.toContain('secret');
  });
});

describe.skipIf(spawnSync('which', ['prometheus']).status !== 0)(
  'a real Prometheus (skipped without prometheus)',
  () => {
    it('reports what it scraped, and stops when the target is gone', async () => {
      let segments = 100;
      let isThere = true;
      const { host } = await serve((_, response) => {
        if (!isThere) return void response.writeHead(503).end();
        segments += 1;
        response.end(
          `hls_segments_total{channel="news"} ${segments}\nwatching{channel="news"} 5\nslots_used 9\nslots_max 10\n`,
        );
      });
      const folder = aDirectory();
      const port = await aFreePort();
      const scrape = {
        job_name: 'tv',
        scrape_interval: '200ms',
        scrape_timeout: '200ms',
        static_configs: [{ targets: [host], labels: { channel: 'news' } }],
      };
      writeFileSync(
        join(folder, 'prometheus.yml'),
        JSON.stringify({ global: { evaluation_interval: '10s' }, scrape_configs: [{ ...scrape, honor_labels: true }] }),
      );
      const args = [
        `--config.file=${folder}/prometheus.yml`,
        `--storage.tsdb.path=${folder}/data`,
        `--web.listen-address=127.0.0.1:${port}`,
      ];
      const server = spawn('prometheus', args, { stdio: 'ignore' });
      onTestFinished(async () => {
        server.kill('SIGKILL');
        await once(server, 'exit');
      });
      const { samples, pools, symptoms, reports } = ask(`http://127.0.0.1:${port}/`, [
        { query: 'up{job="tv"}', means: 'up' },
        { query: 'hls_segments_total', means: 'output_position' },
        { query: 'watching', means: 'viewers' },
        { query: 'sum(slots_used) / sum(slots_max)', means: 'pool_pressure', engine: 'local' },
        { query: 'watching > 100', means: 'symptom', symptom: 'encoder_overload' },
        { query: 'nonsense(', means: 'up' },
      ]);
      const of = (kind: string) => samples.filter((sample) => sample.kind === kind);
      const revisions = () => new Set(of('playlist').map(({ revision }) => revision)).size;
      await vi.waitFor(() => expect(revisions()).toBeGreaterThan(2), { timeout: 30_000, interval: 50 });
      expect(of('reach').at(-1)).toMatchObject({ ok: true, channel: 'news' });
      expect(of('viewers').at(-1)).toMatchObject({ viewers: 5 });
      expect(pools.at(-1)).toEqual(['local', 0.9]);
      expect(symptoms).toEqual([]);
      expect(reports.some((because) => because.startsWith('nonsense('))).toBe(true);
      isThere = false;
      await vi.waitFor(() => expect(of('reach').at(-1)).toMatchObject({ ok: false }), {
        timeout: 30_000,
        interval: 50,
      });
      const playlists = of('playlist').length;
      const reaches = of('reach').length;
      await vi.waitFor(() => expect(of('reach').length).toBeGreaterThan(reaches + 3), { timeout: 30_000 });
      expect(of('playlist').length).toBeLessThanOrEqual(playlists + 2);
    }, 60_000);
  },
);
