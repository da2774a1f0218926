import { fc, it as prop } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { answerSchema, BECAUSE_CODES, readAnswer } from '../../src/agent/answer.ts';
import { isEnd, numbered } from '../../src/agent/choices.ts';

const choices = numbered([{ tool: 'restart_channel', target: 'channel:news', needsApproval: false }]);
const question = { choices, evidenceIds: ['s1', 'e1'] };
const sound = { choice: 0, evidence_ids: ['e1'], because_code: 'evidence_fits_tool' };
const read = (value: unknown) => readAnswer(typeof value === 'string' ? value : JSON.stringify(value), question);

describe('an answer', () => {
  it('is a choice, the evidence for it and a code', () => {
    expect(read(sound)).toEqual({
      ok: true,
      choice: choices[0],
      evidenceIds: ['e1'],
      becauseCode: 'evidence_fits_tool',
    });
  });

  it('may end the run without evidence', () => {
    expect(read({ ...sound, choice: 3, evidence_ids: [] })).toMatchObject({ ok: true, choice: { tool: 'escalate' } });
  });

  it.each<[string, unknown, string]>([
    ['prose', 'I think you should restart it', 'not_json'],
    ['nothing', '', 'not_json'],
    ['JSON in a fence', `\`\`\`json\n${JSON.stringify(sound)}\n\`\`\``, 'not_json'],
    ['JSON with words before it', `Sure! ${JSON.stringify(sound)}`, 'not_json'],
    ['two answers', `${JSON.stringify(sound)}${JSON.stringify(sound)}`, 'not_json'],
    ['a list', [sound], 'wrong_shape'],
    ['null', null, 'wrong_shape'],
    ['a choice as text', { ...sound, choice: '0' }, 'wrong_shape'],
    ['a choice between two', { ...sound, choice: 0.5 }, 'wrong_shape'],
    ['a negative choice', { ...sound, choice: -1 }, 'wrong_shape'],
    ['a command beside the choice', { ...sound, command: 'rm -rf /' }, 'wrong_shape'],
    ['a reason in its own words', { ...sound, because_code: 'because I say so' }, 'wrong_shape'],
    ['no evidence list', { choice: 0, because_code: 'too_risky' }, 'wrong_shape'],
    ['evidence that is no id', { ...sound, evidence_ids: ['the log says so'] }, 'wrong_shape'],
    ['a choice that was not offered', { ...sound, choice: 7 }, 'unknown_choice'],
    ['evidence that was not shown', { ...sound, evidence_ids: ['e1', 'e9'] }, 'forged_evidence'],
    ['a call without evidence', { ...sound, evidence_ids: [] }, 'no_evidence'],
    ['a book', JSON.stringify({ ...sound, pad: 'x'.repeat(3_000) }), 'too_long'],
  ])('that is %s is rejected', (_, value, reason) => {
    expect(read(value)).toEqual({ ok: false, reason });
  });

  prop.prop([fc.string({ maxLength: 300, unit: 'binary' })])('of random text is never taken', (text) => {
    expect(readAnswer(text, question).ok).toBe(false);
  });

  prop.prop([fc.json()])('of random JSON is never taken as a call', (text) => {
    const answer = readAnswer(text, question);
    expect(answer.ok && !isEnd(answer.choice.tool)).toBe(false);
  });

  prop.prop([
    fc.record({
      choice: fc.integer({ min: -2, max: 12 }),
      evidence_ids: fc.array(fc.constantFrom('s1', 'e1', 'e2', 'x'), { maxLength: 4 }),
      because_code: fc.constantFrom(...BECAUSE_CODES, 'root'),
    }),
  ])('is only ever one of the offered choices on evidence that was shown', (value) => {
    const answer = read(value);
    if (!answer.ok) return;
    expect(choices).toContain(answer.choice);
    for (const id of answer.evidenceIds) expect(question.evidenceIds).toContain(id);
  });

  it('has a schema that allows what is taken and names nothing else', () => {
    expect(answerSchema(choices, ['s1', 'e1'])).toMatchObject({
      additionalProperties: false,
      properties: { choice: { enum: [0, 1, 2, 3] }, evidence_ids: { items: { enum: ['s1', 'e1'] } } },
    });
  });
});
