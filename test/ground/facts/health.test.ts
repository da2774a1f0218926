import { describe, expect, it } from 'vitest';
import {
  endedOrderly,
  isStoppedByPerson,
  healthOf,
  isYoung,
  processKnown,
  progressStands,
  restsOnDemand,
  standstillOf,
} from '../../../src/ground/facts/health.ts';
import {
  born,
  died,
  endOf,
  factsOf,
  type Given,
  NOW,
  playlist,
  reach,
  reports,
  runs,
  unread,
  viewers,
} from '../given.ts';
import { setupOf } from '../scene.ts';

/** `yes`, `no` or `?`, and why. */
function health(given: Given): string {
  const { healthy, because } = healthOf(factsOf(given), NOW);
  return `${healthy === undefined ? '?' : healthy ? 'yes' : 'no'}: ${because}`;
}
const MOVES = 'yes: it runs and its playlist moves';
const PLAYS = 'yes: its engine calls it starting, and its output moves';
const INWARD: Given = { setup: { hasOutputProbe: false }, output: undefined };
const WRITES = { bytes: { value: 9, movedMs: NOW - 1_000 } };

describe('the process table', () => {
  it('is believed for 10 s, while it can be read', () => {
    const known = (process: Given['process']) => processKnown(process, NOW);
    expect([known(runs({ lastMs: NOW - 10_000 })), known(runs({ lastMs: NOW - 10_001 }))]).toEqual([true, false]);
    expect([known(runs({ unreadableSinceMs: NOW })), known(undefined)]).toEqual([false, false]);
  });

  it.each<[string, Given]>([
    [MOVES, {}],
    [MOVES, { process: undefined }],
    ['?: the state of its process is not known', { process: runs({ lastMs: NOW - 10_001 }) }],
    ['no: its playlist is unchanged for 6 s', { process: runs({ lastMs: NOW - 10_001 }), output: playlist(6_000) }],
    ['?: stopped on purpose', { process: died(1_000, {}, { stoppedOnPurpose: true }) }],
    [
      '?: Reeve stopped it, and it has not been started again',
      { process: died(1_000, {}, { stoppedOnPurpose: true, stoppedByUs: true }) },
    ],
    ['?: the process is starting', { process: runs({ state: 'starting', stateSinceMs: NOW - 9_000 }) }],
    [PLAYS, { process: runs({ state: 'starting', stateSinceMs: NOW - 9_001 }) }],
    ['?: the process is starting', { process: runs({ state: 'starting' }), output: playlist(6_000) }],
    [PLAYS, { process: runs({ state: 'starting' }), output: undefined, reach: reach(0) }],
    ['?: the process is starting', { process: runs({ state: 'starting' }), output: undefined }],
    ['?: the process is starting', { ...INWARD, process: runs({ state: 'starting', ...WRITES }) }],
    [PLAYS, { ...INWARD, process: runs({ state: 'starting', ...WRITES }), progress: reports(1_000) }],
    ['?: the process is stopping', { process: runs({ state: 'stopping' }) }],
    ['no: the process is backoff', { process: runs({ state: 'backoff' }) }],
    ['no: the process is exited', { process: died(1_000) }],
  ])('makes of a channel "%s"', (expected, given) => {
    expect(health(given)).toBe(expected);
  });
});

