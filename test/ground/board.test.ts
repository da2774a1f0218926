import { describe, expect, it } from 'vitest';
import type { EngineSample, HostSample, Sample } from '../../src/core/sample.ts';
import type { Symptom } from '../../src/core/symptom.ts';
import { NO_ENGINE_FACTS } from '../../src/ground/engine_facts.ts';
import { Board, noFacts } from '../../src/ground/facts.ts';
import { lookOf } from './looks.ts';
import { setupOf } from './scene.ts';

const ENGINE = { id: 'local', pollMs: 1_000, autorestartGraceMs: 1_000, hostEveryMs: undefined };
const OTHER = { ...ENGINE, id: 'other' };

function setUp() {
  const starts: string[] = [];
  const board = new Board({ channels: [setupOf('news')], engines: [ENGINE] }, (...told) => starts.push(told.join(' ')));
  return { board, starts };
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
    const { board } = setUp();
    expect(board.channels).toEqual([setupOf('news')]);
    expect(board.view('news')).toEqual(noFacts(setupOf('news')));
    expect(board.view('news')?.symptoms).toEqual([]);
    expect([board.engineSetup('local'), board.engineFacts('local')]).toEqual([ENGINE, NO_ENGINE_FACTS]);
    expect([board.hostFacts('local'), board.strays]).toEqual([undefined, 0]);
  });

  it('knows nothing of an engine that nobody configured', () => {
    const { board } = setUp();
    expect([board.engineSetup('other'), board.engineFacts('other'), board.hostFacts('other')]).toEqual([
      undefined,
      NO_ENGINE_FACTS,
      undefined,
    ]);
  });

  it('puts each sample where it belongs, and the rest of the facts stay', () => {
    const { board } = setUp();
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
      const before = board.view('news')!;
      board.observe(sample);
      const after = board.view('news')!;
      expect(after).toEqual({ ...before, watchedMs: 1_000, [name]: expect.anything() });
    }
    expect(board.view('news')?.viewers).toEqual(samples[5]![1]);
  });

  it('holds of an engine its word, its credentials and its machine beside each other', () => {
    const { board } = setUp();
    const credential = { ...about, kind: 'credential', engine: 'local', monoMs: 2_000, ok: false } as const;
    board.observe(engine(1_000));
    board.observe(credential);
    board.observe(host(3_000));
    expect(board.engineFacts('local')).toMatchObject({ last: engine(1_000), lastOkMs: 1_000, credential });
    expect(board.hostFacts('local')?.last).toEqual(host(3_000));
  });

  it('keeps of a new configuration what it knew, and forgets what is gone', () => {
    const { board } = setUp();
    board.observe(engine(1_000));
    board.observe(host(2_000));
    board.observe(lookOf('3000 running a'));
    board.configure({ channels: [setupOf('news'), setupOf('more')], engines: [{ ...ENGINE, pollMs: 5 }, OTHER] });
    expect(board.engineSetup('local')?.pollMs).toBe(5);
    expect(board.engineFacts('local').lastOkMs).toBe(1_000);
    expect(board.hostFacts('local')?.last.monoMs).toBe(2_000);
    expect([board.engineFacts('other'), board.hostFacts('other')]).toEqual([NO_ENGINE_FACTS, undefined]);
    expect(board.channels.map(({ id }) => id)).toEqual(['news', 'more']);
    board.configure({ channels: [setupOf('more')], engines: [OTHER] });
    expect([board.view('news'), board.engineSetup('local')]).toEqual([undefined, undefined]);
  });

  it('knows who shares a group, with what it knows of each, also after a new configuration', () => {
    const channels = [setupOf('news'), setupOf('sport', { group: 'pull' }), setupOf('film', { group: 'pull' })];
    const board = new Board({ channels, engines: [ENGINE] }, () => undefined);
    board.symptom(symptom('dns_failure', 'film'));
    const inGroup = (group: string) =>
      board.inGroup(group).map(({ setup, symptoms }) => [setup.id, symptoms.map(({ kind }) => kind)]);
    expect(inGroup('pull')).toEqual([
      ['sport', []],
      ['film', ['dns_failure']],
    ]);
    expect(inGroup('nobody')).toEqual([]);
    board.configure({ channels: [setupOf('film', { group: 'push' })], engines: [ENGINE] });
    expect([inGroup('pull'), inGroup('push')]).toEqual([[], [['film', ['dns_failure']]]]);
  });

  it('tells a start once, and at no other sample', () => {
    const { board, starts } = setUp();
    const viewers = { ...about, kind: 'viewers', channel: 'news', monoMs: 3_000, viewers: 1 } as const;
    board.observe(viewers);
    for (const look of ['1000 running a', '2000 running b']) board.observe(lookOf(look));
    board.observe(viewers);
    board.observe(lookOf('4000 running b'));
    expect(starts).toEqual(['news b local']);
  });

  it('remembers what complains, and not what is harmless', () => {
    const { board } = setUp();
    board.symptom(symptom('benign_noise'));
    expect(board.view('news')?.symptoms).toEqual([]);
    board.symptom(symptom('config_error'));
    expect(board.view('news')?.symptoms.map(({ kind }) => kind)).toEqual(['config_error']);
  });

  it('names the origin of the start that is meant, and of no other', () => {
    const { board } = setUp();
    for (const look of ['1000 running a', '2000 running b', '3000 running c']) board.observe(lookOf(look));
    board.started('news', 'reeve', 'b');
    expect(board.view('news')?.process?.starts.map(({ origin }) => origin)).toEqual(['reeve', 'unknown']);
  });

  it('takes nothing down of a stranger, and nothing of a process that it has not seen', () => {
    const { board } = setUp();
    board.symptom(symptom('config_error', 'stranger'));
    expect(board.strays).toBe(1);
    board.started('stranger', 'reeve', 'a');
    board.acted('stranger', 1_000);
    board.recallEnd('stranger', 1_000);
    expect(board.view('stranger')).toBeUndefined();
    board.started('news', 'reeve', 'a');
    expect(board.view('news')).toEqual(noFacts(setupOf('news')));
  });

  it('remembers when Reeve acted on a channel, and what an earlier life of Reeve saw', () => {
    const { board } = setUp();
    board.acted('news', 5_000);
    board.recallEnd('news', 4_000);
    expect(board.view('news')).toEqual({ ...noFacts(setupOf('news')), actedMs: 5_000, endedMs: 4_000 });
  });
});
