import { describe, expect, it } from 'vitest';
import type { ProcessState } from '../../../src/core/sample.ts';
import type { ProcessFacts } from '../../../src/ground/facts/process_facts.ts';
import { factsAfter } from '../looks.ts';

const BASELINE: ProcessFacts = {
  lastMs: 1_000,
  state: 'running',
  stateSinceMs: 1_000,
  unreadableSinceMs: undefined,
  generation: undefined,
  seenMs: 1_000,
  bornMs: 1_000,
  downSinceMs: undefined,
  hasEnded: false,
  stoppedOnPurpose: false,
  stoppedByUs: false,
  lastEnd: undefined,
  ends: [],
  failedProcesses: 0,
  starts: [],
  haltedSinceMs: undefined,
  cpu: undefined,
  bytes: undefined,
};
const UNSEEN = { exitCode: undefined, exitSignal: undefined, ordered: false, seen: false };

describe('the first look at a process', () => {
  it.each<[ProcessState, Partial<ProcessFacts>]>([
    ['running', {}],
    ['starting', { downSinceMs: 1_000 }],
    ['stopping', { downSinceMs: 1_000 }],
    ['backoff', { downSinceMs: 1_000, hasEnded: true }],
    ['stopped', { downSinceMs: 1_000, hasEnded: true }],
    ['exited', { downSinceMs: 1_000, hasEnded: true }],
    ['fatal', { downSinceMs: 1_000, hasEnded: true }],
    ['unknown', { unreadableSinceMs: 1_000, hasEnded: true }],
  ])('that finds it %s is a baseline: no start and no end', (state, differs) => {
    expect(factsAfter(`1000 ${state}`)).toEqual({ ...BASELINE, state, ...differs });
  });

  it('takes over what the engine reports of its age, its counters and its state', () => {
    expect(factsAfter('1000 running a age=400 on_purpose cpu=70 halted bytes=9')).toEqual({
      ...BASELINE,
      generation: 'a',
      bornMs: 600,
      stoppedOnPurpose: true,
      haltedSinceMs: 1_000,
      cpu: { value: 70, movedMs: 1_000 },
      bytes: { value: 9, movedMs: 1_000 },
    });
  });

  it.each([
    ['121000 exited code=3 signal=9', true],
    ['121001 exited code=3 signal=9', false],
    ['2000 stopped code=3 signal=9', false],
    ['2000 exited code=3 signal=9 on_purpose', false],
  ])('%s: the end that an earlier process of Reeve saw at 1000 counts while it is fresh', (look, counts) => {
    const { lastEnd, ends, failedProcesses } = factsAfter(look, { actedMs: undefined, endedMs: 1_000 });
    const end = { monoMs: 1_000, exitCode: 3, exitSignal: 9, ordered: false, seen: true };
    const expected = counts ? [end, [1_000], 1] : [undefined, [], 0];
    expect([lastEnd, ends, failedProcesses]).toEqual(expected);
  });
});

describe('a process that cannot be read', () => {
  it('keeps what was known, and is unreadable since the first such look', () => {
    const before = '1000 running a';
    const unreadable = `${before}, 2000 unknown, 3000 unknown`;
    expect(factsAfter(unreadable)).toEqual({ ...factsAfter(before), unreadableSinceMs: 2_000 });
    expect(factsAfter(`${unreadable}, 4000 running a`)).toEqual({ ...factsAfter(before), lastMs: 4_000 });
    expect(factsAfter(`${unreadable}, 4000 exited a`)).toMatchObject({ unreadableSinceMs: undefined, ends: [4_000] });
  });

  it('is no baseline once its generation was known, even where both polls fell into one moment', () => {
    expect(factsAfter('1000 running a, 1000 unknown, 2000 running b').starts).toHaveLength(1);
  });
});

