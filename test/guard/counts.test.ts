import { describe, expect, it } from 'vitest';
import { restartsOfDay } from '../../src/guard/caps.ts';
import { usedByRun } from '../../src/guard/spacing.ts';
import { bucketOf, type GuardState, newGuardState, newSubject, type SubjectState } from '../../src/guard/state.ts';

const KEY = 'channel:news';
const DAY_MS = 86_400_000;

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
  const where = { key: KEY, group: 'encoders', run: 'run-1' };

  it('is used when its target remembers it, though its group has forgotten', () => {
    const state = withSubject({ highRisk: { permit: 'p', expiresMs: 1, run: 'run-1' } });
    expect(usedByRun(state, where)).toBe(true);
    expect(usedByRun(state, { ...where, run: 'run-2' })).toBe(false);
  });

  it('is used when it went to another target of the group', () => {
    const mark = { permit: 'p', target: 'channel:sport', run: 'run-1', atMs: 1 };
    const state = { ...newGuardState(), groups: { 'group:encoders': [mark] } };
    expect(usedByRun(state, where)).toBe(true);
    expect(usedByRun(newGuardState(), where)).toBe(false);
  });
});