describe('a channel that is made on demand', () => {
  const rests = (given: Given) => restsOnDemand(factsOf({ setup: { expected: 'on_demand' }, ...given }), NOW);
  const exited = (end: Parameters<typeof died>[1]) => rests({ process: died(5_000, end) });

  it('rests without viewers, as long as that was reported within 60 s', () => {
    expect(rests({ viewers: viewers(0) })).toBe(true);
    expect(rests({ viewers: viewers(0, 60_000) })).toBe(true);
    expect(rests({ viewers: viewers(0, 60_001) })).toBe(false);
    expect(rests({ viewers: viewers(1), process: died(5_000, { exitCode: 0 }) })).toBe(false);
    expect(rests({ viewers: viewers(0), setup: { expected: 'always' } })).toBe(false);
  });

  it('rests when its process was stopped, or ended as it should, and that is known', () => {
    expect([rests({}), rests({ process: undefined })]).toEqual([false, false]);
    expect(rests({ process: runs({ state: 'stopped' }) })).toBe(true);
    expect(rests({ process: runs({ state: 'stopped', lastMs: NOW - 10_001 }) })).toBe(false);
    expect(rests({ process: { ...died(5_000), lastEnd: undefined } })).toBe(true);
    expect(rests({ process: runs({ state: 'fatal', lastEnd: endOf(5_000, { exitCode: 0 }) }) })).toBe(false);
    expect([exited({ exitCode: 0 }), exited({ exitCode: 255 }), exited({ exitSignal: 15 })]).toEqual([
      true,
      true,
      true,
    ]);
    expect([exited({ exitCode: 1 }), exited({ exitSignal: 9 }), exited({})]).toEqual([false, false, false]);
    expect(exited({ exitCode: 1, ordered: true })).toBe(true);
  });

  it('does not rest where a change of Reeve may have left it stopped, unless a count says that nobody watches', () => {
    const process = runs({ state: 'stopped' });
    const sure = { generation: undefined, sinceMs: 0 };
    expect(rests({ process, halfDone: sure })).toBe(false);
    expect(rests({ process, halfDone: { ...sure, certainty: 'maybe' } })).toBe(true);
    expect(rests({ process, halfDone: sure, viewers: viewers(0) })).toBe(true);
  });

  it('rests after a change that is no restart, unless it was that which stopped it', () => {
    const halfDone = { generation: undefined, sinceMs: 0, startsNothing: true } as const;
    expect(rests({ process: runs({ state: 'stopped' }), halfDone })).toBe(true);
    expect(rests({ process: died(5_000, { exitCode: 0 }), halfDone })).toBe(true);
    expect(rests({ process: runs({ state: 'stopped', stoppedByUs: true }), halfDone })).toBe(false);
  });

  it('is stopped by a person when it is stopped on purpose, and not by Reeve', () => {
    const stopped = (byUs: boolean) => died(1_000, {}, { stoppedOnPurpose: true, stoppedByUs: byUs });
    expect([stopped(false), stopped(true), died(1_000), undefined].map(isStoppedByPerson)).toEqual([
      true,
      false,
      false,
      false,
    ]);
  });

  it('is well while it rests', () => {
    expect(health({ setup: { expected: 'on_demand' }, viewers: viewers(0), output: playlist(90_000) })).toBe(
      'yes: there is no viewer, and it is made on demand',
    );
  });

  it('did not end orderly when no end was seen', () => {
    expect(endedOrderly(runs())).toBe(false);
    expect([1, 2, 3, 15, 9, 11].map((exitSignal) => endedOrderly(died(1, { exitSignal })))).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
    ]);
  });
});

describe('a process generation is young', () => {
  const young = (given: Given) => isYoung(factsOf(given), NOW);

  it('for 8 s, or three target durations, since it was born', () => {
    expect([young({ process: born(7_999) }), young({ process: born(8_000) })]).toEqual([true, false]);
    const output = playlist(1_000, { targetDurationMs: 4_000 });
    expect([young({ process: born(11_999), output }), young({ process: born(12_000), output })]).toEqual([true, false]);
    expect(young({ process: born(7_999), output: undefined })).toBe(true);
  });

  it('while it runs or starts, and in no other state', () => {
    for (const state of ['running', 'starting'] as const) expect(young({ process: born(1_000, { state }) })).toBe(true);
    for (const state of ['stopping', 'exited', 'backoff'] as const)
      expect(young({ process: born(1_000, { state }) })).toBe(false);
  });

  it('since the channel is watched, where no process is known', () => {
    const of = (watchedMs: number | undefined, output = playlist()) => young({ process: undefined, watchedMs, output });
    expect([of(NOW - 7_999), of(NOW - 8_000), of(undefined)]).toEqual([true, false, false]);
    expect(of(NOW - 8_000, playlist(1_000, { targetDurationMs: 3_000 }))).toBe(true);
    expect(young({ process: undefined, watchedMs: NOW, output: undefined })).toBe(true);
  });
});

