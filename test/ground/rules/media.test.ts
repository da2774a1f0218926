import { describe, expect, it } from 'vitest';
import { SYMPTOMS, type SymptomKind } from '../../../src/core/symptom.ts';
import type { ClassifyInput } from '../../../src/ground/rules/classify_input.ts';
import type { Match } from '../../../src/ground/rules/rule.ts';
import * as rows from '../../../src/ground/rules/media.ts';
import {
  born,
  died,
  endOf,
  failed,
  type Given,
  gist,
  idleFor,
  lookOf,
  NOW,
  playlist,
  runs,
  symptomOf,
  source,
} from '../given.ts';

const ask = (row: (look: ClassifyInput) => Match | undefined, given: Given) => gist(row(lookOf(given)));
const standing = { output: playlist(10_000) };
const agos = (...all: readonly number[]) => all.map((ago) => NOW - ago);
const loop = { ends: agos(50_000, 40_000, 20_000), failedProcesses: 3 };

describe('a reader that fell out of its source’s window', () => {
  const slip = (given: Given) => ask(rows.hlsWindowSlip, given);
  const skips = (count: number) => [symptomOf('segment_missing', 1_000, { count, firstMs: NOW - 9_000 })];
  const again = 'segments are skipped again and again';

  it('skips five times a minute, or once when the output stands', () => {
    expect(slip({ symptoms: skips(5) })).toEqual([again, 'log: segment_missing, 5 in 60 s']);
    expect(slip({ symptoms: skips(4) })).toEqual([]);
    expect(slip({ ...standing, process: runs(idleFor(9_000)), symptoms: skips(1) })).toEqual([
      'segments were skipped, and the output stands',
      'log: segment_missing, 1 in 60 s',
      'probe: playlist unchanged for 10 s',
      'process: no CPU time used for 9 s',
    ]);
    expect([slip(standing), slip({ symptoms: [symptomOf('corrupt_input', 0, { count: 9 })] })]).toEqual([[], []]);
    expect(rows.hlsWindowSlip(lookOf({ symptoms: skips(5) }))).toMatchObject({
      symptom: 'segment_missing',
      sinceMs: NOW - 9_000,
    });
    const quiet = { process: undefined, output: playlist(10_000, { failStreak: 1 }) };
    expect(slip({ ...quiet, symptoms: skips(1) })).toEqual([]);
  });

  it('runs, and is not young', () => {
    expect(slip({ process: died(5_000), symptoms: skips(5) })).toEqual([]);
    expect([
      slip({ process: born(7_999), symptoms: skips(5) }),
      slip({ process: born(8_000), symptoms: skips(5) }),
    ]).toEqual([[], [again, 'log: segment_missing, 5 in 60 s']]);
  });

  it('reads from a source that is known to be fine, where one is probed', () => {
    const probed = (of: Given['source']) => slip({ setup: { hasSource: true }, source: of, symptoms: skips(5) }).length;
    expect([probed(source()), probed(failed(9_000, 0)), probed(undefined)]).toEqual([2, 0, 0]);
  });
});

describe('damaged media', () => {
  const damaged = (given: Given) => ask(rows.mediaUnplayable, given);
  const lines = (count: number, agoMs = 1_000) => [symptomOf('corrupt_input', agoMs, { count })];
  const HEARD = 'the input is damaged';
  const first = (given: Given) => damaged(given)[0];

  it('are reported by the log when they come often, and not while a decoder joins', () => {
    expect([first({ symptoms: lines(3) }), first({ symptoms: lines(2) }), first({})]).toEqual([
      HEARD,
      undefined,
      undefined,
    ]);
    expect(first({ process: born(6_000), symptoms: lines(3, 1_000) })).toBe(HEARD);
    expect(first({ process: born(5_999), symptoms: lines(3, 1_000) })).toBeUndefined();
    expect(first({ process: undefined, symptoms: lines(3) })).toBe(HEARD);
    expect(first({ symptoms: [symptomOf('db_locked', 0, { count: 9 })] })).toBeUndefined();
  });

  it('are reported by a single line when the channel is not healthy, or its processes end one after another', () => {
    expect([first({ ...standing, symptoms: lines(1) }), first({ process: runs(loop), symptoms: lines(1) })]).toEqual([
      HEARD,
      HEARD,
    ]);
    expect(first({ output: undefined, symptoms: lines(1) })).toBeUndefined();
  });

  it('are reported by the probe of the source, where the channel suffers or complains', () => {
    const bad = failed(9_000, 0, undefined, { failure: 'corrupt' });
    const because = 'the source sends damaged media';
    expect(damaged({ ...standing, source: bad })).toEqual([
      because,
      'probe: source origin:80 fails (corrupt)',
      'probe: playlist unchanged for 10 s',
    ]);
    expect(rows.mediaUnplayable(lookOf({ ...standing, source: bad }))?.symptom).toBe('corrupt_input');
    expect([first({ source: bad }), first({ source: bad, symptoms: lines(1) })]).toEqual([undefined, because]);
    expect(first({ ...standing, source: failed(9_000, 0) })).toBeUndefined();
    expect(first({ ...standing, source: failed(9_000, 40_000, undefined, { failure: 'corrupt' }) })).toBeUndefined();
  });

  it('are no finding once the outage that ended the channel is over', () => {
    const dead = { process: died(30_000), symptoms: lines(9, 31_000) };
    expect(first(dead)).toBe(HEARD);
    expect(first({ ...dead, source: failed(40_000, 20_000, 10_000) })).toBeUndefined();
  });
});

