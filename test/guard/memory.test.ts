import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS, type Limits } from '../../src/core/limits.ts';
import { Permit } from '../../src/core/tool.ts';
import { triggersNow } from '../../src/guard/containment.ts';
import { limitProblems } from '../../src/guard/limits.ts';
import { startedDrafts, startedWithoutEnd, unknownEnds } from '../../src/guard/state/recovery.ts';
import {
  bucketOf,
  type GuardState,
  newGuardState,
  newSubject,
  type SubjectState,
} from '../../src/guard/state/state.ts';
import { aPermit, callOf, NEWS } from './book.ts';

/** A state in which just this target is remembered. */
const remembering = (known: Partial<SubjectState>, key = 'channel:news'): GuardState => {
  const state = newGuardState();
  return { ...state, subjects: state.subjects.with(bucketOf(key), { [key]: { ...newSubject(), ...known } }) };
};
const unjudged = (with_: Parameters<typeof aPermit>[0] = {}) => ({
  terms: aPermit(with_),
  startedMs: 1_000,
  dueMs: 5_000,
});

describe('what an earlier process of Reeve left behind', () => {
  const restart = aPermit();

  it('is a call without end where it began and did not end', () => {
    const ended = { ...unjudged({ id: 'p2' }), endedMs: 2_000 };
    const never = { terms: aPermit({ id: 'p3' }), dueMs: 5_000 };
    expect(startedWithoutEnd(remembering({ open: [unjudged(), ended, never] }))).toEqual([restart]);
  });

  it('is UNKNOWN for each target on its own', () => {
    const unknown = { permit: 'p1', tool: 'restart_channel', sinceMs: 5 } as const;
    expect(unknownEnds(remembering({ unknown }))).toEqual([{ scope: NEWS, ...unknown }]);
    const group = { kind: 'group', id: 'pull' } as const;
    expect(unknownEnds(remembering({ unknown }, 'group:pull'))).toEqual([{ scope: group, ...unknown }]);
    expect(unknownEnds(remembering({}))).toEqual([]);
    expect(unknownEnds(remembering({ unknown }, 'channel:'))).toEqual([]);
  });

  it('was written down before the call, under its channel where it is of one', () => {
    const about = { incident: 'inc-1', run: 'run-1' };
    const fact = { type: 'tool.started', permit: restart };
    expect(startedDrafts(Permit.grant(restart))).toEqual([{ ...about, channel: 'news', fact }]);
    const plan = aPermit({ call: callOf('restart_channel', { kind: 'group', id: 'pull' }) });
    expect(startedDrafts(Permit.grant(plan))).toEqual([
      { ...about, channel: undefined, fact: { type: 'tool.started', permit: plan } },
    ]);
  });
});

describe('a breaker contains its channel', () => {
  const FACTS = { pools: [], sharedCauses: [], frozen: false, journalError: undefined };
  const triggered = (known: Partial<SubjectState>, key?: string) =>
    triggersNow(remembering(known, key), FACTS, { limits: { ...DEFAULT_LIMITS, breakerFailuresMax: 1 }, nowMs: 6_000 });
  const breaker = { generation: 0, trips: 1, failures: [] as number[] };
  const probe = (deadlineMs: number) => ({ breaker: { ...breaker, probe: { permit: 'p1', deadlineMs } } });

  it.each<[string, Partial<SubjectState>, string]>([
    ['a restart has failed', { breaker: { ...breaker, failures: [5_000] } }, 'opening 1, for 119000'],
    [
      'it is open since a probe failed',
      { breaker: { ...breaker, trips: 2, openedMs: 5_000 } },
      'opening 2, for 239000',
    ],
    ['the probe that is out has passed its deadline', probe(6_000), 'opening 2, for 240000'],
    ['a restart was not judged in time', { open: [unjudged()] }, 'opening 1, for 119000'],
  ])('where %s', (_, known, text) => {
    expect(triggered(known)).toEqual([
      { scope: NEWS, reason: 'breaker_open', detail: `restarts of news keep failing: ${text} ms more` },
    ]);
  });

  it.each<[string, Partial<SubjectState>, string?]>([
    ['nothing happened', {}],
    ['its probe is out', probe(6_001)],
    ['another tool was not judged in time', { open: [unjudged({ call: callOf('rebuild_playout') })] }],
    ['a restart of an earlier generation was not judged', { open: [unjudged({ generation: 1 })] }],
    ['it is no channel', { breaker: { ...breaker, failures: [5_000] } }, 'group:pull'],
    ['its name cannot be read', { breaker: { ...breaker, failures: [5_000] } }, 'channel:'],
  ])('and not where %s', (_, known, key) => {
    expect(triggered(known, key)).toEqual([]);
  });
});

