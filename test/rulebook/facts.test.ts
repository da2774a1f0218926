import { describe, expect, it } from 'vitest';
import { RULE_FACTS } from '../../src/config/rule_document.ts';
import { FACT_NAMES, situationOf } from '../../src/rulebook/facts.ts';
import { aCrash } from './support.ts';

describe('the facts of an envelope', () => {
  it('have a reader for every name that a rule file may use', () => {
    expect(RULE_FACTS.map(({ name }) => name).filter((name) => !FACT_NAMES.includes(name))).toEqual([]);
  });

  it('are empty where the envelope does not know the value, and where no fact has the name', () => {
    const { valuesOf } = situationOf(aCrash({ poolPressure: undefined }));
    expect([valuesOf('pool_pressure'), valuesOf('no_such_fact'), valuesOf('toString')]).toEqual([[], [], []]);
    expect(situationOf(aCrash({ poolPressure: 0 })).valuesOf('pool_pressure')).toEqual([0]);
  });

  it('are derived only under `derived.`, and only those that a rule has set', () => {
    const { valuesOf } = situationOf(aCrash(), new Map([['leak', false]]));
    expect([valuesOf('derived.leak'), valuesOf('leak'), valuesOf('derived.other')]).toEqual([[false], [], []]);
  });
});