describe('a loop', () => {
  const churn = (given: Given) => ask(rows.itemChurn, given);
  const process = runs(loop);

  it('is shown by the processes that end, and by their final output', () => {
    const found = rows.itemChurn(lookOf({ process, symptoms: [symptomOf('process_crash')], ...standing }));
    expect(gist(found)).toEqual([
      '3 processes ended within 60 s',
      'process: 3 processes ended within 60 s',
      'probe: playlist unchanged for 10 s',
      'log: process_crash, 1 in 60 s',
    ]);
    expect(found).toMatchObject({ symptom: 'process_crash', sinceMs: NOW - 50_000 });
    expect(rows.itemChurn(lookOf({ process }))?.symptom).toBe('process_exit_nonzero');
    expect(churn({ process, symptoms: [symptomOf('process_exit_nonzero')] })).toHaveLength(3);
    expect(churn({ process, symptoms: [symptomOf('stalled_output')] })).toHaveLength(2);
    expect([churn({}), churn({ process: undefined }), churn(standing)]).toEqual([[], [], []]);
  });

  it('is one, too, when the engine gave it up after two short generations', () => {
    const fatal = (failedProcesses: number, state: 'fatal' | 'exited' = 'fatal') =>
      churn({ process: died(90_000, { exitCode: 1 }, { state, failedProcesses }) });
    expect(fatal(2)).toEqual([
      'the engine gave it up after 2 short-lived processes',
      'process: the process is fatal (exit 1)',
    ]);
    expect([fatal(1), fatal(2, 'exited')]).toEqual([[], []]);
  });

  it('is over when the channel has been dead for ten minutes', () => {
    const dead = (forMs: number) =>
      churn({ process: died(forMs, { exitCode: 1 }, { state: 'fatal', failedProcesses: 2 }) });
    expect([dead(599_999).length, dead(600_000).length]).toEqual([2, 0]);
    const ends = [640_000, 620_000, 600_000].map((agoMs) => NOW - agoMs);
    const inState = (state: 'exited' | 'backoff') =>
      churn({ process: died(600_000, { exitCode: 1 }, { state, failedProcesses: 3, ends }) }).length;
    // Who backs off will try again.
    expect([inState('exited'), inState('backoff')]).toEqual([0, 2]);
  });

  it('is explained by what its processes logged, if they gave a reason', () => {
    const explained = SYMPTOMS.filter((kind) => churn({ process, symptoms: [symptomOf(kind)] }).length === 0);
    expect(explained.toSorted()).toEqual([
      'codec_unsupported',
      'config_error',
      'ghost_publisher',
      'hw_accel_failure',
      'permission_denied',
      'playout_gap',
      'port_in_use',
      'tuner_slots_exhausted',
    ] satisfies SymptomKind[]);
  });

  it('is explained by an outage that is over, dead or alive', () => {
    const dead = died(20_000, { exitCode: 1 }, loop);
    expect(churn({ process: dead })).toHaveLength(2);
    expect(churn({ process: dead, source: failed(30_000, 10_000, 5_000) })).toEqual([]);
    const alive = (fromAgoMs: number, toAgoMs: number, backAgoMs: number, extra: Partial<Given> = {}) =>
      churn({ process, source: failed(fromAgoMs, toAgoMs, backAgoMs), ...extra }).length;
    expect(alive(30_000, 10_000, 5_000)).toBe(0);
    // Its last process ended 20 s ago: 15 s before the outage at the earliest, 5 s after it at the latest.
    expect([alive(5_000, 4_000, 3_500), alive(4_999, 4_000, 3_500)]).toEqual([0, 2]);
    expect([alive(60_000, 30_000, 25_000), alive(60_000, 30_000, 25_001)]).toEqual([0, 2]);
    const source_ = failed(30_000, 10_000, 5_000);
    expect(churn({ process, source: { ...source_, lastFailFromMs: undefined } })).toEqual([]);
    expect(churn({ process, source: failed(30_000, 1_000) })).toHaveLength(2);
    expect(churn({ process, source: source() })).toHaveLength(2);
    expect(
      churn({ process: { ...dead, state: 'backoff', lastEnd: endOf(500_000) }, source: failed(30_000, 10_000) }),
    ).toHaveLength(2);
  });
});

