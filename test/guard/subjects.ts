import {
  bucketOf,
  type GuardState,
  newGuardState,
  newSubject,
  type SubjectState,
} from '../../src/guard/state/state.ts';

/* A state of the guard in which one channel, or one group or engine, has a past. */

export const KEY = 'channel:news';

export function withSubject(change: Partial<SubjectState>, key = KEY): GuardState {
  const state = newGuardState();
  const subjects = state.subjects.with(bucketOf(key), { [key]: { ...newSubject(), ...change } });
  return { ...state, subjects };
}