describe('a new process generation', () => {
  it('is reported whole: its name, its age, the end before it, and counters that begin anew', () => {
    const before = '1000 running a age=500 cpu=70 halted bytes=9';
    const after = '2000 running b age=300 cpu=75 halted bytes=9 code=1 signal=9';
    expect(factsAfter(`${before}, ${after}`)).toEqual({
      ...BASELINE,
      lastMs: 2_000,
      generation: 'b',
      seenMs: 2_000,
      bornMs: 1_700,
      lastEnd: { monoMs: 2_000, ...UNSEEN },
      ends: [2_000],
      failedProcesses: 1,
      starts: [{ monoMs: 2_000, generation: 'b', origin: 'unknown' }],
      haltedSinceMs: 2_000,
      cpu: { value: 75, movedMs: 2_000 },
      bytes: { value: 9, movedMs: 2_000 },
    });
  });

  it.each([
    ['the name stays', '1000 running a, 2000 running a', []],
    ['the name is another', '1000 running a, 2000 running b', ['b']],
    ['it is younger by 3 s', '1000 running, 4000 running age=0', []],
    ['it is younger by more', '1000 running, 4001 running age=0', ['seen-4001']],
    ['it has a name, which is not reported again', '1000 running a, 9000 running age=0', []],
    ['it runs without a name after its death', '1000 running a, 2000 exited, 3000 running', ['seen-3000']],
    ['it is younger twice', '1000 exited, 2000 running, 9000 running age=0', ['seen-2000', 'seen-9000']],
    ['it runs on without a name', '1000 exited, 2000 running, 9000 running age=7000', ['seen-2000']],
    ['it stays dead without a name', '1000 running a, 2000 exited, 3000 exited, 4000 fatal', []],
  ])('is counted or not where %s', (_, looks, generations) => {
    expect(factsAfter(looks).starts.map(({ generation }) => generation)).toEqual(generations);
  });

  it.each([
    ['the engine reports it', 'age=200', 1_800],
    ['the last look at the one before was taken, at the earliest', 'age=5000', 1_000],
    ['it was seen, where nothing is reported', '', 2_000],
  ])('was born when %s', (_, age, bornMs) => {
    expect(factsAfter(`1000 running a, 2000 running b ${age}`.trim()).bornMs).toBe(bornMs);
  });

  it('of a process that was dead is a start, and no second end of the generation before', () => {
    const { starts, ends } = factsAfter('1000 running a, 2000 exited a, 3000 exited b, 4000 running c');
    expect(starts.map(({ monoMs }) => monoMs)).toEqual([3_000, 4_000]);
    expect(ends).toEqual([2_000, 3_000]);
  });
});

describe('an end', () => {
  it('is reported whole, and is one end however often the dead process is polled', () => {
    const dead = '2000 exited a code=3 signal=0, 3000 exited a code=4 signal=9, 4000 fatal a';
    expect(factsAfter(`1000 running a, ${dead}`)).toEqual({
      ...BASELINE,
      lastMs: 4_000,
      state: 'fatal',
      stateSinceMs: 4_000,
      generation: 'a',
      downSinceMs: 2_000,
      hasEnded: true,
      lastEnd: { monoMs: 2_000, exitCode: 3, exitSignal: 0, ordered: false, seen: true },
      ends: [2_000],
      failedProcesses: 1,
    });
  });

  it.each([
    ['its code one look later', '2000 exited, 3000 exited code=3', { exitCode: 3, ordered: false }],
    ['its signal one look later', '2000 exited, 3000 exited signal=9', { exitSignal: 9 }],
    ['a look later that it was ordered', '2000 exited, 3000 stopped on_purpose', { ordered: true }],
    ['that it was ordered, for good', '2000 stopped on_purpose, 3000 stopped', { ordered: true }],
    [
      'its code when it runs again under its old name',
      '2000 stopped on_purpose, 3000 running a, 4000 running a code=3',
      { exitCode: 3 },
    ],
    [
      'nothing new once another process runs',
      '2000 exited, 3000 running b, 4000 running b code=3',
      { exitCode: undefined },
    ],
    ['no code where it was not seen', '2000 running b, 3000 running b code=3', UNSEEN],
  ])('reports %s', (_, looks, end) => {
    expect(factsAfter(`1000 running a, ${looks}`).lastEnd).toMatchObject(end);
  });

  it('that was before the first look is not made up', () => {
    expect(factsAfter('1000 exited code=3, 2000 exited code=3')).toMatchObject({ lastEnd: undefined, ends: [] });
  });

  it.each([
    ['without any action', undefined, 2_000, false],
    ['15 s after an action', 2_000, 17_000, true],
    ['later than that', 2_000, 17_001, false],
    ['of a process that was first seen when the action began', 1_000, 2_000, false],
    ['of a process that was first seen a moment before', 1_001, 2_000, true],
  ])('%s is the work of Reeve or not', (_, actedMs, endMs, ordered) => {
    const { lastEnd, ends, failedProcesses } = factsAfter(`1000 running a, ${endMs} exited code=1`, { actedMs });
    expect([lastEnd?.ordered, ends, failedProcesses]).toEqual(ordered ? [true, [], 0] : [false, [endMs], 1]);
  });

  it.each([
    ['two short-lived processes', '2000 running b, 3000 running a', 2],
    ['one that was ordered', '2000 running b, 3000 exited on_purpose, 4000 running a', 1],
    ['a process just too short to settle', '2000 running b, 31999 exited', 2],
    ['a process that had settled', '2000 running b, 32000 exited', 1],
    ['a process that runs and is about to settle', '2000 running b, 31999 running b', 1],
    ['a process that runs and has settled', '2000 running b, 32000 running b', 0],
    ['a dead process, however long it is dead', '2000 exited, 90000 exited', 1],
  ])('counts among the failed generations in a row or not: %s', (_, looks, failedProcesses) => {
    expect(factsAfter(`1000 running a, ${looks}`).failedProcesses).toBe(failedProcesses);
  });
});

