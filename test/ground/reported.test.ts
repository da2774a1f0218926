import { describe, expect, it } from 'vitest';
import type { ProbeFailure } from '../../src/core/sample.ts';
import type { SymptomKind } from '../../src/core/symptom.ts';
import { classifyEngine } from '../../src/ground/rules/classify_engine.ts';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import { pulling, Scene } from './scene.ts';
import { story, tell } from './report.ts';

/*
 * What people and the planner read about a channel, letter for letter and figure for figure, as its story goes on. The
 * stories are short and each is about one thing; `__snapshots__` is to be read, and a change of it is to be meant.
 */

const silent = { producing: false, speed: undefined, cpu: 0 } as const;
/** A channel that died by itself a moment ago. */
const dead = (): Scene => new Scene().die({ code: 1 }).look().lookAtHost();
/** A pulling channel that stands: its log or its source says why. */
const standing = (): Scene => pulling().set(silent).advance(8_000);

describe('is reported of a channel', () => {
  it.each<[string, () => string]>([
    ['that plays', () => story(new Scene(), 20)],
    ['that has just been started by hand', () => story(new Scene().start(), 12)],
    ['that was stopped on purpose', () => story(new Scene().set({ state: 'stopped', onPurpose: true, ...silent }), 20)],
    ['that rests because it has no viewer', () => story(new Scene({ expected: 'on_demand' }).die({ code: 0 }), 20)],
    ['that was killed', () => story(new Scene().die({ code: -1, signal: 9 }).look(), 40)],
    [
      'that was killed, and the kernel did it',
      () => story(new Scene().die({ code: -1, signal: 9 }).look().set({ oomKills: 1 }), 20),
    ],
    ['that broke with SIGSEGV', () => story(new Scene().die({ signal: 11 }).look().log('process_crash'), 20)],
    ['that was ended by SIGTERM', () => story(new Scene().die({ signal: 15 }).look(), 90)],
    ['that ended with 255, as ffmpeg does when asked', () => story(new Scene().die({ code: 255 }).look(), 90)],
    ['that ended by itself with 0', () => story(new Scene().die({ code: 0 }).look(), 90)],
    ['that ended with 1 without a log line', () => story(dead(), 60)],
    ['that was given up', () => story(new Scene().die({ code: 1 }, 'fatal').look(), 60)],
    ['that is starting for ever', () => story(new Scene().die({ code: 1 }, 'starting').look(), 120)],
    ['that is held in backoff', () => story(new Scene().die({ code: 1 }, 'backoff').look(), 120)],
    ['that is stopping for ever', () => story(new Scene().die({}, 'stopping').look(), 120)],
    ['that is in an unknown state', () => story(new Scene().set({ state: 'unknown', ...silent }).look(), 120)],
    ['that is halted', () => story(new Scene().set({ halted: true, ...silent }), 30)],
    ['that runs and stands', () => story(new Scene().set(silent), 30)],
    ['that runs, works and puts nothing out', () => story(new Scene().set({ producing: false }), 60)],
    [
      'that runs and reports nothing, while CPU is used',
      () => story(new Scene().set({ producing: false, speed: undefined }), 60),
    ],
    ['that encodes too slowly', () => story(new Scene().set({ speed: 0.5, producing: false }), 60)],
    ['whose segments are empty', () => story(new Scene().set({ segmentBytes: 0 }), 30)],
    [
      'whose segments are empty, with no disk looked at',
      () => story(new Scene().set({ segmentBytes: 0, disk: undefined }), 30),
    ],
    ['whose disk is full while it plays', () => story(new Scene().set({ disk: 0.99 }), 20)],
    [
      'whose disk is full as it dies',
      () => story(new Scene().set({ disk: 0.985 }).die({ code: 1 }).look().lookAtHost(), 20),
    ],
    ['whose engine is away', () => story(new Scene().set({ engineUp: false }), 60)],
    ['whose engine is away, and that stands', () => story(new Scene().set({ engineUp: false, ...silent }), 60)],
    [
      'that stands, and neighbours share its source',
      () => story(standing().set({ source: 'refused' }), 30, { sharingSource: 3 }),
    ],
    [
      'that flaps',
      () => {
        const scene = new Scene();
        for (let round = 0; round < 4; round += 1)
          scene.start(false).look().advance(2_000).die({ code: 1 }).look().advance(300);
        return story(scene, 90);
      },
    ],
    [
      'that flaps with log lines',
      () => {
        const scene = pulling();
        for (let round = 0; round < 4; round += 1)
          scene
            .start(false)
            .look()
            .advance(2_000)
            .log('process_exit_nonzero')
            .log('upstream_unreachable')
            .die({ code: 1 })
            .look()
            .advance(300);
        return story(scene, 90);
      },
    ],
    [
      'that Reeve stopped, and the engine did not start',
      () => {
        const scene = new Scene();
        scene.factStore.acted('gen1', scene.nowMs);
        return story(scene.set({ state: 'stopped', onPurpose: true, ...silent }).look(), 120);
      },
    ],
  ])('%s', (_, telling) => {
    expect(telling()).toMatchSnapshot();
  });
});

