import { describe, expect, it } from 'vitest';
import type { JournalEntry, JournalFact } from '../../src/core/journal.ts';
import { answerOf } from '../../src/policy_tests/answer.ts';
import { anAct, anEnvelope, permitTerms } from '../support/a.ts';

const read = (...facts: readonly object[]) =>
  answerOf(
    facts.map((fact) => ({ fact: fact as JournalFact }) as JournalEntry),
    {
      classification: undefined,
      failures: [],
    },
  );
const decided = (call: string, decision: object) => ({
  type: 'guard.decided',
  call,
  decision: { trace: [], ...decision },
});

describe('what Reeve answered', () => {
  it('is the first plan and the first outcome, and every decision and tool', () => {
    const first = anAct();
    const answer = read(
      { type: 'plan.made', plan: first },
      decided('restart_channel on channel:news', { verdict: 'allow' }),
      { type: 'tool.started', permit: permitTerms() },
      { type: 'run.ended', outcome: { kind: 'watching', because: 'a' } },
      { type: 'plan.made', plan: anAct({ tool: 'rebuild_playout' }) },
      decided('rebuild_playout on channel:news', {
        verdict: 'deny',
        code: 'phase',
        because: 'too low',
        retryAfterMs: 7,
      }),
      { type: 'run.ended', outcome: { kind: 'resolved', because: 'b' } },
    );
    expect(answer.plan).toBe(first);
    expect(answer.outcome?.kind).toBe('watching');
    expect(answer.tools).toEqual(['restart_channel']);
    expect(answer.decisions).toMatchObject([
      { tool: 'restart_channel', verdict: 'allow', code: undefined, because: 'every question passes' },
      { tool: 'rebuild_playout', verdict: 'deny', code: 'phase', because: 'too low', retryAfterMs: 7 },
    ]);
  });

  it('is about the classification that was given, else that of the first envelope', () => {
    const taken = [
      { type: 'envelope.taken', envelope: anEnvelope({ failureClassification: 'output_stalled' }) },
      { type: 'envelope.taken', envelope: anEnvelope({ failureClassification: 'process_crashed' }) },
    ];
    expect(read(...taken).classification).toBe('output_stalled');
    const entries = taken.map((fact) => ({ fact }) as unknown as JournalEntry);
    expect(answerOf(entries, { classification: 'unknown', failures: [] }).classification).toBe('unknown');
  });

  it('has no tool where a call names none that exists', () => {
    expect(read(decided('format_disk on channel:news', { verdict: 'allow' })).decisions[0]!.tool).toBeUndefined();
  });

  it('is nothing where nothing was written', () => {
    expect(read()).toMatchObject({ plan: undefined, outcome: undefined, decisions: [], tools: [], pages: [] });
  });
});