describe('a channel with nothing left to play', () => {
  const empty = (given: Given, count: number) =>
    rows.playoutEmpty(lookOf({ ...given, symptoms: [symptomOf('playout_gap', 0, { count })] }));

  it('needs one such line when it is in trouble, and two while it plays, which counts against the claim', () => {
    expect(empty({}, 2)).toMatchObject({ because: 'nothing is left to play', against: 1, symptom: 'playout_gap' });
    expect([empty({}, 1), empty(standing, 1)?.against]).toEqual([undefined, 0]);
    expect(rows.playoutEmpty(lookOf({ ...standing, symptoms: [symptomOf('guide_stale')] }))).toBeUndefined();
  });

  it('gets five seconds from its start or its first such line, while it runs and is no loop', () => {
    const said = (given: Given) =>
      rows.playoutEmpty(lookOf({ ...standing, ...given, symptoms: [symptomOf('playout_gap', 3_000)] }));
    expect(said({ process: born(2_000) })).toMatchObject({ sinceMs: NOW - 2_000, notBeforeMs: NOW + 3_000 });
    expect(said({ process: born(4_000) })).toMatchObject({ sinceMs: NOW - 3_000, notBeforeMs: NOW + 2_000 });
    expect(said({ process: died(2_000) })?.notBeforeMs).toBeUndefined();
    expect(said({ process: born(2_000, loop) })?.notBeforeMs).toBeUndefined();
  });

  it('is not said of one that plays because Liquidsoap says twice that a moment without a track begins', () => {
    const blank = symptomOf('playout_gap', 1_000, { count: 3, firstMs: NOW - 40_000, pattern: 'liq_blank' });
    expect(rows.playoutEmpty(lookOf({ symptoms: [blank] }))).toBeUndefined();
    expect(rows.playoutEmpty(lookOf({ ...standing, symptoms: [blank] }))).toMatchObject({
      sinceMs: NOW - 1_000,
      notBeforeMs: NOW + 4_000,
    });
    const silent = { ...blank, pattern: 'liq_silence' };
    expect(rows.playoutEmpty(lookOf({ symptoms: [silent] }))).toBeDefined();
  });

  it('is not said where its server has refused it since it fell back to its blank, or its setting is wrong', () => {
    const blank = symptomOf('playout_gap', 3_000, { pattern: 'liq_blank' });
    const beside = (kind: SymptomKind, agoMs: number, gap = blank) =>
      rows.playoutEmpty(lookOf({ ...standing, symptoms: [gap, symptomOf(kind, agoMs)] })) !== undefined;
    expect([beside('auth_denied', 3_000), beside('config_error', 0)]).toEqual([false, false]);
    expect([beside('auth_denied', 3_001), beside('benign_noise', 0)]).toEqual([true, true]);
    expect(beside('auth_denied', 0, symptomOf('playout_gap', 3_000))).toBe(true);
  });

  it('is not said of one that plays for what was said before Reeve built it again', () => {
    const lines = symptomOf('playout_gap', 10_000, { count: 3, firstMs: NOW - 14_000 });
    const said = (actedAgoMs: number, given: Given = {}) =>
      rows.playoutEmpty(lookOf({ ...given, symptoms: [lines], actedMs: NOW - actedAgoMs })) !== undefined;
    expect([said(10_001), said(10_000), said(9_000)]).toEqual([true, false, false]);
    // One that still stands has not been cured by it.
    expect(said(9_000, standing)).toBe(true);
  });

  it('is not said of one that plays because it was started twice and each start had nothing at first', () => {
    const plays = (bornAgoMs: number, firstAgoMs: number) => {
      const lines = symptomOf('playout_gap', 1_000, { count: 2, firstMs: NOW - firstAgoMs });
      return rows.playoutEmpty(lookOf({ process: born(bornAgoMs), symptoms: [lines] })) !== undefined;
    };
    expect([plays(20_000, 30_000), plays(20_000, 20_000)]).toEqual([false, true]);
    // All that is counted came of this process by then.
    expect([plays(59_999, 200_000), plays(60_000, 200_000)]).toEqual([false, true]);
  });
});

it('a guide is out of date by the log alone', () => {
  expect(ask(rows.guideStale, { symptoms: [symptomOf('guide_stale')] })).toEqual([
    'the guide is out of date',
    'log: guide_stale, 1 in 60 s',
  ]);
  expect(ask(rows.guideStale, { symptoms: [symptomOf('playout_gap')] })).toEqual([]);
});
