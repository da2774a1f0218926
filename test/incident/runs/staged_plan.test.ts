import { describe, expect, it } from 'vitest';
import type { DenialCode, Plan } from '../../../src/core/plan.ts';
import { withoutRefused } from '../../../src/incident/runs/staged_plan.ts';
import { aCall } from '../../support/a.ts';

const BY = { kind: 'rule', rule: 'r' } as const;
const plan = (channels: readonly string[]): Plan => ({
  ...{ kind: 'act', because: 'they do not play', by: BY },
  call: aCall({ target: { kind: 'group', id: 'g' }, channels }),
});

type Refusals = Readonly<Record<string, readonly [code: DenialCode, because: string]>>;
const refined = (channels: readonly string[], refusals: Refusals) =>
  withoutRefused(plan(channels), (channel) => {
    const found = refusals[channel];
    return found && { code: found[0], because: found[1] };
  });
const channelsOf = (found: Plan) => (found.kind === 'act' ? found.call.channels : found.kind);

describe('a staged plan', () => {
  it('stays as it is where nothing is refused', () => {
    expect(refined(['a', 'b'], {})).toEqual({ plan: plan(['a', 'b']), handedOver: [] });
  });

  it('leaves out what is refused for what it is, and hands it to its own incident', () => {
    const { plan: left, handedOver } = refined(['a', 'b', 'c'], { b: ['hands_off', 'ann has it'] });
    expect([channelsOf(left), handedOver]).toEqual([['a', 'c'], ['b']]);
  });

  it.each([
    ['frozen', 'ann froze everything'],
    ['phase', 'phase 2'],
    ['containment', 'group:g is contained (shared_cause): it failed'],
  ] as const)('hands no channel over for %s of the whole, which counts as all at once', (code, because) => {
    const { plan: left, handedOver } = refined(['a', 'b'], { a: [code, because] });
    expect([channelsOf(left), handedOver]).toEqual([['b'], []]);
  });

  it.each([
    ['hands_off', 'group:g is on a lease of ann: work', 'channel:b is on a lease of ann: group:g'],
    ['maintenance', 'maintenance win-1 of group:g: work', 'maintenance win-1 of channel:b: work'],
  ] as const)('hands no channel over for %s of the whole, but one that is held by itself', (code, ofAll, ofOne) => {
    const over = [{ kind: 'group', id: 'g' }, { kind: 'fleet' }] as const;
    const held = withoutRefused(plan(['a', 'b']), (id) => ({ code, because: id === 'b' ? ofOne : ofAll }), over);
    expect([channelsOf(held.plan), held.handedOver]).toEqual([['a'], ['b']]);
  });

  it('hands over a channel that is contained by itself', () => {
    expect(
      refined(['a', 'b'], { a: ['containment', 'channel:a is contained (breaker_open): restarts fail'] }).handedOver,
    ).toEqual(['a']);
  });

  it('waits where no channel is left, and gives the reason for each', () => {
    const { plan: left, handedOver } = refined(['a', 'b'], { a: ['hands_off', 'ann'], b: ['daily_cap', '6 of 6'] });
    expect(left).toMatchObject({ kind: 'wait', escalateAfterMs: 600_000, by: BY });
    expect(left.because).toContain('a: hands_off, ann; b: daily_cap, 6 of 6');
    expect(handedOver).toEqual(['a', 'b']);
  });

  it('goes to the guard whole where all are refused for a reason of the whole: that refusal is to be reported', () => {
    const { plan: left, handedOver } = refined(['a', 'b'], { a: ['frozen', 'x'], b: ['frozen', 'x'] });
    expect([channelsOf(left), handedOver]).toEqual([['a', 'b'], []]);
  });

  it('goes to the guard with what only the whole holds back, where the rest is handed over', () => {
    const { plan: left, handedOver } = refined(['a', 'b', 'c'], {
      a: ['frozen', 'x'],
      b: ['persona_denies', 'it may not be restarted'],
      c: ['frozen', 'x'],
    });
    expect([channelsOf(left), handedOver]).toEqual([['a', 'c'], ['b']]);
  });

  it('is the only kind of plan that is looked into', () => {
    const single: Plan = { kind: 'act', because: 'x', by: BY, call: aCall() };
    const refuse = () => ({ code: 'hands_off', because: 'ann' }) as const;
    expect(withoutRefused(single, refuse)).toEqual({ plan: single, handedOver: [] });
    const stop: Plan = { kind: 'stop', because: 'x', by: BY };
    expect(withoutRefused(stop, refuse)).toEqual({ plan: stop, handedOver: [] });
  });
});
