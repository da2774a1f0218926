import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/core/limits.ts';
import { groupRoom, usedByRun } from '../../../src/guard/state/spacing.ts';
import { newGuardState } from '../../../src/guard/state/state.ts';
import { KEY, withSubject } from '../subjects.ts';

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
