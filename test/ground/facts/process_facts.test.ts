import { describe, expect, it } from 'vitest';
import type { ProcessSample } from '../../../src/core/sample.ts';
import {
  isHaltedProcess,
  type Known,
  nextProcess,
  type ProcessFacts,
} from '../../../src/ground/facts/process_facts.ts';
import { OWN_ACTION_MS, RECALL_MS, SETTLED_GENERATION_MS } from '../../../src/ground/facts/setup.ts';

const NOTHING: Known = { actedMs: undefined };
const BORN_MS = 100_000;

const sample = (monoMs: number, more: Partial<ProcessSample> = {}): ProcessSample => ({
  ...{
    kind: 'process',
    channel: 'a',
    engine: 'e',
    source: 'test',
    at: monoMs,
    monoMs,
    state: 'running',
    pid: 1,
    generation: 'one',
  },
  ...{ uptimeMs: undefined, exitCode: undefined, exitSignal: undefined, stoppedOnPurpose: false },
  ...{ cpuMs: undefined, halted: undefined, bytesWritten: undefined },
  ...more,
});
const dead = (monoMs: number, more: Partial<ProcessSample> = {}): ProcessSample =>
  sample(monoMs, { state: 'exited', exitSignal: 9, ...more });

/** One after another, with the same knowledge. */
const folded = (samples: readonly ProcessSample[], known: Known = NOTHING): ProcessFacts =>
  samples.reduce<ProcessFacts | undefined>((facts, one) => nextProcess(facts, one, known), undefined)!;

describe('the first sight of a process', () => {
  it('is neither a start nor an end, and its age is the engine’s account', () => {
    const facts = folded([sample(BORN_MS, { uptimeMs: 40_000 })]);
    expect(facts).toMatchObject({
      starts: [],
      ends: [],
      failedProcesses: 0,
      bornMs: BORN_MS - 40_000,
      hasEnded: false,
    });
    expect(folded([dead(BORN_MS)])).toMatchObject({ starts: [], ends: [], hasEnded: true, downSinceMs: BORN_MS });
  });

  it('is still to come while the state could not be read', () => {
    const unread = sample(BORN_MS, { state: 'unknown', generation: undefined });
    const facts = folded([unread, dead(BORN_MS + 1_000)]);
    expect(folded([unread]).unreadableSinceMs).toBe(BORN_MS);
    expect(facts).toMatchObject({ ends: [], unreadableSinceMs: undefined });
  });

  it.each([
    [RECALL_MS, 1],
    [RECALL_MS + 1, 0],
  ])('of one that the Reeve before saw dying %i ms ago counts %i end', (agoMs, ends) => {
    const facts = folded([dead(BORN_MS)], { ...NOTHING, endedMs: BORN_MS - agoMs });
    expect(facts.ends).toHaveLength(ends);
    expect(facts.failedProcesses).toBe(ends);
  });
});

describe('an end', () => {
  it('is seen, with its exit code, or only known by the successor, without one', () => {
    expect(folded([sample(BORN_MS), dead(BORN_MS + 1_000)]).lastEnd).toMatchObject({ seen: true, exitSignal: 9 });
    const replaced = folded([sample(BORN_MS), sample(BORN_MS + 1_000, { generation: 'two', exitCode: 1 })]);
    expect(replaced.lastEnd).toMatchObject({ seen: false, exitCode: undefined });
    expect(replaced.starts).toMatchObject([{ generation: 'two', origin: 'unknown' }]);
  });

  it('takes the exit code that the engine reports one look later', () => {
    const late = folded([sample(BORN_MS), dead(BORN_MS + 1_000, { exitSignal: undefined }), dead(BORN_MS + 2_000)]);
    expect(late.lastEnd).toMatchObject({ monoMs: BORN_MS + 1_000, exitSignal: 9 });
  });

  it('was ordered where somebody stopped the process on purpose', () => {
    const facts = folded([sample(BORN_MS), dead(BORN_MS + 1_000, { stoppedOnPurpose: true })]);
    expect(facts).toMatchObject({ ends: [], failedProcesses: 0, lastEnd: { ordered: true } });
  });

  it.each([
    [OWN_ACTION_MS, true],
    [OWN_ACTION_MS + 1, false],
  ])('%i ms after an action of Reeve was ordered by it: %s', (afterMs, ordered) => {
    const actedMs = BORN_MS + 1_000;
    const facts = folded([sample(BORN_MS), dead(actedMs + afterMs)], { actedMs });
    expect(facts.lastEnd?.ordered).toBe(ordered);
  });

  it('of a process that began after the action was not ordered by it', () => {
    expect(folded([sample(BORN_MS), dead(BORN_MS + 1_000)], { actedMs: BORN_MS }).lastEnd?.ordered).toBe(false);
  });

  it.each([
    [SETTLED_GENERATION_MS - 1, 2],
    [SETTLED_GENERATION_MS, 1],
  ])('%i ms after its start, behind a failed one, makes %i failed in a row', (aliveMs, failed) => {
    const secondMs = BORN_MS + 2_000;
    const second = sample(secondMs, { generation: 'two' });
    const facts = folded([
      sample(BORN_MS),
      dead(BORN_MS + 1_000),
      second,
      dead(secondMs + aliveMs, { generation: 'two' }),
    ]);
    expect(facts.failedProcesses).toBe(failed);
  });
});

