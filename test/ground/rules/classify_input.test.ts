import { describe, expect, it } from 'vitest';
import { SYMPTOMS } from '../../../src/core/symptom.ts';
import {
  diedBySignal,
  dropsFrames,
  maybeKilled,
  outageIsOver,
  outageMs,
  reported,
} from '../../../src/ground/rules/classify_input.ts';
import { UPSTREAM_SYMPTOMS } from '../../../src/ground/facts/symptom_facts.ts';
import {
  born,
  died,
  endOf,
  failed,
  type Given,
  idleFor,
  lookOf,
  NOW,
  playlist,
  reports,
  runs,
  symptomOf,
  speeds,
  unread,
} from '../given.ts';

describe('a channel is down', () => {
  const down = (process: Given['process']) => lookOf({ process }).down;

  it('when its process is known not to run and no one else stopped it', () => {
    expect([down(runs()), down(undefined), down(died(1_000))]).toEqual([false, false, true]);
    expect(down(died(1_000, {}, { state: 'starting' }))).toBe(true);
    expect(down(runs({ state: 'starting' }))).toBe(false);
    expect(down(died(1_000, {}, { stoppedOnPurpose: true }))).toBe(false);
    expect(down(died(1_000, {}, { stoppedOnPurpose: true, stoppedByUs: true }))).toBe(true);
    expect(down(died(1_000, {}, { lastMs: NOW - 10_001 }))).toBe(false);
    expect(lookOf({ process: died(1_000, {}, { lastMs: NOW - 10_001 }) }).process).toBeUndefined();
  });

  it('and runs by the report of a table that is believed', () => {
    const running = (process: Given['process']) => lookOf({ process }).running;
    expect([running(runs()), running(died(1_000)), running(undefined)]).toEqual([true, false, false]);
  });
});

describe('processes that end one after another', () => {
  const agos = (...all: readonly number[]) => all.map((ago) => NOW - ago);
  const seen = (process: Given['process']) => {
    const { recentEnds, churning, troubled } = lookOf({ process });
    return [recentEnds, churning, troubled];
  };

  it('count for 60 s from now while one runs', () => {
    const ends = (...all: readonly number[]) => seen(runs({ ends: agos(...all), failedProcesses: 9 }));
    expect(ends(60_000, 59_999, 30_000, 20_000)).toEqual([3, true, true]);
    expect(ends(60_001, 60_000, 30_000, 20_000)).toEqual([2, false, false]);
    expect(ends()).toEqual([0, false, false]);
    expect(seen(undefined)).toEqual([0, false, false]);
  });

  it('count for 60 s from the death of what is dead, however long ago', () => {
    const ends = agos(560_000, 559_999, 530_000, 500_000);
    expect(seen(died(500_000, {}, { ends, failedProcesses: 9 }))).toEqual([3, true, true]);
    expect(seen(died(500_000, {}, { ends: agos(560_001, 560_000, 530_000, 500_000), failedProcesses: 9 }))[1]).toBe(
      false,
    );
    expect(seen(died(500_000, {}, { ends: [] }))[0]).toBe(0);
  });

  it('are a loop until none has ended for 25 s, or one has settled', () => {
    const last = (agoMs: number, failedProcesses = 3) =>
      seen(runs({ ends: agos(50_000, 40_000, agoMs), failedProcesses }))[1];
    expect([last(25_000), last(25_001), last(25_000, 1), last(25_000, 0)]).toEqual([true, false, true, false]);
  });
});

describe('a channel is troubled', () => {
  it('when its health is not certain, or its encoder falls behind', () => {
    const troubled = (given: Given) => lookOf(given).troubled;
    expect([troubled({}), troubled({ output: playlist(10_000) }), troubled({ output: undefined })]).toEqual([
      false,
      true,
      true,
    ]);
    expect([troubled({ progress: speeds([0.5, 0.5, 0.5]) }), troubled({ progress: speeds([1, 1, 1]) })]).toEqual([
      true,
      false,
    ]);
  });
});

