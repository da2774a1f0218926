import { describe, expect, it } from 'vitest';
import { SYMPTOMS, type SymptomKind } from '../../src/core/symptom.ts';
import { unknownTrouble } from '../../src/ground/rules/process.ts';
import {
  born,
  died,
  failed,
  type Given,
  gist,
  idleFor,
  lookOf,
  NOW,
  playlist,
  reach,
  reports,
  runs,
  symptomOf,
  source,
} from './given.ts';

const found = (given: Given) => unknownTrouble(lookOf(given));
const isFound = (given: Given): boolean => found(given) !== undefined;
/** Nothing looks at it but its log. */
const unseen = { process: undefined, output: undefined };
const standing = { output: playlist(10_000) };

describe('what no pattern explains is a trouble', () => {
  it('of a channel that is down, or surely not healthy, and of no other', () => {
    expect(isFound({})).toBe(false);
    expect(isFound({ output: undefined })).toBe(false);
    expect(isFound(standing)).toBe(true);
    expect(isFound({ ...standing, process: undefined })).toBe(true);
    expect(isFound({ process: died(5_000) })).toBe(true);
    expect(isFound({ process: died(5_000, { exitCode: 1 }, { state: 'stopping' }) })).toBe(true);
  });

  it('of one that only its log reports, by lines of a death or a stall', () => {
    const telling = (given: Given) => SYMPTOMS.filter((kind) => isFound({ ...given, symptoms: [symptomOf(kind)] }));
    expect(telling(unseen)).toEqual([
      'process_crash',
      'process_killed_oom',
      'process_exit_nonzero',
      'stalled_output',
    ] satisfies SymptomKind[]);
    expect(isFound(unseen)).toBe(false);
    expect(telling({ ...unseen, output: playlist() })).toEqual([]);
    expect(telling({ ...unseen, reach: reach(0) })).toEqual([]);
    expect(telling({ ...unseen, process: runs() })).toEqual([]);
  });

  it('not of one that is being started, for 30 s', () => {
    const starting = (agoMs: number, output = playlist(90_000)) =>
      isFound({ process: died(90_000, {}, { state: 'starting', stateSinceMs: NOW - agoMs }), output });
    expect([starting(29_999), starting(30_000)]).toEqual([false, true]);
    expect(starting(600_000, playlist(1_000))).toBe(false);
    expect(isFound({ process: died(1_000, {}, { state: 'backoff' }) })).toBe(true);
  });

  it('by the report of all that see it, from when it was seen', () => {
    const process = runs({ ...idleFor(12_000) });
    const symptoms = [symptomOf('process_killed_oom', 4_000)];
    expect(found({ process, ...standing, progress: reports(9_000), symptoms })).toMatchObject({
      because: 'its playlist is unchanged for 10 s',
      signals: [
        { says: 'playlist unchanged for 10 s' },
        { says: 'no CPU time used for 12 s' },
        { says: 'no progress for 9 s' },
        { says: 'process_killed_oom, 1 in 60 s' },
      ],
      sinceMs: NOW - 10_000,
    });
    expect(found({ process: died(5_000) })).toMatchObject({
      signals: [{ says: 'the process is exited (exit 1)' }],
      sinceMs: NOW - 5_000,
    });
    expect(found({ process: undefined, output: undefined, reach: reach(3), symptoms })?.sinceMs).toBe(NOW - 4_000);
    expect(found({ process: undefined, output: undefined, reach: reach(3) })?.sinceMs).toBe(NOW);
  });

  it.each<[string, Given]>([
    [
      'Reeve stopped it and the engine did not start it again',
      { process: died(5_000, { exitCode: 0 }, { stoppedOnPurpose: true, stoppedByUs: true }) },
    ],
    ['it ended by itself with exit 0 and stays down', { process: died(5_000, { exitCode: 0 }) }],
    ['it was ended outside the engine, and it stays down', { process: died(5_000, { exitSignal: 15 }) }],
    ['the process is exited', { process: died(5_000) }],
    ['the process is exited', { process: { ...died(5_000), lastEnd: undefined } }],
    [
      'its playlist is unchanged for 10 s',
      { ...standing, process: runs({ lastEnd: died(5_000, { exitCode: 0 }).lastEnd }) },
    ],
    [
      'its playlist is unchanged for 10 s',
      { ...standing, process: runs({ lastEnd: died(5_000, { exitSignal: 2 }).lastEnd }) },
    ],
    ['its playlist is unchanged for 10 s', { ...standing, process: undefined }],
  ])('and is reported as "%s"', (because, given) => {
    expect(gist(found(given))[0]).toBe(because);
  });
});

