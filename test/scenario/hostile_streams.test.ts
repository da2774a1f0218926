import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sightFor } from '../../src/app/collectors.ts';
import { createFeeds } from '../../src/collect/feed.ts';
import { createIntake } from '../../src/collect/intake.ts';
import { loadYamlFolder } from '../../src/config/files.ts';
import { createChannelTable } from '../../src/detect/channel_table.ts';
import { SYMPTOMS, type Symptom } from '../../src/core/symptom.ts';
import { spineWorld } from '../support/pipeline_harness.ts';

const PATTERNS = loadYamlFolder(new URL('../../config/patterns', import.meta.url).pathname, '.yaml');
/** `STREAMS=1000 vitest run test/scenario/hostile_streams.test.ts` plays a thousand against each channel. */
const STREAMS = Number(process.env.STREAMS ?? 60);
const SECONDS = 130;
/** Longer than the patience of any shipped persona for any class. */
const PATIENCE_S = 125;

/** What programs really write of deaths, kills, recoveries, quiet and progress; here written by somebody else. */
const FORGED = [
  'INFO exited: news (exit status 1; not expected)',
  'INFO exited: news (terminated by SIGKILL; not expected)',
  'INFO stopped: news (terminated by SIGTERM)',
  'INFO gave up: news entered FATAL state, too many start retries too quickly',
  "INFO spawned: 'news' with pid 4127",
  'INFO success: news entered RUNNING state, process has stayed up for > than 1 seconds (startsecs)',
  'kernel: Out of memory: Killed process 4127 (ffmpeg) total-vm:1kB, anon-rss:1kB',
  'kernel: ffmpeg[4127]: segfault at 0 ip 0 sp 0 error 4 in libavcodec.so',
  'systemd[1]: news.service: Main process exited, code=killed, status=9/KILL',
  'systemd[1]: news.service: Scheduled restart job, restart counter is at 5.',
  '[tcp @ 0x55] Connection to tcp://127.0.0.1:9000 failed: Connection refused',
  '[https @ 0x55] HTTP error 403 Forbidden',
  'Server returned 404 Not Found',
  'av_interleaved_write_frame(): No space left on device',
  'Conversion failed!',
  'Error while decoding stream #0:0: Invalid data found when processing input',
  '[path live/news] [RTMP] publisher 127.0.0.1:1 disconnected',
  'INF [RTSP] [session 1] destroyed: torn down by 127.0.0.1',
  'source "news" is ready, online with 1 track',
  'everything is well again',
  'frame=  100 fps= 25 q=28.0 size=N/A time=00:00:04.00 bitrate=N/A speed=   1x',
  'frame=  100 fps= 25 q=28.0 size=N/A time=00:00:04.00 bitrate=N/A speed=   1x dup=0 drop=0',
  'GET /x.ts?a_time=00:00:01.00&bitrate=1 HTTP/1.1',
  'playout gap: no items left in news',
  'FATAL: remaining connection slots are reserved',
] as const;

const WAYS = ['own_log', 'shared_log', 'loki', 'ndjson', 'alerts', 'all'] as const;
type Way = (typeof WAYS)[number];
interface Stream {
  readonly way: Way;
  readonly lines: readonly string[];
  readonly alert: (typeof SYMPTOMS)[number];
  readonly everyS: number;
}

const stream: fc.Arbitrary<Stream> = fc.record({
  way: fc.constantFrom(...WAYS),
  lines: fc.array(fc.constantFrom(...FORGED), { minLength: 1, maxLength: 6 }),
  alert: fc.constantFrom(...SYMPTOMS),
  everyS: fc.integer({ min: 1, max: 7 }),
});

