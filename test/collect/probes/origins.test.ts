import { describe, expect, it } from 'vitest';
import { Origins } from '../../../src/collect/probes/origins.ts';
import type { SourceSample } from '../../../src/core/sample.ts';

const NOW_MS = 1_000_000;

const sampleOf = (channel: string, fields: Partial<SourceSample> = {}): SourceSample => ({
  ...{ kind: 'source', at: 0, source: 'source', host: 'origin', ok: true },
  ...{ channel, monoMs: NOW_MS, ...fields },
});

const three = () =>
  new Origins([
    { channel: 'a', url: 'http://origin:80/a.ts' },
    { channel: 'b', url: 'http://origin/b.ts' },
    { channel: 'c', url: 'http://origin/c.ts' },
    { channel: 'alone', url: 'https://origin/alone.ts' },
  ]);

describe('calm channels of one origin', () => {
  it('are looked at one after another: each rests as many times as long as there are, and a minute at most', () => {
    const origins = three();
    origins.observe(sampleOf('a'));
    expect(['a', 'b', 'c'].map((id) => origins.restMs(id, 10_000, NOW_MS))).toEqual([30_000, 30_000, 30_000]);
    expect(origins.restMs('b', 25_000, NOW_MS)).toBe(60_000);
    expect(origins.restMs('b', 90_000, NOW_MS)).toBe(90_000);
  });

  it('rest no longer than by themselves without a proof as recent as their own would be', () => {
    const origins = three();
    expect(origins.restMs('b', 10_000, NOW_MS)).toBe(10_000);
    origins.observe(sampleOf('a'));
    expect(origins.restMs('b', 10_000, NOW_MS + 10_000)).toBe(30_000);
    expect(origins.restMs('b', 10_000, NOW_MS + 10_001)).toBe(10_000);
  });

  it('share nothing with another scheme, nor with a channel that is not known', () => {
    const origins = three();
    origins.observe(sampleOf('a'));
    origins.observe(sampleOf('stranger'));
    expect(origins.restMs('alone', 10_000, NOW_MS)).toBe(10_000);
    expect(origins.restMs('stranger', 10_000, NOW_MS)).toBe(10_000);
  });

  it('never make one rest that is in doubt', () => {
    const origins = three();
    origins.observe(sampleOf('a'));
    expect(origins.restMs('b', 0, NOW_MS)).toBe(0);
  });

  it.each([
    [{ failure: 'refused' }, 10_000],
    [{ failure: 'timeout' }, 10_000],
    [{ failure: 'http_status', status: 500 }, 10_000],
    [{ failure: 'http_status', status: 499 }, 30_000],
    [{ failure: 'corrupt', status: 200 }, 30_000],
  ] as const)('after a look that found %o rest %i ms', (fields, restMs) => {
    const origins = three();
    origins.observe(sampleOf('a'));
    origins.observe(sampleOf('c', { ok: false, ...fields }));
    expect(origins.restMs('b', 10_000, NOW_MS)).toBe(restMs);
  });
});
