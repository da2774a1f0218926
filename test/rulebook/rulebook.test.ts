import { describe, expect, it } from 'vitest';
import { type FailureClass, FAILURE_CLASSES } from '../../src/core/classification.ts';
import { createRulebook } from '../../src/rulebook/rulebook.ts';
import { aCrash, aRule, decide } from './support.ts';

describe('which rule answers', () => {
  it('is the one of the classification; none, where none is for it', () => {
    expect(decide([aRule()])).toMatchObject({ kind: 'act', by: { kind: 'rule', rule: 'r' } });
    expect(decide([aRule({ classification: 'output_stalled' })])).toBeUndefined();
    expect(decide([aRule()], aCrash({ failureClassification: undefined }))).toBeUndefined();
  });

  it('is the highest priority that fits, and between equals the first by name, in whatever order they are read', () => {
    const rules = [
      aRule({ id: 'low', priority: 1 }),
      aRule({ id: 'b' }),
      aRule({ id: 'a' }),
      aRule({ id: 'high', priority: 200, when: [{ fact: 'restart_count', test: { kind: 'at_least', value: 5 } }] }),
    ];
    for (const order of [rules, [...rules].reverse()]) {
      expect(decide(order)).toMatchObject({ by: { rule: 'a' } });
      expect(decide(order, aCrash({ restartCount: 5 }))).toMatchObject({ by: { rule: 'high' } });
    }
  });

  it('refuses two rules of one name, and patterns that are not linear-time', () => {
    expect(() => createRulebook([aRule(), aRule()])).toThrow('two rules are called r');
    const lookahead = aRule({ when: [{ fact: 'evidence', test: { kind: 'regex', pattern: '(?=a)b' } }] });
    expect(() => createRulebook([lookahead])).toThrow('is no pattern');
  });
});

describe('the trace', () => {
  it('lists for every rule of the class what each test met', () => {
    const rules = [
      aRule({ id: 'one', when: [{ fact: 'restart_count', test: { kind: 'at_least', value: 5 } }] }),
      aRule({ id: 'two' }),
      aRule({ id: 'other', classification: 'unknown' }),
    ];
    const traces = createRulebook(rules).matchAll(aCrash());
    expect(traces.map(({ rule: id, matched }) => [id, matched])).toEqual([
      ['one', false],
      ['two', true],
    ]);
    expect(traces[0]?.facts[1]).toMatchObject({ fact: 'restart_count', test: 'at_least 5', value: '1', held: false });
  });
});

it('decides the same for the same envelope, for every classification', () => {
  const rules = FAILURE_CLASSES.map((classification: FailureClass) => aRule({ id: classification, classification }));
  for (const failureClassification of FAILURE_CLASSES) {
    const about = aCrash({ failureClassification });
    expect(decide(rules, about)).toEqual(decide([...rules].reverse(), about));
  }
});
