import { describe, expect, it } from 'vitest';
import type { RuleFact } from '../../src/core/rule.ts';
import { createRulebook } from '../../src/rulebook/rulebook.ts';
import { anEnvelope } from '../support/a.ts';
import { aRule } from './support.ts';
import { planned, ruleOf } from './asking.ts';

describe('Theow 11, forward chaining', () => {
  const derived = (name: string, value: boolean): RuleFact => ({
    fact: `derived.${name}`,
    test: { kind: 'equals', value },
  });
  const sets = (id: string, name: string, when: readonly RuleFact[] = []) =>
    aRule({ id, steps: [], when, sets: [{ name, value: true }] });

  it('lets a rule that detects supply facts to a rule that acts', () => {
    const acting = aRule({ id: 'act', when: [derived('leak', true)] });
    expect(planned([acting])).toBeUndefined();
    expect(ruleOf(planned([acting, sets('detect', 'leak')]))).toBe('act');
  });

  it('goes three rules deep and no further', () => {
    const chain = [sets('s1', 'a'), sets('s2', 'b', [derived('a', true)]), sets('s3', 'c', [derived('b', true)])];
    const fourth = sets('s4', 'd', [derived('c', true)]);
    const on = (name: string) => aRule({ id: 'act', when: [derived(name, true)] });
    expect(ruleOf(planned([...chain, on('c')]))).toBe('act');
    expect(planned([...chain, fourth, on('d')])).toBeUndefined();
  });

  it('ends where rules set and retract in a circle', () => {
    const rules = [
      sets('s1', 'a'),
      aRule({ id: 's2', steps: [], when: [derived('a', true)], retracts: ['a'] }),
      aRule({ id: 'act', when: [derived('a', true)] }),
    ];
    expect(planned(rules)).toBeUndefined();
  });

  it('draws everything from the envelope at hand and keeps nothing', () => {
    const rules = [
      sets('detect', 'leak', [{ fact: 'restart_count', test: { kind: 'at_least', value: 3 } }]),
      aRule({ id: 'act', when: [derived('leak', true)] }),
    ];
    const book = createRulebook(rules);
    expect(book.decide(anEnvelope({ restartCount: 3 }), [], () => true)).toBeDefined();
    expect(book.decide(anEnvelope({ restartCount: 2 }), [], () => true)).toBeUndefined();
  });
});
