import { describe, expect, it } from 'vitest';
import { SYMPTOMS, type SymptomKind } from '../../src/core/symptom.ts';
import type { ClassifyInput } from '../../src/ground/rules/classify_input.ts';
import type { Match } from '../../src/ground/rules/rule.ts';
import * as rows from '../../src/ground/rules/media.ts';
import { died, type Given, gist, idleFor, lookOf, NOW, playlist, reports, runs, symptomOf, speeds } from './given.ts';

const ask = (row: (look: ClassifyInput) => Match | undefined, given: Given) => gist(row(lookOf(given)));
const standing = { output: playlist(10_000) };
const loop = runs({ ends: [50_000, 40_000, 20_000].map((ago) => NOW - ago), failedProcesses: 3 });

/** The kinds of lines by which a row holds for a channel that stands; it never holds for one that plays. */
function kindsOf(row: (look: ClassifyInput) => Match | undefined, pattern?: string): readonly SymptomKind[] {
  const lines = (kind: SymptomKind) => [symptomOf(kind, 0, pattern === undefined ? {} : { pattern })];
  expect(SYMPTOMS.filter((kind) => ask(row, { symptoms: lines(kind) }).length > 0)).toEqual([]);
  return SYMPTOMS.filter((kind) => ask(row, { ...standing, symptoms: lines(kind) }).length > 0);
}

describe('an encoder that cannot run', () => {
  it('has no session left when its driver says so', () => {
    expect(kindsOf(rows.encoderSessionLimit, 'nvenc_session')).toEqual(['hw_accel_failure']);
    expect(kindsOf(rows.encoderSessionLimit, 'vaapi')).toEqual([]);
    const symptoms = [symptomOf('hw_accel_failure', 0, { pattern: undefined })];
    expect(ask(rows.encoderSessionLimit, { ...standing, symptoms })).toEqual([]);
    expect(
      ask(rows.encoderSessionLimit, {
        ...standing,
        symptoms: [symptomOf('hw_accel_failure', 0, { pattern: 'sessions' })],
      })[0],
    ).toBe('the encoder has no session left');
  });

  it('is set up wrongly when it says so, with the loop that it makes', () => {
    expect(kindsOf(rows.encoderMisconfigured).toSorted()).toEqual([
      'codec_unsupported',
      'config_error',
      'hw_accel_failure',
      'permission_denied',
      'port_in_use',
    ]);
    expect(ask(rows.encoderMisconfigured, { process: loop, symptoms: [symptomOf('port_in_use')] })).toEqual([
      'it cannot run as it is set up (port_in_use)',
      'log: port_in_use, 1 in 60 s',
      'process: 3 processes ended within 60 s',
    ]);
  });
});

describe('an encoder is too slow', () => {
  const slow = (given: Given) => ask(rows.encodeTooSlow, given);
  const says = (count: number) => [symptomOf('encoder_overload', 500, { count })];
  const HEARD = 'the encoder says that it is too slow';

  it('by its positions', () => {
    expect(rows.encodeTooSlow(lookOf({ progress: speeds([0.5, 0.25, 0.5], 700), symptoms: says(1) }))).toEqual({
      because: 'encoding at 0.42x over 3 intervals',
      signals: [
        { origin: 'log', says: 'encoding at 0.42x over 3 intervals', symptom: 'encoder_overload', monoMs: NOW - 700 },
        { origin: 'log', says: 'encoder_overload, 1 in 60 s', symptom: 'encoder_overload', monoMs: NOW - 500 },
      ],
      symptom: 'encoder_overload',
      sinceMs: NOW - 500,
    });
    expect(rows.encodeTooSlow(lookOf({ progress: speeds([0.5, 0.5, 0.5]) }))?.symptom).toBe('encoder_overload');
    expect([slow({ progress: speeds([1, 1, 1]) }), slow({}), slow({ progress: reports() })]).toEqual([[], [], []]);
    expect(slow({ process: died(5_000), progress: speeds([0.5, 0.5, 0.5]) })).toEqual([]);
  });

  it('not by a position that stands over the last two intervals, unless it says so itself', () => {
    expect(slow({ progress: speeds([0.5, 0, 0]) })).toEqual([]);
    expect(slow({ progress: speeds([0.5, 0, 0]), symptoms: says(1) })[0]).toBe('encoding at 0.17x over 3 intervals');
    expect(slow({ progress: speeds([0.5, 0.5, 0]) })[0]).toBe('encoding at 0.33x over 3 intervals');
    expect(slow({ progress: speeds([0, 0.5, 0]) })[0]).toBe('encoding at 0.17x over 3 intervals');
    expect(slow({ progress: speeds([0, 0, 0]), symptoms: says(1) })[0]).toBe('encoding at 0.00x over 3 intervals');
    expect(slow({ progress: speeds([0, 0, 0]) })).toEqual([]);
    expect(slow({ progress: speeds([1, 0, 0]), symptoms: says(1) })).toEqual([]);
  });

  it('by its own report, often or in trouble, unless its positions and its output show that it is not', () => {
    expect([slow({ symptoms: says(3) })[0], slow({ symptoms: says(2) })]).toEqual([HEARD, []]);
    expect(slow({ ...standing, symptoms: says(1) })[0]).toBe(HEARD);
    const moving = { progress: speeds([1, 1, 1]), symptoms: says(3) };
    expect([slow(moving), slow({ ...moving, ...standing })[0]]).toEqual([[], HEARD]);
    expect([
      slow({ ...standing }),
      slow({ ...standing, symptoms: [symptomOf('stalled_output', 0, { count: 9 })] }),
    ]).toEqual([[], []]);
  });
});

