import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../../src/core/duration.ts';
import { restartsOfDay } from '../../../src/guard/state/caps.ts';
import { newGuardState } from '../../../src/guard/state/state.ts';
import { KEY, withSubject } from '../subjects.ts';

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