describe('before a person is asked about what no pattern explains', () => {
  /** So long before now, or, if negative, so long after it. */
  const agoOf = (given: Given): number => NOW - found(given)!.notBeforeMs!;
  const dead = died(40_000, { exitCode: 0 });

  it('10 s pass, or two looks at the source, and the time after which output stands', () => {
    expect(agoOf({ process: dead })).toBe(40_000 - 10_000);
    expect(agoOf({ process: dead, setup: { hasSource: true, sourceEveryMs: 5_001 } })).toBe(40_000 - 10_002);
    expect(agoOf({ process: dead, setup: { hasSource: true, sourceEveryMs: 4_999 } })).toBe(40_000 - 10_000);
    expect(agoOf({ process: dead, setup: { hasSource: false, sourceEveryMs: 9_000 } })).toBe(40_000 - 10_000);
    expect(agoOf({ output: playlist(20_000) })).toBe(20_000 - 10_000 - 6_000);
    expect(agoOf({ output: playlist(20_000, { targetDurationMs: 3_000 }) })).toBe(20_000 - 10_000 - 8_000);
    expect(agoOf({ process: undefined, output: undefined, reach: reach(3) })).toBe(-10_000 - 6_000);
  });

  it('its source has the time of two looks only until it has given something since', () => {
    const setup = { hasSource: true, sourceEveryMs: 9_000 };
    const off = { process: died(8_000, { exitCode: 0 }), setup };
    expect(agoOf({ ...off, source: source(8_000) })).toBe(8_000 - 10_000);
    expect(agoOf({ ...off, source: source(8_001) })).toBe(8_000 - 18_000);
    const silent = (silentMs: number) => source(0, { last: { ...source(0).last, silentMs } });
    expect(agoOf({ ...off, source: silent(8_000) })).toBe(8_000 - 10_000);
    expect(agoOf({ ...off, source: silent(8_001) })).toBe(8_000 - 18_000);
    expect(agoOf({ ...off, source: failed(90_000, 1_000) })).toBe(8_000 - 18_000);
    const stands = { output: playlist(8_000), setup };
    expect(agoOf({ ...stands, source: source(2_000) })).toBe(8_000 - 6_000 - 10_000);
    expect(agoOf({ ...stands, source: source(2_001) })).toBe(8_000 - 6_000 - 18_000);
  });

  it('the same passes again after its state changed, for what is down', () => {
    expect(agoOf({ process: { ...dead, stateSinceMs: NOW - 3_000 } })).toBe(3_000 - 10_000);
    expect(agoOf({ process: { ...dead, stateSinceMs: NOW - 3_000 }, progress: reports(9_000) })).toBe(3_000 - 10_000);
    expect(agoOf({ process: dead, progress: reports(9_000, { resumedMs: NOW - 3_000 }) })).toBe(30_000);
    expect(agoOf({ process: { ...dead, seenMs: NOW - 3_000, starts: born(1).starts } })).toBe(30_000);
  });

  it('the same passes again after its encoder moved again or it was born, for what runs', () => {
    const long = 16_000;
    const given = { output: playlist(20_000) };
    expect(agoOf({ ...given, progress: reports(9_000, { resumedMs: NOW - 12_000 }) })).toBe(12_000 - long);
    expect(agoOf({ ...given, process: born(13_000) })).toBe(13_000 - long);
    expect(agoOf({ ...given, process: runs({ seenMs: NOW - 13_000 }) })).toBe(20_000 - long);
    expect(agoOf({ ...given, process: runs({ stateSinceMs: NOW - 13_000 }) })).toBe(20_000 - long);
    expect(agoOf({ ...given, process: undefined })).toBe(20_000 - long);
  });

  it('the same passes again after its source came back, if it was ever gone', () => {
    expect(agoOf({ process: dead, source: failed(90_000, 9_000, 8_000) })).toBe(8_000 - 10_000);
    expect(agoOf({ process: dead, source: source(0, { okSinceMs: NOW - 8_000 }) })).toBe(30_000);
    expect(agoOf({ process: dead, source: failed(90_000, 9_000) })).toBe(30_000);
  });

  it('what its log said before the machine slept, or as it woke, puts nothing off (T3)', () => {
    const said = (wokeAgoMs: number) => {
      const input = lookOf({ process: dead, symptoms: [symptomOf('db_locked', 5_000)] }, { wokeMs: NOW - wokeAgoMs });
      return NOW - unknownTrouble(input)!.notBeforeMs!;
    };
    expect([said(5_000), said(6_000), said(6_001)]).toEqual([30_000, 30_000, -20_000 - 10_000]);
  });

  it('the same passes again after what may explain it fell silent: 30 s after its last line, 60 s at most', () => {
    const lines = (...symptoms: NonNullable<Given['symptoms']>) => agoOf({ process: dead, symptoms });
    expect(lines(symptomOf('db_locked', 50_000))).toBe(20_000 - 10_000);
    expect(lines(symptomOf('db_locked', 50_000), symptomOf('config_error', 45_000))).toBe(15_000 - 10_000);
    expect(lines(symptomOf('db_locked', 5_000))).toBe(-20_000 - 10_000);
    expect(agoOf({ process: died(70_000, { exitCode: 0 }), symptoms: [symptomOf('db_locked', 5_000)] })).toBe(0);
    for (const kind of [
      'process_crash',
      'process_exit_nonzero',
      'stalled_output',
      'buffer_underrun',
      'clock_skew_or_dts',
    ] as const)
      expect([kind, lines(symptomOf(kind))]).toEqual([kind, 30_000]);
  });

  it('the same passes not again after a line about what runs, where nothing runs', () => {
    for (const kind of ['encoder_overload', 'segment_missing'] as const) {
      const symptoms = [symptomOf(kind, 5_000)];
      expect([kind, agoOf({ process: dead, symptoms })]).toEqual([kind, 30_000]);
      expect([kind, agoOf({ output: playlist(20_000), symptoms })]).toEqual([kind, -25_000 - 16_000]);
    }
  });

  it('its output is looked at once more, and its source where it has one', () => {
    expect(found({ process: dead })?.wants).toEqual(['output']);
    expect(found({ process: dead, setup: { hasSource: true } })?.wants).toEqual(['source', 'output']);
  });
});
