import { describe, expect, it } from 'vitest';
import type { DenialCode, Plan } from '../../../src/core/plan.ts';
import type { Scope } from '../../../src/core/scope.ts';
import { withoutRefused } from '../../../src/incident/runs/staged_plan.ts';
import { aCall } from '../../support/a.ts';

const GROUP: Scope = { kind: 'group', id: 'g' };
const BY = { kind: 'rule', rule: 'r' } as const;
const plan = (channels: readonly string[]): Plan => ({
  ...{ kind: 'act', because: 'they do not play', by: BY },
  call: aCall({ target: { kind: 'group', id: 'g' }, channels }),
});

type Refusals = Readonly<Record<string, readonly [code: DenialCode, because: string, scopes?: readonly Scope[]]>>;
const refined = (channels: readonly string[], refusals: Refusals) =>
  withoutRefused(plan(channels), (channel) => {
    const found = refusals[channel];
    return found && { code: found[0], because: found[1], scopes: found[2] ?? [] };
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
    ['frozen', []],
    ['phase', []],
    ['containment', [GROUP]],
    ['containment', [{ kind: 'channel', id: 'a' }, GROUP]],
  ] as const)('hands no channel over for %s of the whole, which counts as all at once', (code, scopes) => {
    const { plan: left, handedOver } = refined(['a', 'b'], { a: [code, 'no', scopes] });
    expect([channelsOf(left), handedOver]).toEqual([['b'], []]);
  });

  it.each(['hands_off', 'maintenance'] as const)(
    'hands no channel over for %s of the whole, but one that is held by itself',
    (code) => {
      const of = (id: string): Scope => (id === 'b' ? { kind: 'channel', id } : GROUP);
      const whyNot = (id: string) => ({ code, because: 'work on group:g', scopes: [of(id)] });
      const held = withoutRefused(plan(['a', 'b']), whyNot, [GROUP, { kind: 'fleet' }]);
      expect([channelsOf(held.plan), held.handedOver]).toEqual([['a'], ['b']]);
    },
  );

  it('hands over a channel that is contained by itself', () => {
    const itself: Scope = { kind: 'channel', id: 'a' };
    expect(refined(['a', 'b'], { a: ['containment', 'fleet is contained (', [itself]] }).handedOver).toEqual(['a']);
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
    const refuse = () => ({ code: 'hands_off', because: 'ann', scopes: [] }) as const;
    expect(withoutRefused(single, refuse)).toEqual({ plan: single, handedOver: [] });
    const stop: Plan = { kind: 'stop', because: 'x', by: BY };
    expect(withoutRefused(stop, refuse)).toEqual({ plan: stop, handedOver: [] });
  });
});
