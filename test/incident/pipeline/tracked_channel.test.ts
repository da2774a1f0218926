import { describe, expect, it } from 'vitest';
import { trackedAfter, type TrackedChannel, withoutHealth } from '../../../src/incident/pipeline/tracked_channel.ts';
import { CLEAR_HOLD_MS } from '../../../src/incident/lifecycle/transitions.ts';
import type { Finding } from '../../../src/ground/rules/classify.ts';
import { aChannel } from '../../support/a.ts';

const ref = aChannel();
const well = (healthy: boolean | undefined, quiet = false) =>
  ({ trouble: false, classification: undefined, healthy, quiet, because: '' }) as unknown as Finding;
const down = { trouble: true, classification: 'process_crashed', healthy: false } as unknown as Finding;
const [unseen, plays, asWanted] = [well(undefined), well(true), well(undefined, true)];

/** Since when it is in trouble, after it was judged so, in seconds. */
function troubledAfter(...judged: readonly (readonly [number, Finding])[]): number {
  let tracked: TrackedChannel | undefined;
  for (const [atS, finding] of judged) tracked = trackedAfter(tracked, { ref, finding, nowMs: atS * 1_000 });
  return (tracked?.troubledMs ?? Number.NaN) / 1_000;
}

const HOLD_S = CLEAR_HOLD_MS / 1_000;

describe('how long a channel is in trouble', () => {
  it('counts from when it was first found so', () => {
    expect(troubledAfter([1, plays], [5, down], [9, down])).toBe(5);
    expect(troubledAfter([5, down])).toBe(5);
  });

  it('counts on over moments in which nothing is known of it, however often they come', () => {
    expect(troubledAfter([5, down], [14, unseen], [15, down], [24, unseen], [25, down])).toBe(5);
    expect(troubledAfter([5, down], [14, unseen], [15, unseen], [16, down])).toBe(5);
  });

  it('begins anew after it played, or stood as somebody wants it', () => {
    expect(troubledAfter([5, down], [14, plays], [15, down])).toBe(15);
    expect(troubledAfter([5, down], [14, asWanted], [15, down])).toBe(15);
    expect(troubledAfter([5, down], [14, unseen], [15, plays], [16, unseen], [17, down])).toBe(17);
  });

  it('begins anew where nothing was known of it for as long as ends an incident', () => {
    expect(troubledAfter([5, down], [10, unseen], [10 + HOLD_S - 0.001, down])).toBe(5);
    expect(troubledAfter([5, down], [10, unseen], [10 + HOLD_S, down])).toBe(10 + HOLD_S);
  });

  it('does not begin before it was found, where nothing was known of it until then', () => {
    expect(troubledAfter([1, unseen], [3, unseen], [5, down])).toBe(5);
    expect(troubledAfter([1, plays], [3, unseen], [5, down])).toBe(5);
  });
});

describe('a channel after a sleep of the machine (T3)', () => {
  it('is well only since it was looked at again', () => {
    const asleep = trackedAfter(undefined, { ref, finding: plays, nowMs: 1_000 });
    const awake = withoutHealth(asleep, 5_000);
    expect(awake).toMatchObject({ healthySinceMs: undefined, clearSinceMs: 5_000 });
    const unlooked = trackedAfter(awake, { ref, finding: plays, nowMs: 5_500, isSeen: false });
    expect(unlooked.healthySinceMs).toBeUndefined();
    expect(trackedAfter(unlooked, { ref, finding: plays, nowMs: 6_000 }).healthySinceMs).toBe(6_000);
  });

  it('is in a trouble that is found then since then, and in one that it slept through since before', () => {
    const wokenAfter = (...findings: readonly Finding[]) => {
      let tracked: TrackedChannel | undefined;
      for (const [at, finding] of findings.entries())
        tracked = trackedAfter(tracked, { ref, finding, nowMs: 1_000 * (1 + at) });
      return trackedAfter(withoutHealth(tracked!, 9_000), { ref, finding: unseen, nowMs: 10_000 });
    };
    const then = (tracked: TrackedChannel) => trackedAfter(tracked, { ref, finding: down, nowMs: 11_000 }).troubledMs;
    expect(then(wokenAfter(plays))).toBeGreaterThanOrEqual(9_000);
    expect(then(wokenAfter(down))).toBe(1_000);
    expect(then(wokenAfter(down, unseen))).toBe(1_000);
  });
});
