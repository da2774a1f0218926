import { describe, expect, it } from 'vitest';
import type { ControlState } from '../../../src/control/state.ts';
import type { Scope } from '../../../src/core/scope.ts';
import { newlyOpen } from '../../../src/incident/lifecycle/state.ts';
import { HoldEnds } from '../../../src/incident/pipeline/hold_ends.ts';
import { anIncident } from '../../support/a.ts';

const OPEN = newlyOpen(anIncident({ openedMs: 1_000 }), 1_000);
const NEWS: Scope = { kind: 'channel', id: 'news' };
const until = (untilMs: number, scope: Scope = NEWS) => ({ scope, untilMs, fromMs: 0, who: 'ann', id: 'm-1' });
const saying = (holds: Partial<Record<'leases' | 'windows', readonly object[]>> & { frozen?: object }) =>
  ({ leases: [], windows: [], frozen: undefined, ...holds }) as unknown as ControlState;
const NONE = saying({});

/** What is left alone at each moment, while it is down. */
function asking(ends: HoldEnds, isDown = true, open = [OPEN]) {
  return (control: ControlState, nowMs: number) =>
    ends.due(open, control, { nowMs, isDown: () => isDown }).map(({ because }) => because);
}

describe('an incident that was left alone', () => {
  it.each([
    ['the lease of ann', saying({ leases: [until(5_000)] })],
    ['the lease of ann', saying({ leases: [until(5_000, { kind: 'group', id: 'encoders' })] })],
    ['maintenance window m-1 of ann', saying({ windows: [until(5_000)] })],
    ['the freeze by ann', saying({ frozen: { who: 'ann' } })],
  ])('is reported once, three seconds after the end of %s', (what, held) => {
    const due = asking(new HoldEnds());
    expect(due(held, 4_000)).toEqual([]);
    expect([due(NONE, 5_000), due(NONE, 7_999)]).toEqual([[], []]);
    expect(due(NONE, 8_000)).toEqual([`${what} has ended, and channel:news is still down`]);
    expect(due(NONE, 9_000)).toEqual([]);
  });

  it('is not reported of an engine after the end of a lease on one of its groups, which had not left it alone', () => {
    const ofEngine = newlyOpen(anIncident({ scope: { kind: 'engine', id: 'local' }, openedMs: 1_000 }), 1_000);
    const due = asking(new HoldEnds(), true, [ofEngine]);
    due(saying({ leases: [until(5_000, { kind: 'group', id: 'encoders' })] }), 4_000);
    expect([due(NONE, 5_000), due(NONE, 60_000)]).toEqual([[], []]);
  });

  it('is not reported while the hold lasts, or where it lay over another channel', () => {
    const due = asking(new HoldEnds());
    const held = saying({ leases: [until(90_000)] });
    expect([due(held, 4_000), due(held, 60_000)]).toEqual([[], []]);
    const elsewhere = asking(new HoldEnds());
    elsewhere(saying({ leases: [until(5_000, { kind: 'channel', id: 'sport' })] }), 4_000);
    expect([elsewhere(NONE, 5_000), elsewhere(NONE, 60_000)]).toEqual([[], []]);
  });

  it('is not reported where it plays again, or where a run has begun', () => {
    const ends = new HoldEnds();
    const held = saying({ leases: [until(5_000)] });
    const due = asking(ends, false);
    due(held, 4_000);
    due(NONE, 5_000);
    expect(due(NONE, 8_000)).toEqual([]);
    const running = asking(new HoldEnds(), true, [{ ...OPEN, running: true }]);
    running(held, 4_000);
    running(NONE, 5_000);
    expect(running(NONE, 8_000)).toEqual([]);
  });

  it('is reported after a start of Reeve for a hold that ended meanwhile, and not for one before the incident', () => {
    const late = asking(new HoldEnds());
    late(saying({ leases: [until(1_001)] }), 100_000);
    expect(late(NONE, 103_000)).toEqual(['the lease of ann has ended, and channel:news is still down']);
    const earlier = asking(new HoldEnds());
    earlier(saying({ leases: [until(1_000)] }), 100_000);
    expect(earlier(NONE, 103_000)).toEqual([]);
  });

  it('is not reported for the end of a maintenance window that has not even begun', () => {
    const planned = saying({ windows: [{ ...until(400_000), fromMs: 300_000 }] });
    const due = asking(new HoldEnds());
    expect([due(planned, 4_000), due(planned, 60_000)]).toEqual([[], []]);
    expect([due(planned, 350_000), due(planned, 400_000)]).toEqual([[], []]);
    expect(due(planned, 403_000)).toEqual(['maintenance window m-1 of ann has ended, and channel:news is still down']);
  });
});
