import { describe, expect, it, onTestFinished } from 'vitest';
import { createProbes, type ProbesOptions } from '../../../src/collect/probes/probes.ts';
import { type Clock, systemClock } from '../../../src/core/clock.ts';
import type { Sample } from '../../../src/core/sample.ts';
import { accept, aFreePort, serve } from '../support/serving.ts';

const anHls = (id: string, url: string) => ({
  id,
  output: { kind: 'hls' as const, url, everyMs: 200 },
  source: undefined,
});

function start(options: Partial<ProbesOptions>) {
  const samples: Sample[] = [];
  const probes = createProbes({
    channels: [],
    hosts: [],
    clock: systemClock,
    onSample: (sample) => samples.push(sample),
    ...options,
  });
  onTestFinished(() => probes[Symbol.dispose]());
  probes.start();
  return { probes, samples };
}

describe('probes', () => {
  it('arm no timer before they are started, so that a start that fails can end', () => {
    let armed = 0;
    const counting: Clock = {
      ...systemClock,
      after: (...given) => {
        armed += 1;
        return systemClock.after(...given);
      },
      every: (...given) => {
        armed += 1;
        return systemClock.every(...given);
      },
    };
    const output = { kind: 'tcp' as const, host: '127.0.0.1', port: 9, everyMs: 2_000, calmEveryMs: 12_000 };
    const probes = createProbes({
      channels: [{ id: 'calm', output, source: undefined }],
      hosts: [],
      clock: counting,
      onSample: () => undefined,
    });
    onTestFinished(() => probes[Symbol.dispose]());
    expect(armed).toBe(0);
    probes.start();
    expect(armed).toBeGreaterThan(1);
  });

  it('give a dated sample for each look: playlist, reach by HTTP and TCP, source, host', async () => {
    const { url, host } = await serve((_request, response) => response.end('#EXTM3U\n#EXTINF:1,\na.ts\n'));
    const port = await accept(() => undefined);
    const { samples } = start({
      channels: [
        { ...anHls('a', `${url}/a.m3u8`), source: { url: `${url}/a.ts`, everyMs: 200, expect: 'any' } },
        { id: 'b', output: { kind: 'http', url: `${url}/b`, everyMs: 200 }, source: undefined },
        { id: 'c', output: { kind: 'tcp', host: '127.0.0.1', port, everyMs: 200 }, source: undefined },
        { id: 'd', output: undefined, source: undefined },
      ],
      hosts: [{ engine: 'local', disks: ['/tmp'], everyMs: 200 }],
    });
    await expect.poll(() => new Set(samples.map(({ kind }) => kind)).size, { timeout: 30_000 }).toBe(4);
    await expect.poll(() => samples.filter(({ kind }) => kind === 'reach').length).toBeGreaterThanOrEqual(2);
    expect(samples.find(({ kind }) => kind === 'source')).toMatchObject({ channel: 'a', ok: true, host });
    expect(samples.find((sample) => sample.kind === 'reach' && sample.channel === 'c')).toMatchObject({
      ok: true,
      source: 'tcp',
    });
    expect(samples.find(({ kind }) => kind === 'host')).toMatchObject({ engine: 'local', disks: [{ path: '/tmp' }] });
    expect(samples.every(({ at, monoMs }) => at > 0 && monoMs > 0)).toBe(true);
  });

  it('report a refused connection', async () => {
    const { samples } = start({
      channels: [
        {
          id: 'c',
          output: { kind: 'tcp', host: '127.0.0.1', port: await aFreePort(), everyMs: 200 },
          source: undefined,
        },
      ],
    });
    await expect.poll(() => samples[0]).toMatchObject({ kind: 'reach', ok: false, failure: 'refused' });
  });

  it('take a redirect for an answer, and a stream without an end, too', async () => {
    const { url } = await serve((request, response) => {
      if (request.url === '/r') return response.writeHead(301, { location: '/' }).end();
      if (request.url === '/e') return response.writeHead(500).end();
      return void response.write('x'.repeat(100_000));
    });
    const { samples } = start({
      channels: ['/r', '/e', '/endless'].map((path) => ({
        id: path,
        output: { kind: 'http' as const, url: url + path, everyMs: 200 },
        source: undefined,
      })),
    });
    const of = (id: string) => samples.find((sample) => sample.kind === 'reach' && sample.channel === id);
    await expect.poll(() => of('/r')).toMatchObject({ ok: true, status: 301 });
    await expect.poll(() => of('/e')).toMatchObject({ ok: false, failure: 'http_status', status: 500 });
    await expect.poll(() => of('/endless')).toMatchObject({ ok: true, status: 200 });
  });

  it('look at once when asked, at what was asked for', async () => {
    const { url, asked } = await serve((_request, response) => response.end('#EXTM3U\n'));
    const far = { everyMs: 3_600_000 };
    const { probes } = start({
      channels: ['a', 'b'].map((id) => ({
        id,
        output: { kind: 'hls' as const, url: `${url}/${id}.m3u8`, ...far },
        source: { url: `${url}/${id}.ts`, expect: 'any' as const, ...far },
      })),
      hosts: [],
    });
    await expect.poll(() => asked.length).toBe(2);
    probes.now('b', ['source']);
    await expect.poll(() => asked.at(-1)).toBe('GET /b.ts');
    probes.now('b');
    await expect.poll(() => asked).toContain('GET /b.m3u8');
    expect(probes.stats().outputs.runs).toBe(2);
  });

  it('give no sample of a look that was cut short by the end of Reeve', async () => {
    const port = await accept(() => undefined);
    const { probes, samples } = start({ channels: [anHls('a', `http://127.0.0.1:${port}/a.m3u8`)] });
    await expect.poll(() => probes.stats().outputs.running).toBe(1);
    probes[Symbol.dispose]();
    await expect.poll(() => probes.stats().outputs.running).toBe(0);
    expect(samples).toEqual([]);
  });
});
