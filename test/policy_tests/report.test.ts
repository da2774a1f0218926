import { describe, expect, it } from 'vitest';
import type { Answer, Decision } from '../../src/policy_tests/answer.ts';
import { answerToWire } from '../../src/policy_tests/report.ts';
import type { CaseResult } from '../../src/policy_tests/run.ts';
import { anAct } from '../support/a.ts';

const check = { id: 9, question: 'is it cooled down?', value: '4 s', threshold: '60 s', verdict: 'fail' } as const;
const decision = (with_: Partial<Decision> = {}): Decision => ({
  ...{ call: 'restart_channel on channel:news', tool: 'restart_channel', verdict: 'deny', code: 'cooldown' },
  ...{ because: 'it was used a moment ago', retryAfterMs: 4_000, trace: [] },
  ...with_,
});
const answer = (with_: Partial<Answer> = {}): Answer => ({
  ...{ classification: 'process_crashed', plan: anAct(), decisions: [decision()], tools: [], outcome: undefined },
  ...{ pages: [], failures: [] },
  ...with_,
});
const reported = (given: Answer | undefined, expected: CaseResult['expected'] = { page: false }) =>
  answerToWire({
    ...{ file: 'a.yaml', line: 3, name: 'a case', persona: 'lab', ok: false, differences: [], expected },
    answer: given,
  });

describe('the report of a case', () => {
  it('that could not be run has its place and no answer', () => {
    expect(reported(undefined)).toEqual({
      ...{ file: 'a.yaml', line: 3, name: 'a case', persona: 'lab', ok: false, differences: [], answer: undefined },
    });
  });

  it('says in short what was planned, by whom and why', () => {
    expect(reported(answer()).answer?.plan).toBe('act by rule test: a test asks for it');
    expect(reported(answer({ plan: undefined })).answer?.plan).toBeUndefined();
  });

  it('has the outcome with its reason, the reason of an escalation, and each page', () => {
    const outcome = { kind: 'escalated', reason: 'no_plan', because: 'no rule fits', denial: undefined } as const;
    const pages = [{ reason: 'no_plan', summary: 'news is down' }] as unknown as Answer['pages'];
    expect(reported(answer({ outcome, pages })).answer).toMatchObject({
      ...{ outcome: 'escalated (no_plan): no rule fits', pages: ['no_plan: news is down'] },
    });
    const resolved = { kind: 'resolved', score: 1, because: 'cured' } as const;
    expect(reported(answer({ outcome: resolved })).answer?.outcome).toBe('resolved: cured');
  });
});

describe('the decision that is reported', () => {
  it('is the one that was expected, else the first, with every check of the guard', () => {
    const other = decision({
      tool: 'rebuild_playout',
      call: 'rebuild_playout on channel:news',
      trace: [check as never],
    });
    const both = answer({ decisions: [decision(), other] });
    expect(reported(both, { tool: 'rebuild_playout' }).answer?.decision).toMatchObject({
      ...{ call: 'rebuild_playout on channel:news', checks: [check] },
    });
    expect(reported(both, { tool: 'invalidate_cache' }).answer?.decision?.call).toBe('restart_channel on channel:news');
  });

  it('is none where the guard was not asked', () => {
    expect(reported(answer({ decisions: [] })).answer?.decision).toBeUndefined();
  });
});