describe('a log line counts as current', () => {
  const speaks = (agoMs: number, given: Given = {}, kind: Parameters<typeof symptomOf>[0] = 'db_locked') =>
    reported(lookOf({ ...given, symptoms: [symptomOf(kind, agoMs)] }), kind).length > 0;
  const loop = { ends: [NOW - 50_000, NOW - 40_000, NOW - 20_000], failedProcesses: 3 };

  it('for 30 s, damaged input for 25 s unless processes end one after another', () => {
    expect([speaks(30_000), speaks(30_001)]).toEqual([true, false]);
    expect([speaks(25_000, {}, 'corrupt_input'), speaks(25_001, {}, 'corrupt_input')]).toEqual([true, false]);
    const turning = { process: runs(loop) };
    expect([speaks(30_000, turning, 'corrupt_input'), speaks(30_001, turning, 'corrupt_input')]).toEqual([true, false]);
    expect([speaks(30_000, { process: undefined }), speaks(30_001, { process: undefined })]).toEqual([true, false]);
  });

  it('of a process generation only when it came after the end of the one before, unless they end one after another', () => {
    const lastEnd = endOf(10_000);
    const process = born(9_000, { lastEnd, ends: [NOW - 10_000] });
    expect([speaks(9_999, { process }), speaks(10_000, { process })]).toEqual([true, false]);
    expect(speaks(20_000, { process: { ...process, ends: [NOW - 30_000, NOW - 10_000] } })).toBe(true);
    expect(speaks(30_001, { process: { ...process, ends: [NOW - 30_000, NOW - 10_000] } })).toBe(false);
  });

  it('of a dead process for as long as it is dead, from 15 s before: its final output', () => {
    const dead = (agoMs: number, end?: Parameters<typeof died>[1], extra = {}) =>
      speaks(agoMs, { process: died(90_000, end, { stateSinceMs: NOW - 50_000, ...extra }) });
    expect([dead(105_000), dead(105_001), dead(30_000)]).toEqual([true, false, true]);
    expect([dead(65_000, {}, { downSinceMs: undefined }), dead(65_001, {}, { downSinceMs: undefined })]).toEqual([
      true,
      false,
    ]);
    expect([dead(105_000, { exitSignal: 9 }), dead(30_000, { exitSignal: 9 })]).toEqual([false, true]);
    expect(dead(105_000, { exitSignal: 9 }, { state: 'fatal' })).toBe(true);
    expect(dead(105_000, { exitSignal: 15 })).toBe(true);
  });

  it('of the kinds asked for only, the surest first, then the latest, then by name, else as they came', () => {
    const symptoms = [
      symptomOf('dns_failure', 5_000, { confidence: 0.5 }),
      symptomOf('upstream_timeout', 1_000, { confidence: 0.5 }),
      symptomOf('tls_failure', 9_000),
      symptomOf('db_locked'),
      symptomOf('upstream_unreachable', 9_000),
      symptomOf('auth_denied', 9_000),
    ];
    const kinds = [...UPSTREAM_SYMPTOMS];
    const sorted = ['auth_denied', 'tls_failure', 'upstream_unreachable', 'upstream_timeout', 'dns_failure'];
    expect(reported(lookOf({ symptoms }), ...kinds).map(({ kind }) => kind)).toEqual(sorted);
    expect(reported(lookOf({ symptoms: symptoms.toReversed() }), ...kinds).map(({ kind }) => kind)).toEqual(sorted);
    expect(reported(lookOf({}), ...kinds)).toEqual([]);
    const twice = [symptomOf('dns_failure'), symptomOf('dns_failure', 0, { origin: 'probe' })];
    expect(reported(lookOf({ symptoms: twice }), ...kinds).map(({ origin }) => origin)).toEqual(['log', 'probe']);
  });
});

describe('a process', () => {
  const end = (exitCode: number | undefined, exitSignal?: number) => endOf(1, { exitCode, exitSignal });

  it('may have been killed by the kernel when the signal was SIGKILL or is not reported', () => {
    const killed = [end(undefined), end(-1), end(1, 9), end(-9, 0)];
    const not = [end(0), end(1), end(-1, 11), end(undefined, 15)];
    expect([...killed, ...not].map(maybeKilled)).toEqual([true, true, true, true, false, false, false, false]);
  });

  it('died by a signal when one is reported, or the exit is negative, and no one asked it to end', () => {
    const by = (lastEnd: Parameters<typeof diedBySignal>[0]['lastEnd']) => diedBySignal(runs({ lastEnd }));
    expect([end(1, 9), end(0, 0), end(-1), end(-9)].map(by)).toEqual([true, true, true, true]);
    expect([end(1), end(0), end(undefined), end(-1, 15), end(255), undefined].map(by)).toEqual(Array(6).fill(false));
  });
});

