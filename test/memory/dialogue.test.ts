import { describe, expect, it } from 'vitest';
import { countingIds } from '../../src/core/id.ts';
import type { JournalFact } from '../../src/core/journal.ts';
import { createDialogue } from '../../src/memory/dialogue.ts';
import { aMemory, incidentDrafts } from './support.ts';

const SECRET = 'http://u:hunter2@h/';

/** The record of a dialogue over a memory that holds one incident. */
function aDialogue() {
  const bench = aMemory();
  bench.live(incidentDrafts({ id: 'inc-a' }));
  const facts: JournalFact[] = [];
  const dialogue = createDialogue({
    ...{ reads: bench.reads, clock: bench.clock, ids: countingIds(), channels: ['news'] },
    append: (drafts) => {
      facts.push(...drafts.map(({ fact }) => fact));
      return bench.live(drafts);
    },
  });
  const begin = (question = 'why did news fail?') => {
    const answer = dialogue.begin({ question, session: 'night', who: 'ann' });
    return (answer as { more: { turn: string; recalled: readonly { id: string }[] } }).more;
  };
  const ended = (turn: string, with_: object = {}) => ({
    ...{ turn, text: 'It was refused.', cites: [], model: undefined, ok: true },
    ...with_,
  });
  const of = <T extends JournalFact['type']>(type: T) =>
    facts.filter((fact): fact is Extract<JournalFact, { type: T }> => fact.type === type);
  return { dialogue, begin, ended, of, facts };
}

describe('a question that is recorded', () => {
  it('is named by its turn, and brings what is recalled for it', () => {
    const { begin, of } = aDialogue();
    const { turn, recalled } = begin('what of inc-a?');
    expect(of('question.asked')).toMatchObject([{ turn, who: 'ann', text: 'what of inc-a?', session: 'night' }]);
    expect(recalled.map(({ id }) => id)).toContain('inc-a');
  });

  it('is refused while the memory is off, and nothing is written', () => {
    const { clock } = aMemory();
    const append = () => expect.unreachable('nothing is to be written');
    const dialogue = createDialogue({ reads: undefined, append, clock, ids: countingIds(), channels: [] });
    const off = { ok: false, because: 'the memory of this daemon is off: nothing is recorded' };
    expect(dialogue.begin({ question: 'why?', session: undefined, who: 'ann' })).toEqual(off);
  });
});

describe('the end of a turn', () => {
  it('writes the answer down with those of its ids that exist', () => {
    const { dialogue, begin, ended, of } = aDialogue();
    const { turn } = begin();
    const cites = ['inc-a', 'inc-invented', 'channel:news'];
    expect(dialogue.end(ended(turn, { cites, model: 'small' }), [], undefined)).toEqual({ ok: true, said: turn });
    expect(of('question.answered')).toMatchObject([
      { turn, text: 'It was refused.', cites: ['inc-a', 'channel:news'], model: 'small' },
    ]);
  });

  it('is taken once, and of a question that was asked', () => {
    const { dialogue, begin, ended, of } = aDialogue();
    const { turn } = begin();
    dialogue.end(ended(turn), [], undefined);
    for (const id of [turn, 'trn-unknown'])
      expect(dialogue.end(ended(id), [], undefined)).toEqual({ ok: false, because: `no question ${id} is open` });
    expect(of('question.answered')).toHaveLength(1);
  });

  it('can be of any of the last 64 questions, and of no older one', () => {
    const { dialogue, begin, ended } = aDialogue();
    const turns = Array.from({ length: 65 }, (_, index) => begin(`question ${index}`).turn);
    expect(dialogue.end(ended(turns[0]!), [], undefined).ok).toBe(false);
    for (const turn of turns.slice(1)) expect(dialogue.end(ended(turn), [], undefined).ok).toBe(true);
  });

  it('keeps what left the short memory, of its conversation and without secrets', () => {
    const { dialogue, begin, ended, of, facts } = aDialogue();
    const { turn } = begin();
    const evicted = [
      { turn: 'trn-1', question: `is ${SECRET} up?`, answer: `${SECRET} is down.` },
      { turn: 'trn-2', question: 'and now?', answer: 'Up.' },
    ];
    dialogue.end(ended(turn), evicted, 'night');
    expect(of('dialogue.distilled')).toMatchObject([
      { turn: 'trn-1', session: 'night', text: expect.stringContaining('is down.') },
      { turn: 'trn-2', session: 'night', text: expect.stringContaining('asked: and now?') },
    ]);
    expect(JSON.stringify(facts)).not.toContain('hunter2');
  });

  it('of a turn that failed says so in its report', () => {
    const { dialogue, begin, ended, of } = aDialogue();
    const { turn } = begin();
    dialogue.end(ended(turn, { ok: false, text: '' }), [], undefined);
    expect(of('task.reported').at(-1)).toMatchObject({ ok: false, summary: 'no answer' });
  });
});