describe('a new process', () => {
  const unnamed = (monoMs: number, uptimeMs: number) => sample(monoMs, { generation: undefined, uptimeMs });

  it.each([
    [3_000, 0],
    [3_001, 1],
  ])('of an engine without pids shows by being younger by %i ms: %i start', (youngerMs, starts) => {
    const later = BORN_MS + 60_000;
    expect(folded([unnamed(BORN_MS, 10_000), unnamed(later, 70_000 - youngerMs)]).starts).toHaveLength(starts);
  });

  it('of such an engine shows by running after having been down', () => {
    const facts = folded([
      unnamed(BORN_MS, 10_000),
      dead(BORN_MS + 1_000, { generation: undefined }),
      sample(BORN_MS + 2_000, { generation: undefined }),
    ]);
    expect(facts.starts).toMatchObject([{ generation: `seen-${BORN_MS + 2_000}` }]);
    expect(facts).toMatchObject({ hasEnded: false, downSinceMs: undefined });
  });

  it('that runs on until it has settled ends the row of failed ones', () => {
    const first = [sample(BORN_MS), dead(BORN_MS + 1_000), sample(BORN_MS + 2_000, { generation: 'two' })];
    const runsFor = (ms: number) =>
      folded([...first, sample(BORN_MS + 2_000 + ms, { generation: 'two' })]).failedProcesses;
    expect([runsFor(SETTLED_GENERATION_MS - 1), runsFor(SETTLED_GENERATION_MS)]).toEqual([1, 0]);
  });
});

describe('a channel found stopped', () => {
  const stopped = dead(BORN_MS + 9_000, { stoppedOnPurpose: true });
  const byReeve = (known: Partial<Known>, looks = [sample(BORN_MS), sample(BORN_MS + 5_000)]) =>
    folded([...looks, stopped], { ...NOTHING, ...known }).stoppedByUs;
  const halfDone = { generation: 'one', sinceMs: BORN_MS + 1_000 };

  it('was stopped by Reeve where a restart of Reeve is half done, and not by what came after that', () => {
    expect(byReeve({ halfDone })).toBe(true);
    expect(byReeve({ halfDone: { ...halfDone, endedMs: BORN_MS + 4_000 } })).toBe(true);
    expect(byReeve({ halfDone: { ...halfDone, endedMs: BORN_MS + 3_999 } })).toBe(false);
    expect(byReeve({})).toBe(false);
  });

  it('was stopped by Reeve also where nobody saw it run since the call: no person is known to have done it (S6)', () => {
    const ended = { halfDone: { ...halfDone, endedMs: BORN_MS + 2_000 } };
    expect(byReeve(ended, [sample(BORN_MS), sample(BORN_MS + 2_000)])).toBe(true);
    expect(byReeve(ended, [sample(BORN_MS), sample(BORN_MS + 2_001)])).toBe(false);
  });
});

describe('a counter', () => {
  const looks = (cpuMs: number | undefined, halted = false) =>
    folded([sample(BORN_MS, { cpuMs: 500 }), sample(BORN_MS + 1_000, { cpuMs, halted })]);

  it('of CPU time has moved by 20 ms and not by less', () => {
    expect(looks(519).cpu).toEqual({ value: 500, movedMs: BORN_MS });
    expect(looks(520).cpu).toEqual({ value: 520, movedMs: BORN_MS + 1_000 });
  });

  it('that was not read has not stood still', () => {
    expect(looks(undefined).cpu).toBeUndefined();
  });

  it('shows that a process that a signal stopped stands still, until it moves', () => {
    expect(isHaltedProcess(looks(500, true))).toBe(true);
    expect(isHaltedProcess(looks(500, false))).toBe(false);
    const moved = nextProcess(looks(500, true), sample(BORN_MS + 2_000, { cpuMs: 600, halted: true }), NOTHING);
    expect(isHaltedProcess(moved)).toBe(false);
  });
});