describe('an outage explains a death', () => {
  const last = (given: Given) => {
    const ms = outageMs(lookOf({ process: died(100_000), ...given }));
    return ms === undefined ? undefined : NOW - ms;
  };
  const lines = (firstAgoMs: number, lastAgoMs: number, kind = 'dns_failure' as const) =>
    last({ symptoms: [symptomOf(kind, lastAgoMs, { firstMs: NOW - firstAgoMs })] });

  it('when its source failed within 30 s of it, by the log', () => {
    expect([lines(200_000, 130_000), lines(200_000, 130_001)]).toEqual([130_000, undefined]);
    expect([lines(70_000, 10_000), lines(69_999, 10_000)]).toEqual([10_000, undefined]);
    const upstream = SYMPTOMS.filter((kind) => last({ symptoms: [symptomOf(kind, 100_000)] }) !== undefined);
    expect(upstream.toSorted()).toEqual([...UPSTREAM_SYMPTOMS].toSorted());
  });

  it('when its source failed within 30 s of it, by the probe', () => {
    const probed = (fromAgoMs: number, toAgoMs: number) => last({ source: failed(fromAgoMs, toAgoMs, 1) });
    expect([probed(200_000, 130_000), probed(200_000, 130_001)]).toEqual([130_000, undefined]);
    expect([probed(70_000, 10_000), probed(69_999, 10_000)]).toEqual([10_000, undefined]);
    expect(last({ source: { ...failed(200_000, 90_000, 1), lastFailFromMs: undefined } })).toBeUndefined();
    expect(last({ source: { ...failed(200_000, 90_000, 1), lastFailMs: undefined } })).toBeUndefined();
    expect(last({})).toBeUndefined();
  });

  it('to the last of its complaints', () => {
    const symptoms = [
      symptomOf('dns_failure', 95_000),
      symptomOf('tls_failure', 90_000),
      symptomOf('auth_denied', 99_000),
    ];
    expect(last({ symptoms })).toBe(90_000);
    expect(last({ symptoms, source: failed(110_000, 80_000, 1) })).toBe(80_000);
  });

  it('not when Reeve has acted since, and not of what is not down', () => {
    const symptoms = [symptomOf('dns_failure', 110_000)];
    expect(last({ symptoms, actedMs: NOW - 110_000 })).toBe(110_000);
    expect(last({ symptoms, actedMs: NOW - 109_999 })).toBeUndefined();
    expect(last({ symptoms, actedMs: NOW - 500_000 })).toBe(110_000);
    expect(last({ symptoms, process: runs() })).toBeUndefined();
    expect(last({ symptoms, process: undefined })).toBeUndefined();
  });

  it('and is over when the source is back and the channel is down', () => {
    const over = (process: Given['process'], source: Given['source']) => outageIsOver(lookOf({ process, source }));
    const back = failed(110_000, 20_000, 10_000);
    expect(over(died(100_000), back)).toBe(true);
    expect(over(died(100_000, {}, { stoppedOnPurpose: true }), back)).toBe(false);
    expect(over(died(100_000), failed(110_000, 20_000))).toBe(false);
    expect(over(died(500_000), back)).toBe(false);
  });
});

describe('frames are dropped', () => {
  const drops = (given: Given) =>
    dropsFrames(lookOf({ process: runs(idleFor(0)), progress: reports(9_000), ...given }));

  it('when an encoder reports and works, and its position stands', () => {
    expect(drops({})).toBe(true);
    expect(drops({ progress: reports(1_000) })).toBe(false);
    expect(drops({ progress: undefined })).toBe(false);
    expect(drops({ process: undefined })).toBe(false);
  });

  it('when it reported within 4 s, or three times as long as it is silent by habit', () => {
    const silent = (ms: number, gapMs: number) => drops({ progress: reports(30_000, { lastMs: NOW - ms, gapMs }) });
    expect([silent(4_000, 1_000), silent(4_001, 1_000)]).toEqual([true, false]);
    expect([silent(6_000, 2_000), silent(6_001, 2_000)]).toEqual([true, false]);
  });

  it('when it used CPU time within 4 s, or says so where that is not known', () => {
    expect([drops({ process: runs(idleFor(3_999)) }), drops({ process: runs(idleFor(4_000)) })]).toEqual([true, false]);
    const late = { lastMs: NOW - 2_000 };
    expect(drops({ process: runs({ ...idleFor(5_999), ...late }) })).toBe(true);
    const symptoms = [symptomOf('clock_skew_or_dts')];
    expect([drops({ process: runs() }), drops({ process: runs(), symptoms })]).toEqual([false, true]);
    expect(drops({ process: runs(), symptoms: [symptomOf('corrupt_input')] })).toBe(false);
    expect(drops({ process: runs(idleFor(4_000)), symptoms })).toBe(false);
  });
});

it('a channel is young by the age of its process', () => {
  const young = (agoMs: number) => lookOf({ process: born(agoMs), output: unread(1, {}) }).young;
  expect([young(7_999), young(8_000)]).toEqual([true, false]);
});