describe('a playlist', () => {
  it.each<[string, Given]>([
    [MOVES, { output: playlist(1_000, { last: { ...playlist().last, monoMs: NOW - 10_000 } }) }],
    [
      '?: its playlist is not looked at',
      { output: playlist(1_000, { last: { ...playlist().last, monoMs: NOW - 10_001 } }) },
    ],
    ['?: its playlist could not be read (timeout)', { output: unread(1, { failure: 'timeout' }) }],
    ['?: its playlist could not be read (timeout)', { output: unread(5, { failure: 'timeout', status: 404 }) }],
    ['?: its playlist could not be read (unknown)', { output: unread(1, {}) }],
    ['?: its playlist could not be read (http_status)', { output: unread(1, { failure: 'http_status', status: 404 }) }],
    ['no: it has no playlist', { output: unread(2, { failure: 'http_status', status: 404 }) }],
    ['no: it has no playlist', { output: unread(2, { failure: 'http_status', status: 499 }) }],
    ['?: its playlist could not be read (http_status)', { output: unread(9, { failure: 'http_status', status: 429 }) }],
    ['?: its playlist could not be read (http_status)', { output: unread(9, { failure: 'http_status', status: 302 }) }],
    ['no: it has no playlist', { output: unread(9, { failure: 'http_status', status: 400 }) }],
    ['?: its playlist could not be read (http_status)', { output: unread(2, { failure: 'http_status', status: 500 }) }],
    ['?: its playlist could not be read (http_status)', { output: unread(2, { failure: 'http_status' }) }],
    [
      '?: its playlist could not be read (http_status)',
      { output: unread(2, { failure: 'http_status', status: 404 }), process: born(7_999) },
    ],
    [MOVES, { output: playlist(1_000, { emptyStreak: 1 }) }],
    ['no: its newest segments are empty', { output: playlist(1_000, { emptyStreak: 2 }) }],
    [MOVES, { output: playlist(1_000, { missingStreak: 2 }) }],
    ['no: the segments that its playlist names are missing', { output: playlist(1_000, { missingStreak: 3 }) }],
    ['?: it has just started', { output: playlist(1_000, { missingStreak: 3 }), process: born(7_000) }],
    ['no: its playlist is unchanged for 6 s', { output: playlist(6_000, { missingStreak: 3 }) }],
    [MOVES, { output: playlist(5_999) }],
    ['no: its playlist is unchanged for 6 s', { output: playlist(6_000) }],
    ['?: it has just started', { output: playlist(6_000), process: born(7_000) }],
    [
      '?: its playlist is closed',
      { output: playlist(1_000, { revisions: [{ ...playlist().revisions[0]!, ended: true }] }) },
    ],
    [
      MOVES,
      {
        output: playlist(1_000, { revisions: [{ ...playlist().revisions[0]!, ended: true }, ...playlist().revisions] }),
      },
    ],
    [
      '?: its playlist is closed',
      {
        output: playlist(1_000, { revisions: [...playlist().revisions, { ...playlist().revisions[0]!, ended: true }] }),
      },
    ],
    [MOVES, { output: playlist(1_000, { revisions: [] }) }],
    ['?: its playlist was not seen to change yet', { output: playlist(1_000, { everChanged: false }) }],
    [MOVES, { output: playlist(3_000), process: born(3_000) }],
    ['?: the new process has no output yet', { output: playlist(3_001), process: born(3_000) }],
    ['?: the new process has no output yet', { output: playlist(0, { changedMs: undefined }), process: born(3_000) }],
    [MOVES, { output: playlist(3_001), process: runs({ seenMs: NOW - 3_000 }) }],
  ])('reports "%s"', (expected, given) => {
    expect(health(given)).toBe(expected);
  });

  it('stands from `stall_after` on, judged by its last good look, and for as long as that is not too old', () => {
    const still = (agoMs: number, lookAgoMs: number | undefined, extra = {}) => {
      const lastOkMs = lookAgoMs === undefined ? undefined : NOW - lookAgoMs;
      return standstillOf(factsOf({ output: playlist(agoMs, { lastOkMs, ...extra }) }), NOW);
    };
    expect([still(6_000, 0), still(5_999, 0), still(7_000, 1_001)]).toEqual([6_000, undefined, undefined]);
    expect([still(20_000, 10_000), still(20_000, 10_001)]).toEqual([10_000, undefined]);
    expect([still(20_000, undefined), still(20_000, 0, { changedMs: undefined })]).toEqual([undefined, undefined]);
    const long = { targetDurationMs: 4_000 };
    expect([still(10_000, 0, long), still(9_999, 0, long)]).toEqual([10_000, undefined]);
    expect(standstillOf(factsOf({ output: undefined }), NOW)).toBeUndefined();
  });
});

describe('the output of a calm channel, which is looked at each 12 s', () => {
  const setup = { ...setupOf('news'), outputCalmEveryMs: 12_000 };
  const of = (lookedAgoMs: number, given: Given): string => {
    const output = playlist(lookedAgoMs, { last: { ...playlist().last, monoMs: NOW - lookedAgoMs } });
    return health({ setup, output: { ...output, lastOkMs: NOW - lookedAgoMs }, ...given });
  };
  const bytes = (agoMs: number): Given => ({ process: runs({ bytes: { value: 1, movedMs: NOW - agoMs } }) });
  it.each<[string, number, Given]>([
    ['yes: it runs and its playlist moves', 10_000, {}],
    ['?: its playlist is not looked at', 10_001, {}],
    ['yes: it runs and its playlist moves', 10_001, { progress: reports(3_000) }],
    ['?: its playlist is not looked at', 10_001, { progress: reports(3_001) }],
    ['yes: it runs and its playlist moves', 10_001, bytes(3_000)],
    ['?: its playlist is not looked at', 10_001, bytes(3_001)],
    ['yes: it runs and its playlist moves', 22_000, { progress: reports(0) }],
    ['?: its playlist is not looked at', 22_001, { progress: reports(0) }],
    [
      '?: its playlist is not looked at',
      10_001,
      { progress: reports(0), setup: { ...setup, outputCalmEveryMs: undefined } },
    ],
    ['?: its playlist is not looked at', 10_001, { progress: reports(2_000), process: runs({ seenMs: NOW - 1_999 }) }],
  ])('%s, %i ms after the last look', (title, agoMs, given) => {
    expect(of(agoMs, given)).toBe(title);
  });

  it('does not stand because it was looked at seldom', () => {
    const output = playlist(12_000, { last: { ...playlist().last, monoMs: NOW - 12_000 }, lastOkMs: NOW - 12_000 });
    expect(standstillOf(factsOf({ setup, output, progress: reports(0) }), NOW)).toBeUndefined();
  });
});

