import { describe, expect, it } from 'vitest';
import type { Answer, Decision } from '../../src/policy_tests/answer.ts';
import { decisionFor, differences } from '../../src/policy_tests/compare.ts';
import { anAct } from '../support/a.ts';

const decision = (with_: Partial<Decision> = {}): Decision => ({
  call: 'restart_channel on channel:news',
  tool: 'restart_channel',
  verdict: 'deny',
  code: 'cooldown',
  because: 'it was used a moment ago',
  retryAfterMs: 4_000,
  trace: [],
  ...with_,
});
const answer = (with_: Partial<Answer> = {}): Answer => ({
  classification: 'process_crashed',
  plan: anAct(),
  decisions: [decision()],
  tools: [],
  outcome: { kind: 'watching', because: 'it waits' } as unknown as NonNullable<Answer['outcome']>,
  pages: [],
  failures: [],
  ...with_,
});

describe('an answer', () => {
  it('holds where everything that is expected came, and only that is compared', () => {
    expect(differences(answer(), {})).toEqual([]);
    const expected = { classification: 'process_crashed', verdict: 'deny', code: 'cooldown', page: false } as const;
    expect(differences(answer(), expected)).toEqual([]);
  });

  it('differs by each thing that is another one, with what came', () => {
    expect(differences(answer(), { classification: 'output_stalled', verdict: 'allow' })).toEqual([
      { what: 'classification', expected: 'output_stalled', got: 'process_crashed' },
      { what: 'verdict', expected: 'allow', got: 'deny' },
    ]);
  });

  it('gives times with their unit, and no unit to a time that is not there', () => {
    expect(differences(answer(), { retry_after: 5_000 })).toEqual([
      { what: 'retry_after', expected: '5000 ms', got: '4000 ms' },
    ]);
    const allowed = answer({ decisions: [decision({ verdict: 'allow', code: undefined, retryAfterMs: undefined })] });
    expect(differences(allowed, { retry_after: 5_000 })[0]!.got).toBe('none');
  });

  it('is not asked where the guard decided nothing, and has no tool, rule or reason of nothing', () => {
    const nothing = answer({ classification: undefined, plan: undefined, decisions: [], outcome: undefined });
    const got = differences(nothing, { verdict: 'allow', tool: 'restart_channel', rule: 'r', reason: 'lasting' });
    expect(got.map((one) => [one.what, one.got])).toEqual([
      ['rule', 'none'],
      ['tool', 'none'],
      ['verdict', 'not asked'],
      ['reason', 'none'],
    ]);
  });

  it('has failed where anything in Reeve did, whatever was expected', () => {
    expect(differences(answer({ failures: ['it threw'] }), {})).toEqual([
      { what: 'failure', expected: 'none', got: 'it threw' },
    ]);
  });
});

describe('the decision that is compared', () => {
  const second = decision({ tool: 'refresh_credentials', verdict: 'allow' });

  it('is the one about the tool that is named, else the first', () => {
    const both = answer({ decisions: [decision(), second] });
    expect(decisionFor(both, {})).toBe(both.decisions[0]);
    expect(decisionFor(both, { tool: 'refresh_credentials' })).toBe(second);
    expect(decisionFor(both, { tool: 'rebuild_playout' })).toBeUndefined();
  });
});
