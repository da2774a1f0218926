import { describe, expect, it } from 'vitest';
import type { SharedCause } from '../../../src/ground/correlate/correlate.ts';
import type { Finding } from '../../../src/ground/rules/classify.ts';
import { isEachItsOwn, timesOf } from '../../../src/incident/lifecycle/causes.ts';
import { type IncidentState, newlyOpen } from '../../../src/incident/lifecycle/state.ts';
import type { TrackedChannel } from '../../../src/incident/pipeline/tracked_channel.ts';
import { aChannel, anIncident } from '../../support/a.ts';

const tracked = (id: string, trouble: boolean): TrackedChannel => ({
  ref: aChannel({ id }),
  finding: { trouble, healthy: !trouble, quiet: false } as Finding,
  troubledMs: 0,
  classifiedMs: 0,
  healthySinceMs: trouble ? undefined : 0,
  clearSinceMs: trouble ? undefined : 0,
});
const open = (...ids: readonly string[]): IncidentState => ({
  open: ids.map((id) => newlyOpen(anIncident({ id: `inc-${id}`, scope: { kind: 'channel', id } }), 0)),
});

describe('the incident of a group of which nothing shared is known any more', () => {
  it('has handed its channels on when each that is down has an incident of its own', () => {
    const about = [tracked('a', true), tracked('b', false)];
    expect(isEachItsOwn(about, open('a'))).toBe(true);
    expect(isEachItsOwn(about, open('b'))).toBe(false);
  });

  it('has not when one is down without an incident, and not when all are well', () => {
    expect(isEachItsOwn([tracked('a', true), tracked('b', true)], open('a'))).toBe(false);
    expect(isEachItsOwn([tracked('a', false)], open('a'))).toBe(false);
    expect(isEachItsOwn([undefined], open())).toBe(false);
  });
});

describe('since when the trouble of a group has lasted', () => {
  it('is since the first of its channels was down, not since it was called a trouble of all', () => {
    const all = [tracked('a', true), tracked('b', true), tracked('well', false)];
    const downAt = (times: Readonly<Record<string, number>>) => {
      const cause = { channels: Object.keys(times), sinceMs: 50, overMs: 60 } as unknown as SharedCause;
      const watched = (id: string) =>
        all.map((one) => ({ ...one, troubledMs: times[id]! })).find(({ ref }) => ref.id === id);
      return timesOf(cause, { watched });
    };
    expect(downAt({ a: 30, b: 40, well: 10, gone: 5 })).toEqual({ leftMs: 60, troubledMs: 30 });
    expect(downAt({ well: 10 })).toEqual({ leftMs: 60, troubledMs: 50 });
  });
});
