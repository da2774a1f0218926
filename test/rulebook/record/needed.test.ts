import { describe, expect, it } from 'vitest';
import type { JournalFact } from '../../../src/core/journal.ts';
import { type Needed, neededProjection, ratioByWeek } from '../../../src/rulebook/record/needed.ts';

const WEEK_MS = 7 * 86_400_000;
const because = 'b';
const plan = (kind: 'rule' | 'model'): JournalFact => ({
  type: 'plan.made',
  plan: { kind: 'stop', because, by: kind === 'rule' ? { kind, rule: 'r' } : { kind, model: 'm' } },
});
const CLOSED: JournalFact = { type: 'incident.closed', ending: 'resolved', because, openMs: 1 };

function folded(facts: readonly (readonly [week: number, incident: string, fact: JournalFact])[]): Needed {
  return facts.reduce<Needed>(
    (state, [week, incident, fact], seq) =>
      neededProjection.apply(state, { seq, at: week * WEEK_MS, monoMs: 0, boot: 'b', incident, fact }),
    neededProjection.initial,
  );
}

describe('Theow 1, the share of troubles that needed a model', () => {
  it('is reported week by week, of the incidents that a plan was made for', () => {
    const state = folded([
      [10, 'a', plan('model')],
      [10, 'a', CLOSED],
      [10, 'b', plan('rule')],
      [10, 'b', CLOSED],
      [10, 'c', CLOSED],
      [11, 'd', plan('rule')],
      [11, 'd', CLOSED],
    ]);
    expect(ratioByWeek(state)).toEqual([
      { week: 10, incidents: 2, llmNeededRatio: 0.5 },
      { week: 11, incidents: 1, llmNeededRatio: 0 },
    ]);
  });

  it('counts an incident in which a model was asked even where a rule answered in the end', () => {
    const state = folded([
      [1, 'a', plan('model')],
      [1, 'a', plan('rule')],
      [1, 'a', CLOSED],
    ]);
    expect(ratioByWeek(state)[0]?.llmNeededRatio).toBe(1);
  });

  it('goes on in the newest week when the wall clock goes back', () => {
    const story = (week: number, id: string) =>
      [
        [week, id, plan('rule')],
        [week, id, CLOSED],
      ] as const;
    expect(ratioByWeek(folded([...story(5, 'a'), ...story(3, 'b')]))).toMatchObject([{ week: 5, incidents: 2 }]);
  });

  it('keeps what models cost, and how often they were asked to explore', () => {
    const call = { type: 'model.called', model: 'm', failure: undefined, promptTokens: 1, replyTokens: 1 } as const;
    const explore: JournalFact = { ...call, purpose: 'explore', costMicros: 7, tookMs: 1 };
    expect(folded([[1, 'a', explore]])).toMatchObject({ explorationCalls: 1, costMicros: 7 });
  });
});