describe('the state', () => {
  it.each([
    ['1000 running a, 2000 running a', ['running', 1_000, undefined, false]],
    ['1000 running a, 2000 backoff', ['backoff', 2_000, 2_000, true]],
    ['1000 running a, 2000 backoff, 3000 backoff', ['backoff', 2_000, 2_000, true]],
    ['1000 running a, 2000 backoff, 4000 starting b', ['starting', 4_000, 2_000, false]],
    ['1000 running a, 2000 backoff, 4000 starting b, 5000 running b', ['running', 5_000, undefined, false]],
    ['1000 starting a, 2000 running a', ['running', 2_000, undefined, false]],
    ['1000 running a, 2000 exited a', ['exited', 2_000, 2_000, true]],
    ['1000 running a, 2000 stopping a', ['stopping', 2_000, 2_000, false]],
  ])('after %s has its own time, and being down has another', (looks, expected) => {
    const { state, stateSinceMs, downSinceMs, hasEnded } = factsAfter(looks);
    expect([state, stateSinceMs, downSinceMs, hasEnded]).toEqual(expected);
  });

  it.each([
    ['stopped 15 s after an action', 2_000, '17000 stopped on_purpose', true],
    ['stopped later than that', 2_000, '17001 stopped on_purpose', false],
    ['stopped by a person', undefined, '2000 stopped on_purpose', false],
    ['stopped by the action, for a long time', 2_000, '3000 stopped on_purpose, 90000 stopped on_purpose', true],
    ['dead within the action, and not stopped', 2_000, '3000 exited', false],
    ['stopped by the action, then found dead', 2_000, '3000 stopped on_purpose, 90000 exited', false],
    ['stopped by the action, and running again', 2_000, '3000 stopped on_purpose, 4000 running b on_purpose', false],
  ])('is the doing of Reeve or not: %s', (_, actedMs, looks, stoppedByUs) => {
    expect(factsAfter(`1000 running a, ${looks}`, { actedMs }).stoppedByUs).toBe(stoppedByUs);
  });

  it.each([
    ['found stopped', '9000 stopped on_purpose', true],
    ['found stopping, then stopped', '9000 stopping, 99000 stopped on_purpose', true],
    ['found stopping and stopped on purpose', '9000 stopping on_purpose', true],
    ['found dead', '9000 exited', false],
    ['found running', '9000 running a on_purpose', false],
  ])('where an earlier process of Reeve died in the middle of a change is its doing: %s', (_, looks, stoppedByUs) => {
    expect(factsAfter(looks, { actedMs: undefined, halfDone: { generation: undefined, sinceMs: 0 } }).stoppedByUs).toBe(
      stoppedByUs,
    );
    expect(factsAfter(looks).stoppedByUs).toBe(false);
  });

  it('takes over whether a person stops it on purpose, also while it still runs', () => {
    expect(factsAfter('1000 running a, 2000 running a on_purpose').stoppedOnPurpose).toBe(true);
  });
});

describe('a counter', () => {
  it.each([
    ['cpu=120 bytes=101', 2_000, 2_000],
    ['cpu=80 bytes=99', 2_000, 2_000],
    ['cpu=119 bytes=100', 1_000, 1_000],
    ['cpu=81 bytes=100', 1_000, 1_000],
  ])('moves by 20 ms of CPU time or by one byte, up or down: %s', (counters, cpuMs, bytesMs) => {
    const { cpu, bytes } = factsAfter(`1000 running a cpu=100 bytes=100, 2000 running a ${counters}`);
    expect([cpu?.movedMs, bytes?.movedMs]).toEqual([cpuMs, bytesMs]);
  });

  it('that is not reported is not known, and begins anew when it is reported again', () => {
    const gap = '1000 running a cpu=100 bytes=100, 2000 running a';
    expect(factsAfter(gap)).toMatchObject({ cpu: undefined, bytes: undefined });
    expect(factsAfter(`${gap}, 3000 running a cpu=100 bytes=100`)).toMatchObject({
      cpu: { value: 100, movedMs: 3_000 },
      bytes: { value: 100, movedMs: 3_000 },
    });
  });

  it.each([
    ['1000 running a not_halted, 2000 running a halted, 3000 running a halted', 2_000],
    ['1000 running a halted, 2000 running a not_halted', undefined],
    ['1000 running a halted, 2000 running a', undefined],
    ['1000 running a not_halted', undefined],
  ])('stands beside the time since when the process is halted: %s', (looks, since) => {
    expect(factsAfter(looks).haltedSinceMs).toBe(since);
  });
});