describe('is reported of the server of the output that', () => {
  it.each<[ProbeFailure, number | undefined]>([
    ['refused', undefined],
    ['timeout', undefined],
    ['http_status', 404],
    ['http_status', 401],
    ['http_status', 403],
    ['http_status', 500],
    ['http_status', 499],
    ['http_status', undefined],
  ])('answers %s (status %s)', (server, serverStatus) => {
    expect(story(new Scene().set({ server, serverStatus }), 20)).toMatchSnapshot();
  });

  it('answers nothing any more for a dead channel', () => {
    expect(story(dead().set({ server: 'refused' }), 30)).toMatchSnapshot();
  });
});

describe('is reported of a source that', () => {
  it.each<[ProbeFailure, number | undefined, number | undefined]>([
    ['refused', undefined, undefined],
    ['timeout', undefined, undefined],
    ['slow', undefined, undefined],
    ['dns', undefined, undefined],
    ['tls', undefined, undefined],
    ['corrupt', undefined, undefined],
    ['truncated', undefined, undefined],
    ['http_status', 401, undefined],
    ['http_status', 403, undefined],
    ['http_status', 410, undefined],
    ['http_status', 404, undefined],
    ['http_status', 429, 12_400],
    ['http_status', 464, undefined],
    ['http_status', 503, 1_000],
    ['http_status', 503, undefined],
    ['http_status', undefined, undefined],
  ])('answers %s (status %s, come again in %s ms)', (source, sourceStatus, retryAfterMs) => {
    expect(story(standing().set({ source, sourceStatus, retryAfterMs }), 25)).toMatchSnapshot();
  });

  it('fails while the channel plays on', () => {
    expect(story(pulling().set({ source: 'refused' }), 30)).toMatchSnapshot();
  });

  it('came back, and the channel with it or without', () => {
    const back = () => standing().set({ source: 'refused' }).advance(20_000).set({ source: 'ok' });
    expect(story(back(), 60)).toMatchSnapshot();
    expect(story(back().set({ producing: true, speed: 1, cpu: 100 }), 30)).toMatchSnapshot();
    expect(
      story(standing().set({ source: 'refused' }).die({ code: 1 }).look().advance(20_000).set({ source: 'ok' }), 60),
    ).toMatchSnapshot();
  });

  it('refuses while the credentials fail, or pass, their probe', () => {
    for (const ok of [true, false]) {
      const scene = standing().set({ source: 'http_status', sourceStatus: 403 });
      scene.factStore.observe({
        kind: 'credential',
        engine: 'local',
        at: scene.at,
        monoMs: scene.nowMs,
        source: 'probe',
        ok,
      });
      expect(story(scene, 15)).toMatchSnapshot();
      const logged = standing().log('auth_denied', { pattern: 'http_403' }).log('auth_expired');
      logged.factStore.observe({
        kind: 'credential',
        engine: 'local',
        at: logged.at,
        monoMs: logged.nowMs,
        source: 'probe',
        ok,
      });
      expect(story(logged, 15)).toMatchSnapshot();
    }
  });
});

