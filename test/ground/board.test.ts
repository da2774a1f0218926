import { describe, expect, it } from 'vitest';
import type { EngineSample, HostSample, Sample } from '../../src/core/sample.ts';
import type { Symptom } from '../../src/core/symptom.ts';
import { NO_ENGINE_FACTS } from '../../src/ground/facts/engine_facts.ts';
import { FactStore, noFacts } from '../../src/ground/facts/facts.ts';
import { lookOf } from './looks.ts';
import { setupOf } from './scene.ts';

const ENGINE = { id: 'local', pollMs: 1_000, autorestartGraceMs: 1_000, hostEveryMs: undefined };
const OTHER = { ...ENGINE, id: 'other' };

function setUp() {
  const starts: string[] = [];
  const factStore = new FactStore({ channels: [setupOf('news')], engines: [ENGINE] }, (...start) =>
    starts.push(start.join(' ')),
  );
  return { factStore, starts };
}
const about = { at: 0, source: 's' } as const;
const engine = (monoMs: number): EngineSample => ({
  ...about,
  kind: 'engine',
  engine: 'local',
  monoMs,
  ok: true,
  poolPressure: 0.5,
  reportsPool: true,
});
const host = (monoMs: number): HostSample => ({
  ...about,
  kind: 'host',
  engine: 'local',
  monoMs,
  disks: [],
  oomKills: undefined,
  cpuPressure: undefined,
});
const symptom = (kind: Symptom['kind'], channel = 'news'): Symptom => ({
  at: 0,
  monoMs: 1_000,
  channel,
  kind,
  origin: 'log',
  countInWindow: 1,
  windowMs: 60_000,
  confidence: 0.9,
  pattern: 'p',
  evidence: [],
});

