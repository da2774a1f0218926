import { describe, expect, it } from 'vitest';
import { exstreamtvDocument } from '../../../src/engine/exstreamtv/schema.ts';
import type { ReeveError } from '../../../src/core/errors.ts';
import { ExstreamtvEngine } from '../../../src/engine/exstreamtv/engine.ts';
import { parseMetrics, sumOf } from '../../../src/engine/exstreamtv/metrics_text.ts';
import { withoutTokens } from '../../../src/engine/secrets.ts';
import { aContext, deadlinesFor, engineParts } from '../../support/engine_parts.ts';
import { ExstreamtvHead } from '../../support/exstreamtv_head.ts';
import { closeServersAfterAll, HOSTILE } from '../../support/servers.ts';

closeServersAfterAll();
const never = new AbortController().signal;
const outcome = (call: Promise<unknown>) => call.catch((error: unknown) => error as ReeveError);

const CHANNELS = ['7', '8', '9'];
const engineAt = (url: string, options: object = {}, names = CHANNELS, parts = engineParts()) => {
  const document = exstreamtvDocument.parse({ id: 'tv', kind: 'exstreamtv', url, ...options });
  return new ExstreamtvEngine({
    document,
    channels: names.map((name) => ({ id: `ch-${name}`, name })),
    parts,
  });
};

async function setUp(options: object = {}) {
  const head = await new ExstreamtvHead().start();
  for (const id of [7, 8]) head.add(id);
  return { head, engine: engineAt(head.url, options) };
}

describe('capabilities', () => {
  it('are what the software can do: no restart as published, no pool, no viewers', async () => {
    const { engine } = await setUp();
    expect([...engine.capabilities].sort()).toEqual(['cache', 'credentials', 'logs', 'observe', 'rebuild']);
    expect([...(await setUp({ restart: 'patch' })).engine.capabilities]).toContain('restart');
    expect([...(await setUp({ plex: false })).engine.capabilities].sort()).toEqual(['cache', 'logs', 'observe']);
  });

  it('asks nothing of a service that cannot restart', async () => {
    const { engine, head } = await setUp();
    expect(await outcome(engine.restart('ch-7', aContext()))).toMatchObject({ code: 'ENGINE_REFUSED' });
    expect(head.requests).toEqual([]);
  });

  it('takes ids for channels, not numbers', () => {
    for (const name of ['7.1', 'news', '', '../../7', '-1']) {
      expect(() => engineAt('http://h', {}, [name])).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    }
  });
});