const LOGGED: readonly [SymptomKind, string?][] = [
  ['upstream_unreachable'],
  ['upstream_timeout'],
  ['upstream_not_found'],
  ['auth_expired'],
  ['auth_denied', 'http_401'],
  ['auth_denied', 'http_403'],
  ['auth_denied', 'rtmp_publish_refused'],
  ['rate_limited'],
  ['dns_failure'],
  ['tls_failure'],
  ['segment_missing'],
  ['corrupt_input'],
  ['playout_gap'],
  ['guide_stale'],
  ['hw_accel_failure', 'nvenc_session'],
  ['hw_accel_failure', 'vaapi'],
  ['config_error'],
  ['codec_unsupported'],
  ['permission_denied'],
  ['port_in_use'],
  ['encoder_overload'],
  ['ghost_publisher'],
  ['tuner_slots_exhausted'],
  ['publisher_lost'],
  ['disk_full'],
  ['process_killed_oom'],
  ['fd_exhaustion'],
  ['db_locked'],
  ['db_pool_exhaustion'],
  ['process_crash'],
  ['process_exit_nonzero'],
  ['stalled_output'],
  ['buffer_underrun'],
];

const titled = ([kind, pattern]: (typeof LOGGED)[number]) =>
  [pattern === undefined ? kind : `${kind} as ${pattern}`, kind, pattern] as const;

describe('is reported of the text', () => {
  it.each(LOGGED.map(titled))('%s of a channel that died, stands or plays', (_, kind, pattern) => {
    const logged = (scene: Scene, count: number) =>
      scene.log(kind, { count, ...(pattern === undefined ? {} : { pattern }) });
    expect(story(logged(dead(), 3), 45)).toMatchSnapshot('died');
    expect(story(logged(standing(), 3), 45)).toMatchSnapshot('stands');
    expect(story(logged(new Scene(), 1), 3)).toMatchSnapshot('plays, once');
    expect(story(logged(new Scene(), 12), 40)).toMatchSnapshot('plays, often');
  });

  it('of several kinds: the surest first, each kind once, at most eight signals', () => {
    const scene = standing();
    for (const [at, kind] of (
      ['upstream_timeout', 'dns_failure', 'tls_failure', 'upstream_unreachable'] as const
    ).entries())
      scene.log(kind, { confidence: 0.5 + at / 10, count: at + 1 }).advance(500);
    for (const kind of ['process_crash', 'db_locked', 'auth_expired', 'playout_gap'] as const)
      scene.log(kind, { confidence: 0.3 });
    expect(story(scene, 40)).toMatchSnapshot();
  });
});

describe('is reported of an engine', () => {
  const look = (scene: Scene) => {
    const { engine: facts, host, limits } = scene.context();
    const found = classifyEngine({ engine: 'local', facts, host, limits }, scene.nowMs);
    return found === undefined ? 'fine' : [...tell(scene, found), found.actNotBeforeMs === scene.nowMs].join('\n');
  };

  it('that is well, that fails, and that fails on', () => {
    const scene = new Scene();
    expect(look(scene)).toBe('fine');
    scene.set({ engineUp: false });
    expect(Array.from({ length: 5 }, () => look(scene.advance(1_000)))).toMatchSnapshot();
  });

  it('whose disk is nearly full, and full', () => {
    expect(
      [0.94, 0.95, 0.979, 0.98, 0.99, 1].map((disk) => look(new Scene().set({ disk }).lookAtHost())),
    ).toMatchSnapshot();
  });

  it('whose pool is nearly full, and full', () => {
    const with_ = (poolPressure: number) => {
      const scene = new Scene();
      const sample = {
        kind: 'engine',
        engine: 'local',
        at: scene.at,
        monoMs: scene.nowMs,
        source: 's',
        ok: true,
      } as const;
      scene.factStore.observe({ ...sample, poolPressure, reportsPool: true });
      return [look(scene), story(scene.set(silent).look(), 0)];
    };
    const max = DEFAULT_LIMITS.poolPressureMax;
    expect([max - 0.01, max, 1].map(with_)).toMatchSnapshot();
  });
});
