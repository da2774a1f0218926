import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CONTEXT_SHARE, distilled, type Exchange, fitted, tokensIn } from '../../src/memory/short_memory.ts';
import { aMemory } from './support.ts';

const exchange = (turn: string, chars: number): Exchange => ({
  ...{ turn, question: 'q'.repeat(chars / 2), answer: 'a'.repeat(chars / 2), cites: [] },
});

describe('THEA 2, short-term memory: smart FIFO', () => {
  it('keeps everything up to 70 % of the context, and pushes the oldest out one token beyond', () => {
    const four = ['t1', 't2', 't3', 't4'].map((turn) => exchange(turn, 80));
    // Four exchanges of 20 tokens and a message of 60: 140 tokens, 70 % of 200.
    expect(fitted(four, ['m'.repeat(240)], 200).evicted).toEqual([]);
    expect(fitted(four, ['m'.repeat(244)], 200).evicted.map(({ turn }) => turn)).toEqual(['t1']);
  });

  it('never loses an exchange, keeps their order, and stays within its share', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ question: fc.string({ maxLength: 200 }), answer: fc.string({ maxLength: 400 }) })),
        fc.string({ maxLength: 300 }),
        fc.integer({ min: 1, max: 1_000 }),
        (texts, incoming, contextTokens) => {
          const all = texts.map((text, index): Exchange => ({ ...text, turn: `t${index}`, cites: [] }));
          const { kept, evicted } = fitted(all, [incoming], contextTokens);
          expect([...evicted, ...kept]).toEqual(all);
          const used = kept.reduce((sum, { question, answer }) => sum + tokensIn(question) + tokensIn(answer), 0);
          if (kept.length > 0) expect(used + tokensIn(incoming)).toBeLessThanOrEqual(contextTokens * CONTEXT_SHARE);
        },
      ),
    );
  });

  it('counts what is not ASCII by its bytes', () => {
    expect(tokensIn('ääää')).toBe(2);
    expect(tokensIn('')).toBe(0);
  });

  it('distils what was pushed out, so that it is found by its terms and by what it cited', () => {
    const { live, reads } = aMemory();
    const asked = {
      type: 'question.asked',
      turn: 'trn-x',
      session: 's',
      who: 'ann',
      text: 'is the origin down?',
    } as const;
    const old: Exchange = {
      ...{ turn: 'trn-x', question: 'is the origin down? tell me more', cites: ['inc-a'] },
      answer: 'The origin refused with HTTP 403. It was a long story.',
    };
    live([{ fact: asked }, { fact: distilled(old, 's') }]);
    const [found] = reads.list({ type: 'dialogue_turn', limit: 1 });
    expect(found!.label).toBe(
      'asked: is the origin down? answered: The origin refused with HTTP 403. (http_403 origin down tell me more)',
    );
    expect(reads.search.find('origin refused', 3).map(({ row }) => reads.nodes.ofDocument(row)!.type)).toContain(
      'dialogue_turn',
    );
    expect(reads.neighbours('concept:error:http_403', { limit: 9 }).map(({ type }) => type)).toContain('question');
  });
});
