import { describe, expect, it } from 'vitest';
import { questionLine, questionTable, type WireQuestion } from '../../src/cli/questions_text.ts';

const QUESTION: WireQuestion = {
  ...{ id: 'apr-1', what: 'restart_channel on channel:news', incident: 'inc-1', classification: 'output_stalled' },
  ...{ yes_needed: 1, yes_by: [], expires_in_ms: 300_000, refused: null },
};
const REFUSED = { ...QUESTION, refused: { code: 'persona_denies', because: 'persona live does not allow it' } };
const WHY = 'the guard would refuse it now: persona live does not allow it (persona_denies)';

describe('a question', () => {
  it('without a classification is a row as any', () => {
    const [, row] = questionTable([{ ...QUESTION, classification: null }]).split('\n');
    expect(row).toMatch(/^apr-1 +restart_channel on channel:news +- +inc-1 +0 of 1 +5 m 0 s$/);
  });

  it('that would be refused says so below the table and in the status; a yes may be of use when that has passed', () => {
    const [, , refused, how] = questionTable([REFUSED]).split('\n');
    expect([refused, how]).toEqual([`apr-1: ${WHY}`, expect.stringMatching(/^answer with reeve approve ID/)]);
    expect(questionLine(REFUSED)).toBe(
      `waits for a yes: restart_channel on channel:news — reeve approve apr-1; ${WHY}`,
    );
  });

  it('of which nothing speaks against a yes tells how to give it', () => {
    const { refused: _, ...ofOlder } = QUESTION;
    for (const one of [QUESTION, ofOlder])
      expect(questionLine(one)).toBe('waits for a yes: restart_channel on channel:news — reeve approve apr-1');
  });
});