describe('trouble between a publisher and its server', () => {
  it('is reported by the log of a channel in trouble', () => {
    expect(kindsOf(rows.ghostPublisher)).toEqual(['ghost_publisher']);
    expect(kindsOf(rows.tunerSlotsExhausted)).toEqual(['tuner_slots_exhausted']);
    expect(kindsOf(rows.publisherLost)).toEqual(['publisher_lost']);
    for (const pattern of ['rtmp_publish_refused', 'ingest_denied', 'bad_stream_key'])
      expect(kindsOf(rows.publishRejected, pattern)).toEqual(['auth_denied']);
    expect(kindsOf(rows.publishRejected)).toEqual([]);
    const symptoms = [symptomOf('auth_denied', 0, { pattern: undefined })];
    expect(ask(rows.publishRejected, { ...standing, symptoms })).toEqual([]);
  });

  it('has a name each', () => {
    const matchOf = (row: (look: ClassifyInput) => Match | undefined, kind: SymptomKind, pattern = 'publish') =>
      ask(row, { ...standing, symptoms: [symptomOf(kind, 0, { pattern })] });
    const probe = 'probe: playlist unchanged for 10 s';
    expect(matchOf(rows.ghostPublisher, 'ghost_publisher')).toEqual([
      'the server still holds a publisher that is gone',
      'log: ghost_publisher, 1 in 60 s',
      probe,
    ]);
    expect(matchOf(rows.tunerSlotsExhausted, 'tuner_slots_exhausted')[0]).toBe('no tuner or stream slot is free');
    expect(matchOf(rows.publisherLost, 'publisher_lost')[0]).toBe('the publisher is gone');
    expect(matchOf(rows.publishRejected, 'auth_denied')[0]).toBe('the server refuses the publisher');
    const dead = { process: died(5_000), symptoms: [symptomOf('ghost_publisher')] };
    expect(ask(rows.ghostPublisher, dead)).toContain('process: the process is exited (exit 1)');
  });

  it('is a publisher that came back with its clock at zero, when frames are dropped', () => {
    const dropping = { process: runs(idleFor(0)), progress: reports(9_000, { lastMs: NOW - 700 }) };
    const match = rows.publisherLost(
      lookOf({ ...dropping, symptoms: [symptomOf('clock_skew_or_dts'), symptomOf('db_locked')] }),
    );
    expect(gist(match)).toEqual([
      'its publisher came back with its clock at zero: frames are dropped until the time is caught up',
      'log: no progress for 9 s',
      'log: clock_skew_or_dts, 1 in 60 s',
    ]);
    expect(match).toMatchObject({ symptom: 'publisher_lost', sinceMs: NOW - 9_000 });
    expect(ask(rows.publisherLost, { ...dropping, process: runs() })).toEqual([]);
    expect(ask(rows.publisherLost, { ...dropping, process: died(5_000, {}, { ...idleFor(0) }) })).toEqual([]);
    const gone = { ...dropping, ...standing, symptoms: [symptomOf('publisher_lost')] };
    expect(ask(rows.publisherLost, gone)[0]).toBe('the publisher is gone');
  });
});
