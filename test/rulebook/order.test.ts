import { fc, it as property } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import type { Plan } from '../../src/core/plan.ts';
import type { Rule, RuleFact } from '../../src/core/rule.ts';
import type { Attempt, ToolName } from '../../src/core/tool.ts';
import { rankScore, type Standing, type StandingOf, trackRecord } from '../../src/rulebook/rank.ts';
import { createRulebook } from '../../src/rulebook/rulebook.ts';
import { anEnvelope } from '../support/a.ts';
import { aRule, anAttempt, call } from './support.ts';

const standing = (with_: Partial<Standing>): Standing => ({
  successes: 0,
  failures: 0,
  onTrial: false,
  retired: false,
  ...with_,
});
const evidence = (text: string) => [{ id: 'e1', at: 0, origin: 'log', source: 's', text }] as const;
const whatOf = (plan: Plan | undefined) => (plan?.kind === 'act' ? plan.call.tool : plan?.kind);
const ruleOf = (plan: Plan | undefined) => (plan?.by.kind === 'rule' ? plan.by.rule : undefined);

interface Asking {
  readonly attempts?: readonly Attempt[];
  readonly about?: ReturnType<typeof anEnvelope>;
  readonly allowed?: (tool: ToolName) => boolean | string;
  readonly standingOf?: StandingOf;
}
const answer = (rules: readonly Rule[], asking: Asking = {}) => {
  const { attempts = [], about = anEnvelope(), allowed = () => true, standingOf } = asking;
  return createRulebook(rules, standingOf).answer?.(about, attempts, allowed);
};
const decide = (rules: readonly Rule[], asking?: Asking) => answer(rules, asking)?.plan;

describe('Theow 5, the next matching rule', () => {
  const first = aRule({ id: 'a', priority: 200 });
  const second = aRule({ id: 'b', steps: [call('restart_channel'), call('rebuild_playout'), { kind: 'escalate' }] });

  it('is tried when the calls of the first did not cure', () => {
    expect(ruleOf(decide([first, second]))).toBe('a');
    const plan = decide([first, second], { attempts: [anAttempt('restart_channel', false)] });
    expect([ruleOf(plan), whatOf(plan)]).toEqual(['b', 'rebuild_playout']);
  });

  it('repeats nothing that was tried in this run', () => {
    const same = aRule({ id: 'b' });
    const plan = decide([first, same], { attempts: [anAttempt('restart_channel', false)] });
    expect([ruleOf(plan), whatOf(plan)]).toEqual(['a', 'escalate']);
  });

  it('is tried when no call of the first can be made', () => {
    const allowed = (tool: ToolName) => (tool === 'restart_channel' ? 'phase' : true);
    expect(whatOf(decide([first, second], { allowed }))).toBe('rebuild_playout');
  });

  it('is not tried where the first says to wait, to stop, or to call a person at once', () => {
    for (const steps of [[{ kind: 'wait', escalateAfterMs: 1 }], [{ kind: 'stop' }], [{ kind: 'escalate' }]] as const) {
      const plan = decide([aRule({ id: 'a', priority: 200, steps }), second]);
      expect([ruleOf(plan), whatOf(plan)]).toEqual(['a', steps[0].kind]);
    }
  });

  it('takes the first when no other has a call', () => {
    const waiting = aRule({ id: 'b', steps: [{ kind: 'wait', escalateAfterMs: 1 }] });
    const plan = decide([first, waiting], { attempts: [anAttempt('restart_channel', false)] });
    expect([ruleOf(plan), whatOf(plan)]).toEqual(['a', 'escalate']);
  });
});

describe('a step that asks the planner', () => {
  const rule = aRule({ id: 'p', steps: [call('invalidate_cache'), { kind: 'plan' }, call('restart_channel')] });

  it('states what is done without one', () => {
    expect(answer([rule])).toMatchObject({ planner: undefined });
    const after = answer([rule], { attempts: [anAttempt('invalidate_cache', true)] });
    expect(after).toMatchObject({ planner: 'asked', rule: 'p', plan: { call: { tool: 'restart_channel' } } });
  });

  it('is taken once, whatever the planner chose', () => {
    const attempts = [anAttempt('invalidate_cache', true), anAttempt('get_channel_health')];
    expect(answer([rule], { attempts })).toMatchObject({ planner: undefined, plan: { kind: 'act' } });
  });

  it('carries how a model is to be asked, where the rule says', () => {
    const llmConfig = { prompt: 'Look.', tools: [], toolCallsMax: 3, tokensMax: 100, useSecondary: false };
    const asking = aRule({ steps: [{ kind: 'plan' }, { kind: 'escalate' }], llmConfig });
    expect(answer([asking])).toMatchObject({ planner: 'asked', modelUse: llmConfig, plan: { kind: 'escalate' } });
  });

  it('is another thing than rules whose calls are spent', () => {
    expect(answer([aRule()], { attempts: [anAttempt('restart_channel', false)] })?.planner).toBe('spent');
    expect(answer([aRule({ steps: [{ kind: 'escalate' }] })])?.planner).toBeUndefined();
  });
});

