import {
  bucketOf,
  type GuardState,
  newGuardState,
  newSubject,
  type SubjectState,
} from '../../src/guard/state/state.ts';

/* A state of the guard in which one channel has a past. */

export const KEY = 'channel:news';

export function withSubject(change: Partial<SubjectState>): GuardState {
  const state = newGuardState();
  const subjects = state.subjects.with(bucketOf(KEY), { [KEY]: { ...newSubject(), ...change } });
  return { ...state, subjects };
}
