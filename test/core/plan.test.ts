import { describe, expect, it } from 'vitest';
import {
  DENIAL_CODES,
  type Decider,
  describeDecider,
  EVIDENCE_DENIALS,
  PASSING_DENIALS,
  PAGED_AND_PASSING,
} from '../../src/core/plan.ts';

describe('who decided', () => {
  it.each<[Decider, string]>([
    [{ kind: 'rule', rule: 'restart_crashed' }, 'rule restart_crashed'],
    [{ kind: 'model', model: 'qwen3' }, 'model qwen3'],
    [{ kind: 'operator', who: 'ann' }, 'operator ann'],
    [{ kind: 'policy', because: 'no rule fits' }, 'policy (no rule fits)'],
  ])('%j is written as %j', (by, text) => {
    expect(describeDecider(by)).toBe(text);
  });
});

describe('the denial codes', () => {
  it('are named once each', () => {
    expect(new Set(DENIAL_CODES).size).toBe(DENIAL_CODES.length);
  });

  it('that pass in silence are none of those that page a person, nor want evidence', () => {
    for (const code of PASSING_DENIALS) {
      expect([code, PAGED_AND_PASSING.has(code), EVIDENCE_DENIALS.has(code)]).toEqual([code, false, false]);
    }
  });

  it('of a freeze, a missing approval and a cap of the incident do not pass by themselves', () => {
    for (const code of ['frozen', 'approval_needed', 'restart_cap'] as const) {
      expect(PASSING_DENIALS.has(code) || PAGED_AND_PASSING.has(code) || EVIDENCE_DENIALS.has(code)).toBe(false);
    }
  });
});