describe('the limits of the guard', () => {
  const NAMES = Object.keys(DEFAULT_LIMITS) as readonly (keyof Limits)[];
  it.each<[keyof Limits, unknown, string | undefined]>([
    ['windowMs', 86_400_000, undefined],
    ['windowMs', 86_400_001, 'windowMs is 86400001, above 86400000'],
    ['windowMs', 0.5, undefined],
    ['windowMs', 0, 'windowMs is 0, and must be above 0'],
    ['windowMs', -1, 'windowMs is -1, and must be above 0'],
    ['windowMs', '60', 'windowMs is 60, not a number'],
    ['windowMs', undefined, 'windowMs is undefined, not a number'],
    ['windowMs', Number.POSITIVE_INFINITY, 'windowMs is Infinity, not a number'],
    ['runMsMax', 86_400_001, 'runMsMax is 86400001, above 86400000'],
    ['windowStartsMax', 1_023, undefined],
    ['windowStartsMax', 1_024, 'windowStartsMax is 1024, above 1023'],
    ['windowStartsMax', 2.5, 'windowStartsMax is 2.5, not a whole number'],
    ['breakerFailuresMax', 64, undefined],
    ['breakerFailuresMax', 65, 'breakerFailuresMax is 65, above 64'],
    ['dailyRestartCap', 256, undefined],
    ['dailyRestartCap', 257, 'dailyRestartCap is 257, above 256'],
    ['dailyRestartCap', 0, undefined],
    ['dailyRestartCap', -1, 'dailyRestartCap is -1, and must be above 0'],
    ['fleetDailyRestartCap', undefined, undefined],
    ['fleetDailyRestartCap', 100_000, undefined],
    ['fleetDailyRestartCap', 100_001, 'fleetDailyRestartCap is 100001, above 100000'],
    ['fleetDailyRestartCap', 2.5, 'fleetDailyRestartCap is 2.5, not a whole number'],
    ['highRiskPerGroupMax', 100, undefined],
    ['highRiskPerGroupMax', 101, 'highRiskPerGroupMax is 101, above 100'],
    ['stepsMax', 3, undefined],
    ['stepsMax', 4, 'stepsMax is 4, above 3'],
    ['stepsMax', 0, undefined],
    ['sharedCauseChannelsMin', 1_001, 'sharedCauseChannelsMin is 1001, above 1000'],
    ['sharedCauseChannelsMin', 2.5, 'sharedCauseChannelsMin is 2.5, not a whole number'],
    ['poolPressureMax', 1, undefined],
    ['poolPressureMax', 1.01, 'poolPressureMax is 1.01, above 1'],
    ['viewerSecondsPerHourMax', undefined, undefined],
    ['viewerSecondsPerHourMax', 0, undefined],
    ['viewerSecondsPerHourMax', 86_400_000.5, undefined],
    ['viewerSecondsPerHourMax', Number.NaN, 'viewerSecondsPerHourMax is NaN, not a number'],
  ])('find in %s of %s this problem: %s', (name, value, problem) => {
    const limits = { ...DEFAULT_LIMITS, [name]: value } as Limits;
    expect(limitProblems(limits, NAMES)).toEqual(problem === undefined ? [] : [problem]);
  });
});