describe('an output that is only asked whether it answers', () => {
  it.each<[string, Given]>([
    ['yes: its output answers', { reach: reach(0) }],
    ['yes: its output answers', { reach: reach(0, 10_000) }],
    ['?: its output is not looked at', { reach: reach(0, 10_001) }],
    ['no: it answers, but makes no progress', { reach: reach(0), progress: reports(6_000) }],
    ['yes: its output answers', { reach: reach(0), progress: reports(5_999) }],
    ['?: its output did not answer once', { reach: reach(1) }],
    ['no: its output does not answer (refused)', { reach: reach(2) }],
    [
      '?: its output could not be looked at (status 429)',
      { reach: reach(9, 0, { failure: 'http_status', status: 429 }) },
    ],
    ['?: its output did not answer once', { reach: reach(2), process: born(7_999) }],
    ['no: its output does not answer (unknown)', { reach: reach(2, 0, { failure: undefined as never }) }],
  ])('reports "%s"', (expected, given) => {
    expect(health({ ...given, output: undefined })).toBe(expected);
  });
});

describe('where the output has no probe', () => {
  const NOTHING = '?: nothing reports its output';
  const bytes = (movedAgoMs: number) => ({ bytes: { value: 9, movedMs: NOW - movedAgoMs } });

  it.each<[string, Given]>([
    [NOTHING, {}],
    [NOTHING, { process: undefined, progress: reports() }],
    ['yes: it runs and its encoder makes progress', { progress: reports(5_999) }],
    ['no: its encoder makes no progress', { progress: reports(6_000) }],
    ['yes: it runs and its encoder makes progress', { progress: reports(6_000, { reports: 1 }) }],
    [NOTHING, { progress: reports(6_001, { reports: 1 }) }],
    [
      'yes: it runs and its encoder makes progress',
      { process: born(1_000), progress: reports(2_000, { lastMs: NOW - 2_000 }) },
    ],
    [NOTHING, { process: born(1_000), progress: reports(2_001, { lastMs: NOW - 2_001 }) }],
    ['yes: it runs and writes', { process: runs(bytes(6_000)) }],
    [NOTHING, { process: runs(bytes(6_001)) }],
    ['yes: it runs and writes', { process: born(3_000, bytes(2_999)) }],
    [NOTHING, { process: born(3_000, bytes(3_000)) }],
    ['yes: it runs and writes', { process: runs(bytes(1_000)), progress: reports(6_001, { reports: 1 }) }],
  ])('a channel is reported as "%s"', (expected, given) => {
    expect(health({ setup: { hasOutputProbe: false }, output: undefined, ...given })).toBe(expected);
  });

  it('but will have one, nothing is reported before', () => {
    expect(health({ output: undefined, progress: reports() })).toBe('?: its output was not looked at yet');
  });
});

describe('an encoder', () => {
  const stands = (progress: Given['progress'], given: Given = {}) =>
    progressStands(factsOf({ ...given, progress }), NOW);

  it('stands when its position has not moved for `stall_after`, or three times as long as it is silent by habit', () => {
    expect([stands(reports(6_000)), stands(reports(5_999)), stands(undefined)]).toEqual([true, false, false]);
    expect(stands(reports(9_000, { gapMs: 3_000 }))).toBe(true);
    expect(stands(reports(8_999, { gapMs: 3_000 }))).toBe(false);
    const output = playlist(1_000, { targetDurationMs: 4_000 });
    expect([stands(reports(10_000), { output }), stands(reports(9_999), { output })]).toEqual([true, false]);
    expect(stands(reports(6_000), { output: undefined })).toBe(true);
  });

  it('stands by two reports, of this generation or a second before it was seen', () => {
    expect([stands(reports(7_000, { reports: 2 })), stands(reports(7_000, { reports: 1 }))]).toEqual([true, false]);
    expect(stands(reports(7_000), { process: born(6_000) })).toBe(true);
    expect(stands(reports(7_001), { process: born(6_000) })).toBe(false);
    expect(stands(reports(7_001), { process: undefined })).toBe(true);
  });
});
