import { describe, expect, it } from 'vitest';
import { tryHints } from '../../src/simulation/hint_trial.ts';

describe('ROSClaw-How, closed-loop verification', () => {
  it('ends all six stuck scenarios as it must: harmful hints go, helpful ones stay, both arms compared', () => {
    const result = tryHints({ seed: 1, rollouts: 10 });
    expect(result).toMatchObject({ passed: 6, pass: true });
    for (const { harmfulSent, treatment, control } of result.scenarios) {
      expect(harmfulSent).toBe(5);
      expect(treatment).toBeGreaterThan(control + 0.1);
    }
    expect(tryHints({ seed: 1, rollouts: 10 })).toEqual(result);
  });

  it('fails when too little is tried to distinguish harm from chance', () => {
    expect(tryHints({ seed: 1, rollouts: 0 })).toMatchObject({ passed: 0, pass: false });
  });
});
