import { describe, expect, it } from 'vitest';
import { restartsOfDay } from '../../src/guard/state/caps.ts';
import { DAY_MS } from '../../src/core/duration.ts';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import { groupRoom, usedByRun } from '../../src/guard/state/spacing.ts';
import {
  bucketOf,
  type GuardState,
  newGuardState,
  newSubject,
  type SubjectState,
} from '../../src/guard/state/state.ts';

import { triedMs } from '../../src/guard/checks/tried.ts';
import { roomFor, STARTS_KEPT, startsMaxOf } from '../../src/guard/state/window.ts';

const KEY = 'channel:news';

function withSubject(change: Partial<SubjectState>): GuardState {
  const state = newGuardState();
  const subjects = state.subjects.with(bucketOf(KEY), { [KEY]: { ...newSubject(), ...change } });
  return { ...state, subjects };
}

describe('restarts of 24 hours', () => {
  const own = (atMs: number) => ({ permit: 'p', incident: 'i', run: 'r', atMs });

  it('says to the millisecond when the next one fits', () => {
    const state = withSubject({ restarts: [own(1_000), own(5_000)] });
    expect(restartsOfDay(state, KEY, 2, 6_000)).toEqual({ count: 2, freeInMs: 1_000 + DAY_MS - 6_000 });
    expect(restartsOfDay(state, KEY, 2, 1_000 + DAY_MS)).toEqual({ count: 1, freeInMs: 0 });
  });

  it('counts none for a channel that was never restarted', () => {
    expect(restartsOfDay(newGuardState(), KEY, 10, 6_000)).toEqual({ count: 0, freeInMs: 0 });
  });
});

describe('the one high-risk action of a run', () => {
  it('is used when a target remembers it, though its group has forgotten', () => {
    const state = withSubject({ highRisk: { permit: 'p', expiresMs: 1, run: 'run-1' } });
    expect([usedByRun(state, 'run-1'), usedByRun(state, 'run-2')]).toEqual([true, false]);
  });

  it('is used when its target has had another high-risk action since', () => {
    const state = withSubject({
      highRisk: { permit: 'q', expiresMs: 1, run: 'run-2' },
      restarts: [{ permit: 'p', incident: 'i', run: 'run-1', atMs: 1 }],
    });
    expect([usedByRun(state, 'run-1'), usedByRun(state, 'run-2'), usedByRun(state, 'run-3')]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('is used when it went to any other target, in whichever group', () => {
    const mark = { permit: 'p', target: 'channel:sport', run: 'run-1', atMs: 1 };
    const groups = { 'group:encoders': [{ ...mark, run: 'run-2' }, mark], 'group:others': [] };
    const state = { ...newGuardState(), groups };
    expect([usedByRun(state, 'run-1'), usedByRun(newGuardState(), 'run-1')]).toEqual([true, false]);
    expect([usedByRun(state, 'run-2'), usedByRun(state, 'run-3')]).toEqual([true, false]);
  });
});

describe('high-risk actions of a group', () => {
  const mark = (atMs: number) => ({ permit: `p${atMs}`, target: KEY, run: `r${atMs}`, atMs });
  const state = { ...newGuardState(), groups: { 'group:encoders': [mark(30_000), mark(10_000), mark(20_000)] } };
  const room = (max: number, nowMs: number) => groupRoom(state, 'encoders', { max, limits: DEFAULT_LIMITS, nowMs });

  it('say to the millisecond when the next one fits, in whatever order they became known', () => {
    expect(room(3, 31_000)).toEqual({ count: 3, freeInMs: 39_000 });
    expect(room(2, 31_000)).toEqual({ count: 3, freeInMs: 49_000 });
    expect(room(3, 70_000)).toEqual({ count: 2, freeInMs: 0 });
  });

  it('are none in a group of which nothing is remembered', () => {
    expect(groupRoom(newGuardState(), 'encoders', { max: 1, limits: DEFAULT_LIMITS, nowMs: 1 })).toEqual({
      count: 0,
      freeInMs: 0,
    });
  });
});

describe('a fix that was tried', () => {
  const asked = { tool: 'restart_channel', fingerprint: 'f' } as const;
  const tried = (atMs: number, fingerprint = 'f', tool: 'restart_channel' | 'rebuild_playout' = 'restart_channel') => ({
    tool,
    fingerprint,
    atMs,
  });
  const at = { memoryMs: 1_000, nowMs: 5_000 };
  const of = (...all: ReturnType<typeof tried>[]) => triedMs({ ...newSubject(), tried: all }, asked, at);

  it('is known by the last time of the same tool against the same fingerprint', () => {
    expect(of(tried(4_500), tried(4_900), tried(4_950, 'other'), tried(4_960, 'f', 'rebuild_playout'))).toBe(4_900);
  });

  it('is forgotten after exactly the memory', () => {
    expect(of(tried(4_001))).toBe(4_001);
    expect(of(tried(4_000))).toBeUndefined();
  });
});

describe('the window of starts', () => {
  const starts = [30_000, 10_000, 20_000].map((atMs) => ({ engine: 'local', channel: 'news', atMs }));

  it('says when the next one fits, in whatever order they became known', () => {
    expect(roomFor(starts, 3, { windowMs: 60_000, nowMs: 31_000 })).toEqual({ count: 3, freeInMs: 39_000 });
  });

  it('never allows as many as can be remembered', () => {
    expect(startsMaxOf(10)).toBe(10);
    expect(startsMaxOf(STARTS_KEPT + 5)).toBe(STARTS_KEPT - 1);
  });
});
