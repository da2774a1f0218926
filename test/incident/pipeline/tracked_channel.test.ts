import { describe, expect, it } from 'vitest';
import { trackedAfter, type TrackedChannel } from '../../../src/incident/pipeline/tracked_channel.ts';
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
