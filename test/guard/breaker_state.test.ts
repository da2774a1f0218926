import { describe, expect, it } from 'vitest';
import {
  admit,
  type BreakerState,
  breakerAt,
  cure,
  fail,
  FAILURES_KEPT,
  newBreaker,
  relapse,
  resetBreaker,
  settleProbe,
} from '../../src/guard/state/breaker.ts';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';

const at = (nowMs: number) => ({ limits: DEFAULT_LIMITS, nowMs });
const restart = (permit: string, generation = 0) => ({ permit, generation });

/** Opened at 1,000 by a first probe that failed. */
const reopened = (): BreakerState => {
  const state = newBreaker();
  admit(state, restart('probe', 2), 900);
  fail(state, restart('probe', 2), 1_000);
  return state;
};

describe("the breaker's own state", () => {
  it('begins closed, without any failure', () => {
    expect(newBreaker()).toEqual({ generation: 0, trips: 0, failures: [] });
    expect(breakerAt(newBreaker(), [], at(0))).toEqual({ state: 'closed', generation: 0, failures: 0 });
  });

  it('finds the fifth failure in the order of time, in whatever order the failures became known', () => {
    const state = { ...newBreaker(), failures: [9_000, 1_000, 5_000] };
    expect(breakerAt(state, [400_000, 3_000, 7_000], at(10_000))).toMatchObject({ state: 'open', untilMs: 129_000 });
  });

  it('shows how many failures the window (t - W, t] holds now', () => {
    const state = { ...newBreaker(), failures: [1_000, 2_000] };
    expect(breakerAt(state, [], at(300_999))).toMatchObject({ failures: 2 });
    expect(breakerAt(state, [], at(301_000))).toMatchObject({ failures: 1 });
  });

  it('is half-open up to the deadline of the probe, and open at it', () => {
    const state = newBreaker();
    admit(state, restart('probe', 2), 5_000);
    expect(breakerAt(state, [], at(4_999)).state).toBe('half_open');
    expect(breakerAt(state, [], at(5_000))).toMatchObject({ state: 'open', generation: 3, trips: 2 });
    settleProbe(state, 4_999);
    expect(state.probe).toBeDefined();
    settleProbe(state, 5_000);
    expect(state).toEqual({ generation: 3, trips: 2, failures: [], openedMs: 5_000 });
  });

  it('starts a probe with an empty record', () => {
    const state = { ...newBreaker(), failures: [1, 2, 3, 4, 5] };
    admit(state, restart('probe', 2), 5_000);
    expect(state).toEqual({ generation: 2, trips: 1, failures: [], probe: { permit: 'probe', deadlineMs: 5_000 } });
  });

  it('counts no failure of another restart while the probe is out, and none while it is open', () => {
    const probing = newBreaker();
    admit(probing, restart('probe', 2), 5_000);
    fail(probing, restart('other', 2), 100);
    expect(probing.failures).toEqual([]);
    const open = reopened();
    expect(open).toEqual({ generation: 3, trips: 2, failures: [], openedMs: 1_000 });
    fail(open, restart('late', 3), 1_100);
    expect(open.failures).toEqual([]);
  });

  it('forgets the oldest failure beyond those that it keeps, and none before', () => {
    const state = newBreaker();
    for (let n = 1; n <= FAILURES_KEPT; n += 1) fail(state, restart(`r${n}`), n);
    expect(state.failures).toHaveLength(FAILURES_KEPT);
    expect(state.failures[0]).toBe(1);
    fail(state, restart('more'), 1_000);
    expect(state.failures).toHaveLength(FAILURES_KEPT);
    expect([state.failures[0], state.failures.at(-1)]).toEqual([2, 1_000]);
  });

  it('is closed by the cure of its probe alone, in a generation of its own', () => {
    const state = newBreaker();
    admit(state, restart('probe', 2), 5_000);
    cure(state, restart('other', 2));
    cure(state, restart('probe', 1));
    expect(state.probe).toBeDefined();
    cure(state, restart('probe', 2));
    expect(state).toEqual({ generation: 3, trips: 0, failures: [], closedBy: { permit: 'probe', trips: 1 } });
  });

  it('takes a cure that did not hold for a failure, and opens only where it had closed it', () => {
    const state = newBreaker();
    relapse(state, restart('first'), 1_000);
    expect(state).toEqual({ generation: 0, trips: 0, failures: [1_000] });
    admit(state, restart('probe', 2), 5_000);
    cure(state, restart('probe', 2));
    relapse(state, restart('other', 3), 6_000);
    expect(state.failures).toEqual([6_000]);
    relapse(state, restart('probe', 3), 7_000);
    expect(state).toEqual({ generation: 4, trips: 2, failures: [], openedMs: 7_000 });
  });

  it('is reset into a generation that no earlier permit can have', () => {
    const open = reopened();
    const { generation } = breakerAt(open, [], at(1_000_000));
    expect(resetBreaker(open)).toEqual({ generation: 5, trips: 0, failures: [] });
    expect(resetBreaker(open).generation).toBeGreaterThan(generation);
  });
});
