import { describe, expect, it } from 'vitest';
import { controlProjection } from '../../../src/control/state.ts';
import type { Scope } from '../../../src/core/scope.ts';
import { containmentKey, type GuardState, newGuardState } from '../../../src/guard/state/state.ts';
import { isNamed } from '../../../src/incident/pipeline/named.ts';

const NEWS: Scope = { kind: 'channel', id: 'news' };
const FLEET: Scope = { kind: 'fleet' };
const control = controlProjection.initial;

const containedFor = (reason: 'clock_anomaly' | 'operator_freeze'): GuardState => ({
  ...newGuardState(),
  containments: {
    [containmentKey(FLEET, reason)]: { scope: FLEET, reason, detail: '', releaseByPerson: false, raisedMs: 0 },
  },
});

describe('a person knows of a channel', () => {
  it('by a lease until it ends, and of no other', () => {
    const lease = { scope: NEWS, fromMs: 0, untilMs: 10, who: 'ann', because: 'a test' };
    const known = { control: { ...control, leases: [lease] }, guard: newGuardState(), openPages: () => [] };
    expect([isNamed(known, [NEWS], 9), isNamed(known, [NEWS], 10), isNamed(known, [FLEET], 9)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('by the page of a containment over it once that is sent, not before', () => {
    const known = { control, guard: containedFor('clock_anomaly') };
    expect(isNamed({ ...known, openPages: () => [] }, [NEWS, FLEET], 1)).toBe(false);
    expect(isNamed({ ...known, openPages: () => ['containment/channel:news'] }, [NEWS, FLEET], 1)).toBe(false);
    expect(isNamed({ ...known, openPages: () => ['containment/fleet'] }, [NEWS, FLEET], 1)).toBe(true);
  });

  it('not by a containment that pages no person, whatever page is open', () => {
    const known = { control, guard: containedFor('operator_freeze'), openPages: () => ['containment/fleet'] };
    expect(isNamed(known, [NEWS, FLEET], 1)).toBe(false);
  });
});