describe('a look', () => {
  it('says unknown rather than healthy of a channel that has not put out anything', async () => {
    const { engine, head } = await setUp();
    head.channels.get(8)!.enabled = false;
    const report = await engine.observe(never);
    expect(report.engine).toMatchObject({ ok: true, poolPressure: undefined, reportsPool: false });
    expect(report.processes).toMatchObject([
      { channel: 'ch-7', state: 'unknown', stoppedOnPurpose: false },
      { channel: 'ch-8', state: 'stopped', stoppedOnPurpose: true },
      { channel: 'ch-9', state: 'unknown', stoppedOnPurpose: false },
    ]);
  });

  it('does not trust the telemetry any more once channel health is broken, unless configured to ignore it', async () => {
    const { engine, head } = await setUp();
    head.channels.get(7)!.streamed = true;
    expect(await engine.observe(never)).toMatchObject({
      engine: { ok: false, failure: 'invalid_answer' },
      processes: [],
    });
    const other = engineAt(head.url, { channel_health: 'ignore' });
    expect((await other.observe(never)).engine).toMatchObject({ ok: true });
  });

  it('calls a channel running only on a fresh report, for an old one outlives restarts', async () => {
    const { engine, head } = await setUp();
    const reportOf = (seconds: number | null) => ({
      status: 'degraded',
      channels: { 7: { last_output_seconds_ago: seconds, restart_count: 9, error_count_5min: 0 } },
    });
    for (const [seconds, state] of [
      [0, 'running'],
      [30, 'running'],
      [30.1, 'unknown'],
      [null, 'unknown'],
    ] as const) {
      head.healthAnswer = reportOf(seconds);
      expect((await engine.observe(never)).processes[0]).toMatchObject({ state });
    }
  });

  it('reports a full pool when spawns were rejected since the last look, and unknown otherwise', async () => {
    const { engine, head } = await setUp();
    const pressure = async () => (await engine.observe(never)).engine.poolPressure;
    head.rejected = 5;
    expect(await pressure()).toBeUndefined();
    expect(await pressure()).toBeUndefined();
    head.rejected = 6;
    expect(await pressure()).toBe(1);
    expect(await pressure()).toBeUndefined();
    head.rejected = 0;
    expect(await pressure()).toBeUndefined();
  });

  it.each(Object.entries(HOSTILE))('at a service that %s is a typed failure', async (_, { start, failure }) => {
    const parts = engineParts(deadlinesFor(failure));
    const report = await engineAt(await start(), {}, CHANNELS, parts).observe(never);
    expect(report).toMatchObject({ engine: { ok: false, failure }, processes: [] });
  });

  it('never lists the pages for people, and sends its key', async () => {
    const { engine, head } = await setUp({ token: 'k3y' });
    await engine.observe(never);
    expect(head.requests.every(({ path }) => path.startsWith('/api/') || path === '/metrics')).toBe(true);
    expect(head.requests.every(({ apiKey }) => apiKey === 'k3y')).toBe(true);
  });

  it('changes nothing', async () => {
    const { engine, head } = await setUp();
    for (let look = 0; look < 3; look += 1) await engine.observe(never);
    const posts = head.requests.filter(({ method }) => method !== 'GET').map(({ path }) => path);
    expect(new Set(posts)).toEqual(new Set(['/api/settings/plex/test']));
    expect(posts).toHaveLength(1);
  });
});

describe('credentials', () => {
  it('are judged by the answer, not by its status', async () => {
    const { engine, head } = await setUp();
    expect(await engine.probeCredentials(never)).toBe(true);
    head.plexWorks = false;
    expect(await engine.probeCredentials(never)).toBe(false);
  });

  it('come with a look', async () => {
    const { engine, head } = await setUp();
    head.plexWorks = false;
    await expect
      .poll(async () => (await engine.observe(never)).credential)
      .toMatchObject({ kind: 'credential', ok: false });
  });

  it('are refreshed by resolving URLs anew, and no new token is claimed', async () => {
    const { engine } = await setUp();
    expect(await engine.refreshCredentials(aContext())).toContain('no new token');
  });
});

describe('a rebuild', () => {
  it('says how many items it added', async () => {
    const { engine } = await setUp();
    const { itemsAdded, summary } = await engine.rebuildPlayout('ch-7', aContext());
    expect(itemsAdded).toBe(12);
    expect(summary).not.toContain('abc123');
  });

  it('is not begun when it would only empty the channel', async () => {
    const { engine, head } = await setUp();
    head.plexWorks = false;
    expect(await outcome(engine.rebuildPlayout('ch-7', aContext()))).toMatchObject({ code: 'ENGINE_REFUSED' });
    expect(head.channels.get(7)!.items).toBe(1);
    expect(head.requests.some(({ path }) => path.includes('rebuild'))).toBe(false);
  });

  it('that the service refuses with status 200 is a refusal', async () => {
    const { engine } = await setUp();
    const refused = await outcome(engine.rebuildPlayout('ch-9', aContext()));
    expect(refused).toMatchObject({ code: 'ENGINE_REFUSED', message: expect.stringContaining('Channel not found') });
  });

  it('is proved by what plays now', async () => {
    const { engine, head } = await setUp();
    expect(await engine.probePlayout('ch-7', never)).toBe(true);
    head.channels.get(7)!.items = 0;
    expect(await engine.probePlayout('ch-7', never)).toBe(false);
  });
});

