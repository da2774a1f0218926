import { describe, expect, it } from 'vitest';
import { DENIAL_CODES } from '../../../src/core/plan.ts';
import { QUESTIONS } from '../../../src/guard/checks/checks.ts';
import { aPersona } from '../../support/a.ts';
import { bench } from '../bench.ts';
import { WAYS } from '../paths.ts';

describe('every refusal', () => {
  it.each(DENIAL_CODES)('%s can be the answer', (code) => {
    const decision = WAYS[code](bench());
    expect(decision).toMatchObject({ verdict: 'deny', code });
    expect(decision.trace.filter((check) => check.code === code)).toHaveLength(1);
  });

  it('keeps the whole list of answers, in the order of the questions', () => {
    const decision = WAYS.risk_budget(bench());
    expect(decision.trace.map(({ id }) => id)).toEqual(QUESTIONS.map(({ id }) => id));
    expect(decision.trace.map(({ id }) => id)).toEqual(Array.from({ length: 17 }, (_, index) => index + 1));
    expect(decision.trace.find(({ id }) => id === 13)).toMatchObject({ verdict: 'pass' });
    expect(decision.trace.find(({ id }) => id === 16)).toMatchObject({ verdict: 'not_asked' });
    expect(decision.trace.find(({ id }) => id === 17)).toMatchObject({ verdict: 'not_asked' });
  });

  it('answers with the first of several refusals and shows the later ones too', () => {
    const b = bench({ phase: 0 });
    const persona = aPersona({ restart_cap: 0 });
    const decision = b.guard.decide(b.request('news', { persona }));
    expect(decision).toMatchObject({ code: 'phase' });
    expect(decision.trace.filter(({ verdict }) => verdict === 'refuse').map(({ code }) => code)).toEqual([
      'phase',
      'restart_cap',
    ]);
  });

  it('writes each refusal down with its trace', () => {
    const b = bench();
    const decision = b.guard.decide(b.request('news', { stepHighRiskUsed: true }));
    expect(b.facts('guard.decided')).toMatchObject([
      { decision: { code: 'risk_budget' }, call: 'restart_channel on channel:news' },
    ]);
    expect(decision.trace).toHaveLength(17);
  });

  it('asks nothing more about a tool that does not exist', () => {
    const decision = WAYS.tool_unknown(bench());
    expect(decision.trace.slice(1).every(({ verdict }) => verdict === 'not_asked')).toBe(true);
  });
});