describe('the board', () => {
  it('begins with nothing but what is configured', () => {
    const { factStore } = setUp();
    expect(factStore.channels).toEqual([setupOf('news')]);
    expect(factStore.view('news')).toEqual(noFacts(setupOf('news')));
    expect(factStore.view('news')?.symptoms).toEqual([]);
    expect([factStore.engineSetup('local'), factStore.engineFacts('local')]).toEqual([ENGINE, NO_ENGINE_FACTS]);
    expect([factStore.hostFacts('local'), factStore.strays]).toEqual([undefined, 0]);
  });

  it('knows nothing of an engine that is not configured', () => {
    const { factStore } = setUp();
    expect([factStore.engineSetup('other'), factStore.engineFacts('other'), factStore.hostFacts('other')]).toEqual([
      undefined,
      NO_ENGINE_FACTS,
      undefined,
    ]);
  });

  it('puts each sample where it belongs, and the rest of the facts stay', () => {
    const { factStore } = setUp();
    const channel = { ...about, channel: 'news' } as const;
    const samples: readonly [keyof ReturnType<typeof noFacts>, Sample][] = [
      ['process', lookOf('1000 running a')],
      ['output', { ...channel, kind: 'playlist', monoMs: 2_000, ok: true }],
      ['source', { ...channel, kind: 'source', monoMs: 3_000, ok: true, host: 'o' }],
      ['reach', { ...channel, kind: 'reach', monoMs: 4_000, ok: true }],
      ['progress', { ...channel, kind: 'progress', monoMs: 5_000, outTimeMs: 1, frame: undefined }],
      ['viewers', { ...channel, kind: 'viewers', monoMs: 6_000, viewers: 3 }],
    ];
    for (const [name, sample] of samples) {
      const before = factStore.view('news')!;
      factStore.observe(sample);
      const after = factStore.view('news')!;
      expect(after).toEqual({ ...before, watchedMs: 1_000, [name]: expect.anything() });
    }
    expect(factStore.view('news')?.viewers).toEqual(samples[5]![1]);
  });

  it('keeps the report of an engine, its credentials and its machine beside each other', () => {
    const { factStore } = setUp();
    const credential = { ...about, kind: 'credential', engine: 'local', monoMs: 2_000, ok: false } as const;
    factStore.observe(engine(1_000));
    factStore.observe(credential);
    factStore.observe(host(3_000));
    expect(factStore.engineFacts('local')).toMatchObject({ last: engine(1_000), lastOkMs: 1_000, credential });
    expect(factStore.hostFacts('local')?.last).toEqual(host(3_000));
  });

  it('keeps of a new configuration what it knew, and forgets what is gone', () => {
    const { factStore } = setUp();
    factStore.observe(engine(1_000));
    factStore.observe(host(2_000));
    factStore.observe(lookOf('3000 running a'));
    factStore.configure({ channels: [setupOf('news'), setupOf('more')], engines: [{ ...ENGINE, pollMs: 5 }, OTHER] });
    expect(factStore.engineSetup('local')?.pollMs).toBe(5);
    expect(factStore.engineFacts('local').lastOkMs).toBe(1_000);
    expect(factStore.hostFacts('local')?.last.monoMs).toBe(2_000);
    expect([factStore.engineFacts('other'), factStore.hostFacts('other')]).toEqual([NO_ENGINE_FACTS, undefined]);
    expect(factStore.channels.map(({ id }) => id)).toEqual(['news', 'more']);
    factStore.configure({ channels: [setupOf('more')], engines: [OTHER] });
    expect([factStore.view('news'), factStore.engineSetup('local')]).toEqual([undefined, undefined]);
  });

  it('knows who shares a group, with what it knows of each, also after a new configuration', () => {
    const channels = [setupOf('news'), setupOf('sport', { group: 'pull' }), setupOf('film', { group: 'pull' })];
    const factStore = new FactStore({ channels, engines: [ENGINE] }, () => undefined);
    factStore.symptom(symptom('dns_failure', 'film'));
    const inGroup = (group: string) =>
      factStore.inGroup(group).map(({ setup, symptoms }) => [setup.id, symptoms.map(({ kind }) => kind)]);
    expect(inGroup('pull')).toEqual([
      ['sport', []],
      ['film', ['dns_failure']],
    ]);
    expect(inGroup('missing')).toEqual([]);
    factStore.configure({ channels: [setupOf('film', { group: 'push' })], engines: [ENGINE] });
    expect([inGroup('pull'), inGroup('push')]).toEqual([[], [['film', ['dns_failure']]]]);
  });

  it('reports a start once, and at no other sample', () => {
    const { factStore, starts } = setUp();
    const viewers = { ...about, kind: 'viewers', channel: 'news', monoMs: 3_000, viewers: 1 } as const;
    factStore.observe(viewers);
    for (const look of ['1000 running a', '2000 running b']) factStore.observe(lookOf(look));
    factStore.observe(viewers);
    factStore.observe(lookOf('4000 running b'));
    expect(starts).toEqual(['news b local']);
  });

  it('remembers what complains, and not what is harmless', () => {
    const { factStore } = setUp();
    factStore.symptom(symptom('benign_noise'));
    expect(factStore.view('news')?.symptoms).toEqual([]);
    factStore.symptom(symptom('config_error'));
    expect(factStore.view('news')?.symptoms.map(({ kind }) => kind)).toEqual(['config_error']);
  });

  it('names the origin of the start that is meant, and of no other', () => {
    const { factStore } = setUp();
    for (const look of ['1000 running a', '2000 running b', '3000 running c']) factStore.observe(lookOf(look));
    factStore.started('news', 'reeve', 'b');
    expect(factStore.view('news')?.process?.starts.map(({ origin }) => origin)).toEqual(['reeve', 'unknown']);
  });

  it('takes nothing down of an unknown channel, and nothing of a process that it has not seen', () => {
    const { factStore } = setUp();
    factStore.symptom(symptom('config_error', 'stranger'));
    expect(factStore.strays).toBe(1);
    factStore.started('stranger', 'reeve', 'a');
    factStore.acted('stranger', 1_000);
    factStore.recallEnd('stranger', 1_000, 1_000);
    expect(factStore.view('stranger')).toBeUndefined();
    factStore.started('news', 'reeve', 'a');
    expect(factStore.view('news')).toEqual(noFacts(setupOf('news')));
  });

  it('remembers when Reeve acted on a channel, and what an earlier process of Reeve saw', () => {
    const { factStore } = setUp();
    factStore.acted('news', 5_000);
    factStore.recallEnd('news', 4_000, 4_500);
    expect(factStore.view('news')).toEqual({
      ...noFacts(setupOf('news')),
      actedMs: 5_000,
      halfDone: { generation: undefined, sinceMs: 5_000, startsNothing: true },
      endedMs: 4_000,
      downUntilMs: 4_500,
    });
  });
});