describe('Theow 7, ranking', () => {
  const about = anEnvelope({ evidence: evidence('decoder error while decoding the first frame') });
  const near = aRule({ id: 'z_near', description: 'The decoder fails', examples: ['error while decoding frame'] });
  const far = aRule({ id: 'a_far', description: 'The disk is full', examples: ['no space left on device'] });

  it('puts the rule first whose description and examples are most like what was seen', () => {
    expect(ruleOf(decide([far, near], { about }))).toBe('z_near');
  });

  it("leaves the operator's priority above likeness", () => {
    expect(ruleOf(decide([{ ...far, priority: 101 }, near], { about }))).toBe('a_far');
  });

  it('weighs likeness by the record', () => {
    const also = aRule({ ...near, id: 'y_also', steps: near.then });
    expect(ruleOf(decide([near, also], { about }))).toBe('y_also');
    const standingOf = (id: string) => (id === 'y_also' ? standing({ failures: 9 }) : standing({ successes: 9 }));
    expect(ruleOf(decide([near, also], { about, standingOf }))).toBe('z_near');
  });

  it('tries what is established before what is on trial, and never what is out of use', () => {
    const onTrial: StandingOf = (id) => (id === 'z_near' ? standing({ onTrial: true }) : undefined);
    expect(ruleOf(decide([far, near], { about, standingOf: onTrial }))).toBe('a_far');
    const retired: StandingOf = (id) => (id === 'z_near' ? standing({ retired: true }) : undefined);
    expect(ruleOf(decide([near], { about, standingOf: retired }))).toBeUndefined();
  });

  property.prop([fc.float({ min: 0, max: 1, noNaN: true }), fc.nat(50), fc.nat(50)])(
    'grows with likeness and with each cure, falls with each failure, and stays between 0 and 1',
    (likeness, successes, failures) => {
      const score = rankScore(likeness, { successes, failures });
      expect(score).toBeGreaterThanOrEqual(0);
      expect(score).toBeLessThanOrEqual(1);
      expect(rankScore(likeness, { successes: successes + 1, failures })).toBeGreaterThanOrEqual(score);
      expect(rankScore(likeness, { successes, failures: failures + 1 })).toBeLessThanOrEqual(score);
    },
  );

  it('takes a rule without a record for one that cures every second time', () => {
    expect(trackRecord(undefined)).toBe(0.5);
    expect(trackRecord({ successes: 3, failures: 0 })).toBe(0.8);
  });
});

describe('Theow 11, forward chaining', () => {
  const derived = (name: string, value: boolean): RuleFact => ({
    fact: `derived.${name}`,
    test: { kind: 'equals', value },
  });
  const sets = (id: string, name: string, when: readonly RuleFact[] = []) =>
    aRule({ id, steps: [], when, sets: [{ name, value: true }] });

  it('lets a rule that detects supply facts to a rule that acts', () => {
    const acting = aRule({ id: 'act', when: [derived('leak', true)] });
    expect(decide([acting])).toBeUndefined();
    expect(ruleOf(decide([acting, sets('detect', 'leak')]))).toBe('act');
  });

  it('goes three rules deep and no further', () => {
    const chain = [sets('s1', 'a'), sets('s2', 'b', [derived('a', true)]), sets('s3', 'c', [derived('b', true)])];
    const fourth = sets('s4', 'd', [derived('c', true)]);
    const on = (name: string) => aRule({ id: 'act', when: [derived(name, true)] });
    expect(ruleOf(decide([...chain, on('c')]))).toBe('act');
    expect(decide([...chain, fourth, on('d')])).toBeUndefined();
  });

  it('ends where rules set and retract in a circle', () => {
    const rules = [
      sets('s1', 'a'),
      aRule({ id: 's2', steps: [], when: [derived('a', true)], retracts: ['a'] }),
      aRule({ id: 'act', when: [derived('a', true)] }),
    ];
    expect(decide(rules)).toBeUndefined();
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