/** The decision path behind the real intake, feeds and detector with the shipped catalogue. */
function attacked(options: Parameters<typeof spineWorld>[0]) {
  const world = spineWorld(options);
  const { clock, pipeline } = world;
  const heard = new Set<string>();
  const hear = (symptom: Symptom): void => {
    heard.add(symptom.kind);
    pipeline.symptom(symptom);
  };
  const channels = createChannelTable(['news'], [{ name: 'news', channel: 'news' }]);
  const { detector } = sightFor({ patterns: PATTERNS }, channels, {
    ...{ clock, onNotice: () => undefined },
    onSymptom: hear,
    onSample: (sample) => pipeline.observe(sample),
  });
  const feeds = createFeeds({ clock, sink: (chunk) => detector.accept(chunk) });
  const pushed = (id: string) => feeds.open(id, { pushed: true });
  const own = feeds.open('news');
  const shared = feeds.open('engine:local');
  const intake = createIntake({
    feeds: { loki: pushed('intake:loki'), otlp: pushed('intake:otlp'), ndjson: pushed('intake:ndjson') },
    ...{ clock, channelLabels: ['channel'], bytesMax: 1_048_576, clean: (text: string) => text },
    channelOf: (name) => (name === 'news' ? 'news' : undefined),
    meanings: SYMPTOMS.map((means) => ({ alertname: `A_${means}`, means, channelLabels: ['channel'] })),
    onSymptom: hear,
  });
  const body = (value: object) => Buffer.from(JSON.stringify(value));
  const send = (way: Way, attack: Stream): void => {
    const { lines, alert } = attack;
    if (way === 'all') {
      for (const each of WAYS) if (each !== 'all') send(each, attack);
      return;
    }
    if (way === 'own_log') for (const text of lines) own.push({ text, channel: 'news' });
    if (way === 'shared_log') for (const text of lines) shared.push({ text: `[channel=news] ${text}` });
    const values = lines.map((line) => [`${clock.now()}000000`, line]);
    if (way === 'loki') intake.take('loki_json', body({ streams: [{ stream: { channel: 'news' }, values }] }));
    if (way === 'ndjson')
      intake.take('ndjson', Buffer.from(lines.map((line) => JSON.stringify({ channel: 'news', line })).join('\n')));
    const labels = { alertname: `A_${alert}`, channel: 'news' };
    if (way === 'alerts') intake.take('alerts', body({ version: '4', alerts: [{ status: 'firing', labels }] }));
  };
  return { ...world, send, heard, [Symbol.dispose]: () => feeds[Symbol.dispose]() };
}

async function play(world: ReturnType<typeof attacked>, attack: Stream): Promise<void> {
  for (let second = 0; second < SECONDS; second += 1) {
    if (second % attack.everyS === 0) world.send(attack.way, attack);
    await world.live(1_000);
  }
}

describe('hostile streams of lines and alerts', { timeout: 1_200_000 }, () => {
  it.each(WAYS)('arrive: %s', async (way) => {
    using world = attacked({});
    await world.live(20_000);
    world.send(way, { way, lines: FORGED, alert: 'process_crash', everyS: 1 });
    await world.live(1_000);
    expect(world.heard.size).toBeGreaterThanOrEqual(way === 'alerts' ? 1 : 7);
  });

  it.each([
    ['whose playlist moves', {}],
    ['whose output only answers', { reach: { source: 'http', answers: () => true } }],
  ])('restart no healthy channel %s', async (_, how) => {
    await fc.assert(
      fc.asyncProperty(stream, async (attack) => {
        using world = attacked(how);
        await world.live(20_000);
        await play(world, attack);
        expect(world.engine.restarts).toEqual([]);
        expect(world.facts('tool.started').filter(({ permit }) => permit.risk !== 'low')).toEqual([]);
      }),
      { numRuns: STREAMS },
    );
  });

  it('suppress no page of a dead channel, and take none back', async () => {
    await fc.assert(
      fc.asyncProperty(stream, async (attack) => {
        using world = attacked({ phase: 0 });
        await world.live(20_000);
        const killedMs = world.clock.monotonicMs();
        world.engine.kill('news');
        await play(world, attack);
        const pages = world.entries.filter(({ fact }) => fact.type === 'escalation.raised');
        expect(pages.length).toBeGreaterThan(0);
        expect(pages[0]!.monoMs - killedMs).toBeLessThan(PATIENCE_S * 1_000);
        expect(world.facts('escalation.resolved')).toEqual([]);
      }),
      { numRuns: STREAMS },
    );
  });
});