describe('the cache', () => {
  it('is cleared of one channel by the pattern of the service itself, which may take a neighbour along', async () => {
    const { engine, head } = await setUp();
    expect(await engine.probeCache(never)).toBe(6);
    expect(await engine.invalidateCache('ch-8', aContext())).toContain('0 entries cleared');
    expect(await engine.invalidateCache('ch-7', aContext())).toContain('2 entries cleared');
    expect([...head.cache]).toEqual(['epg:full', 'm3u:all', 'dashboard:stats', 'ffprobe:x']);
  });

  it('of the engine is cleared of guide and playlists only', async () => {
    const { engine, head } = await setUp();
    expect(await engine.invalidateCache(undefined, aContext())).toContain('2 entries cleared');
    expect(head.cache.has('dashboard:stats')).toBe(true);
  });
});

describe('a restart through the added route', () => {
  it('is accepted only when the service says so', async () => {
    const { engine, head } = await setUp({ restart: 'patch' });
    expect(await outcome(engine.restart('ch-7', aContext()))).toMatchObject({ code: 'ENGINE_REFUSED' });
    const restarted: number[] = [];
    head.restartRoute = (id) => {
      restarted.push(id);
      return id === 7;
    };
    expect(await engine.restart('ch-7', aContext())).toContain('accepted');
    expect(await outcome(engine.restart('ch-8', aContext()))).toMatchObject({ code: 'ENGINE_REFUSED' });
    expect(restarted).toEqual([7, 8]);
  });
});

describe('logs', () => {
  it('are those of the channel where it is named, without tokens', async () => {
    const { engine, head } = await setUp();
    head.logLines = [
      'ProcessPoolManager: spawned FFmpeg for channel 7 (PID 12)',
      'ProcessPoolManager: spawned FFmpeg for channel 70 (PID 13)',
      'channel 7: HTTP error 403 http://plex:32400/v?X-Plex-Token=s3cret&x=1',
    ];
    const text = await engine.recentLogs('ch-7', 1_000, never);
    expect(text.split('\n')).toHaveLength(2);
    expect(text).not.toMatch(/s3cret|channel 70/);
    expect((await engine.recentLogs('ch-8', 1_000, never)).split('\n')).toHaveLength(3);
  });

  it.each([
    ['?X-Plex-Token=s3cret', '?X-Plex-Token=[redacted]'],
    ['/a?x=1&access_token=s3cret&y=2', '/a?x=1&access_token=[redacted]&y=2'],
    ['{"auth_token": "s3cret", "a": 1}', '{"auth_token": "[redacted]", "a": 1}'],
    ['Authorization: Bearer s3cret', 'Authorization: [redacted]'],
    ['http://user:s3cret@host/x', 'http://[redacted]@host/x'],
    ['tokens 12 of 30 at 10:30:00', 'tokens 12 of 30 at 10:30:00'],
  ])('%s is shown as %s', (text, shown) => {
    expect(withoutTokens(text)).toBe(shown);
  });
});

describe('parseMetrics', () => {
  it('reads on over what a strict parser stumbles at', () => {
    const samples = parseMetrics(
      [
        '# TYPE a gauge',
        'a 1',
        '# TYPE a gauge',
        'a{x="}y"} 2.5 1700000000',
        'b NaN',
        'c +Inf',
        'nonsense',
        '',
        'd_total{} 1e3',
      ].join('\n'),
    );
    expect(samples).toEqual([
      { name: 'a', labels: '', value: 1 },
      { name: 'a', labels: 'x="}y"', value: 2.5 },
      { name: 'd_total', labels: '', value: 1_000 },
    ]);
    expect(sumOf(samples, 'a')).toBe(3.5);
    expect(sumOf(samples, 'absent')).toBeUndefined();
  });
});
