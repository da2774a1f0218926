import { describe, expect, it } from 'vitest';
import type { Permit } from '../../src/core/tool.ts';
import { staged } from './stage.ts';

/** A plan of the group that has ended, with these verdicts of its starts. */
function planEnded(verdicts: readonly boolean[]) {
  const s = staged();
  const parent = s.plan();
  const terms = verdicts.map((cured, at) => s.startChild(parent, `c${at}`, cured));
  s.b.finished(parent.terms);
  const again = () => s.b.guard.decide(s.envelopeOfGroup(s.request({ run: 'run-again' })));
  return { ...s, terms, again };
}

function allowed(decision: ReturnType<ReturnType<typeof planEnded>['again']>): Permit {
  if (decision.verdict === 'deny') throw new Error(`${decision.code}: ${decision.because}`);
  return decision.permit;
}

describe('a further plan of a group', () => {
  it('waits for no clock after one whose starts are all verified', () => {
    const { again } = planEnded([true, true, true]);
    expect(again()).toMatchObject({ verdict: 'allow' });
  });

  it('keeps the distance of each channel all the same', () => {
    const { b, again, child } = planEnded([true]);
    const parent = allowed(again());
    parent.redeem(b.nowMs());
    b.started(parent.terms);
    expect(child(parent, 'c0')).toMatchObject({ code: 'cooldown' });
    expect(child(parent, 'c1')).toMatchObject({ verdict: 'allow' });
  });

  it.each([
    ['one of whose starts was not verified', [true, false, true]],
    ['that started nothing', []],
  ] as const)('keeps 60 s from the end of one %s', (_, verdicts) => {
    const { b, again } = planEnded(verdicts);
    expect(again()).toMatchObject({ code: 'high_risk_spacing', retryAfterMs: 60_000 });
    b.pass(59_999);
    expect(again()).toMatchObject({ code: 'high_risk_spacing', retryAfterMs: 1 });
    b.pass(1);
    expect(again()).toMatchObject({ verdict: 'allow' });
  });

  it('keeps it, too, when a cure of that one did not hold', () => {
    const { b, again, terms } = planEnded([true, true]);
    b.record({ type: 'attempt.relapsed', permit: terms[1]!, fingerprint: 'f', because: '' }, 'c1');
    expect(again()).toMatchObject({ code: 'high_risk_spacing' });
  });
});
