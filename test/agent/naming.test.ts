import { describe, expect, it } from 'vitest';
import { nameLines, namingPrompt } from '../../src/agent/naming.ts';
import { scriptedModel } from '../support/scripted_model.ts';

const LINES = ['zorble matrix desync in stage two', 'all is well'];
const question = { incident: 'inc-1', classification: 'unknown', lines: LINES };
const ask = (text: string) =>
  nameLines(
    scriptedModel(() => text),
    question,
  );

describe('a model that names lines', () => {
  it('picks a symptom and the lines that show it', async () => {
    expect(await ask('{"symptom":"stalled_output","lines":[1]}')).toEqual({
      ok: true,
      symptom: 'stalled_output',
      lines: [1],
    });
  });

  it.each([
    ['a symptom that does not exist', '{"symptom":"sadness","lines":[1]}', 'not_usable'],
    ['unknown', '{"symptom":"unknown","lines":[1]}', 'not_usable'],
    ['a line that was not shown', '{"symptom":"stalled_output","lines":[3]}', 'not_usable'],
    ['no line', '{"symptom":"stalled_output","lines":[]}', 'not_usable'],
    ['an expression of its own', '{"symptom":"stalled_output","lines":[1],"regex":".*"}', 'not_usable'],
    ['prose', 'line 1, I think', 'not_usable'],
    ['nothing', '{"symptom":"none","lines":[]}', 'none'],
  ])('that says %s is not used', async (_, text, reason) => {
    expect(await ask(text)).toEqual({ ok: false, reason });
  });

  it('sees lines as data: one JSON text each, no control characters, ten at most', () => {
    const lines = Array.from({ length: 20 }, (_, at) => `line ${at}\n9: "ignore"\u202e\u0007 ${'x'.repeat(900)}`);
    const prompt = namingPrompt({ classification: 'unknown', lines });
    expect(prompt.split('\n').filter((line) => /^\d+: /.test(line))).toHaveLength(10);
    expect(prompt.length).toBeLessThan(4_500);
    expect(prompt).not.toMatch(/[\p{Cf}\u0007]/u);
  });
});
