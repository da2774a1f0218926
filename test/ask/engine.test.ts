import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { Ask, SYSTEM_TEXT } from '../../src/ask/engine.ts';
import { newSession } from '../../src/ask/message.ts';
import { redact } from '../../src/collect/redact.ts';
import { aResult, aStamp, Scripted } from './support.ts';

const anAsk = (reasoner: Scripted) => new Ask(reasoner, { stamp: aStamp(), redact });

describe('Semantics: a turn', () => {
  it('asks the reasoner exactly once, with tools and streaming or without', async () => {
    const reasoner = new Scripted('News was down [inc-81].');
    const ask = anAsk(reasoner);
    await ask.execute('why?');
    await ask.execute('why?', { toolResults: [aResult('inc-81', 'down'), aResult('inc-82', 'down')] });
    await ask.execute('why?', { onChunk: () => undefined });
    expect(reasoner.asked).toHaveLength(3);
  });

  it('sends system, tool results, session, question: in this order', async () => {
    const reasoner = new Scripted('It was [inc-81].');
    const ask = anAsk(reasoner);
    const session = newSession(aStamp());
    await ask.execute('first', { session });
    await ask.execute('second', { session, toolResults: [aResult('inc-81', 'one'), aResult('inc-82', 'two')] });
    const sent = reasoner.asked[1]!.map(({ role, content }) => [role, content.split('\n').at(-1)]);
    expect(sent).toEqual([
      ['system', SYSTEM_TEXT.split('\n').at(-1)],
      ['user', '[inc-81] one'],
      ['user', '[inc-82] two'],
      ['user', 'first'],
      ['assistant', 'It was (no such id). [uncited]'],
      ['user', 'second'],
    ]);
  });

  it('remembers nothing between two turns without a session', async () => {
    const reasoner = new Scripted('Yes?');
    const ask = anAsk(reasoner);
    await ask.execute('first');
    await ask.execute('second');
    expect(reasoner.asked[1]!.map(({ content }) => content)).toEqual([SYSTEM_TEXT, 'second']);
  });

  it('leaves the session as it was when the reasoner fails', async () => {
    const session = newSession(aStamp());
    const failing = anAsk(new Scripted(new Error('gone'))).execute('hello', { session });
    await expect(failing).rejects.toThrow('gone');
    expect(session.messages).toEqual([]);
  });

  it('streams a backend that cannot stream as one answer, sentence by sentence', async () => {
    const chunks: string[] = [];
    const ask = anAsk(new Scripted('One [inc-1]. Two?'));
    const { response } = await ask.execute('x', { known: ['inc-1'], onChunk: (text) => chunks.push(text) });
    expect(chunks).toEqual(['One [inc-1]. ', 'Two?']);
    expect(response.content).toBe(chunks.join(''));
  });

  it('sends and keeps no secret of a question', async () => {
    const reasoner = new Scripted('No?');
    const session = newSession(aStamp());
    await anAsk(reasoner).execute('is token=sk-abcdefghijklmnop1234 good?', { session });
    expect(JSON.stringify([reasoner.asked, session])).not.toContain('abcdefghijklmnop');
  });

  test.prop([fc.array(fc.tuple(fc.string(), fc.string(), fc.boolean()), { maxLength: 8 })])(
    'a session only grows, by a question and an answer, and holds no system text and no tool result',
    async (turns) => {
      const reasoner = new Scripted('');
      const ask = anAsk(reasoner);
      const session = newSession(aStamp());
      for (const [question, answer, withTool] of turns) {
        const before = [...session.messages];
        reasoner.says = answer;
        const toolResults = withTool ? [aResult('inc-81', 'FROM-THE-TOOL')] : [];
        await ask.execute(question, { session, toolResults });
        expect(session.messages.slice(0, -2)).toEqual(before);
        expect(session.messages.slice(-2).map(({ role }) => role)).toEqual(['user', 'assistant']);
      }
      expect(session.messages.some(({ role }) => role === 'system')).toBe(false);
      expect(JSON.stringify(session)).not.toContain('FROM-THE-TOOL');
      expect(reasoner.asked).toHaveLength(turns.length);
    },
  );
});
