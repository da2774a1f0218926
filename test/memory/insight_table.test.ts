import { describe, expect, it } from 'vitest';
import type { MemoryFact } from '../../src/core/memory.ts';
import type { Insight } from '../../src/memory/insight.ts';
import { aMemory } from './support.ts';

type Merged = Extract<MemoryFact, { type: 'insight.merged' }>;

const anInsight = (id: string, with_: Partial<Insight> = {}): Insight => ({
  ...{ id, pair: ['class:stalled', 'error:http_403'], subject: 'restart_channel', verdict: 'cured' },
  ...{ text: `text of ${id}`, strength: 1, state: 1, bornSeq: 1, at: 1_000 },
  ...{ origin: undefined, mergedInto: undefined, wordedBy: undefined },
  ...with_,
});

/** The table in a file of its own, with these insights. */
function aTable(...insights: readonly Insight[]) {
  const { graph, reads } = aMemory();
  const { store, insights: table } = graph;
  const write = <T>(work: () => T): T => {
    let result: T | undefined;
    store.advance(store.cursor(), () => {
      result = work();
    });
    return result as T;
  };
  write(() => table.adopt(insights));
  const found = (query: string) => reads.search.find(query, 9, 'insights').length;
  return { table, write, found };
}
const ids = (insights: readonly Insight[]) => insights.map(({ id }) => id);

describe('an insight', () => {
  it('is read as it was added, with everything that it has', () => {
    const whole = anInsight('ins-1', {
      strength: 3,
      state: 0,
      origin: 'inc-1',
      mergedInto: 'ins-2',
      wordedBy: 'small',
    });
    const { table } = aTable(whole, anInsight('ins-2'));
    expect([table.get('ins-1'), table.get('ins-2'), table.get('ins-3')]).toEqual([
      whole,
      anInsight('ins-2'),
      undefined,
    ]);
    expect([table.ofOrigin('inc-1'), table.ofOrigin('inc-2')]).toEqual([whole, undefined]);
  });

  it('that is there already stays as it is', () => {
    const { table, write } = aTable(anInsight('ins-1', { strength: 5 }));
    write(() => table.add(anInsight('ins-1', { text: 'read again' })));
    expect(table.get('ins-1')).toMatchObject({ strength: 5, text: 'text of ins-1' });
  });

  it('is found by its words and by its concepts, and by the new words once it is rephrased', () => {
    const { table, write, found } = aTable(anInsight('ins-1', { text: 'a restart helped' }));
    expect([found('restart'), found('http_403'), found('kick')]).toEqual([1, 1, 0]);
    write(() => table.reword({ type: 'insight.worded', insight: 'ins-1', text: 'a kick helped', model: 'small' }));
    expect([found('restart'), found('http_403'), found('kick')]).toEqual([0, 1, 1]);
    expect(table.get('ins-1')).toMatchObject({ text: 'a kick helped', wordedBy: 'small' });
  });

  it('that does not exist is not rephrased', () => {
    const { table, write, found } = aTable();
    write(() => table.reword({ type: 'insight.worded', insight: 'ins-1', text: 'a kick helped', model: 'small' }));
    expect([table.get('ins-1'), found('kick')]).toEqual([undefined, 0]);
  });
});

describe('the list of insights', () => {
  const listed = [
    anInsight('ins-old', { strength: 2, bornSeq: 1 }),
    anInsight('ins-new', { strength: 2, bornSeq: 2 }),
    anInsight('ins-strong', { strength: 9 }),
    anInsight('ins-archived', { strength: 99, state: 0 }),
  ];

  it('is active before archived, then by strength, then newest first, one page at a time', () => {
    const { table } = aTable(...listed);
    expect(ids(table.list({ limit: 9 }))).toEqual(['ins-strong', 'ins-new', 'ins-old', 'ins-archived']);
    expect(ids(table.list({ limit: 2, offset: 1 }))).toEqual(['ins-new', 'ins-old']);
  });

  it('is of one state where one is asked for', () => {
    const { table } = aTable(...listed);
    expect(ids(table.list({ state: 0, limit: 9 }))).toEqual(['ins-archived']);
    expect(table.list({ state: 1, limit: 9 })).toHaveLength(3);
  });

  it('is about a concept by its name or by the part after the colon, in either place, and no other', () => {
    const { table } = aTable(
      anInsight('ins-1'),
      anInsight('ins-2', { pair: ['class:frozen', 'error:httpx403'] }),
      anInsight('ins-3', { pair: ['error:http_403', 'tool:none'] }),
    );
    const about = (concept: string) => ids(table.list({ concept, limit: 9 }));
    expect(about('http_403')).toEqual(['ins-1', 'ins-3']);
    expect(about('error:http_403')).toEqual(['ins-1', 'ins-3']);
    expect(about('stalled')).toEqual(['ins-1']);
    expect([about('http_40'), about('%'), about('rror:http_403')]).toEqual([[], [], []]);
  });
});

describe('a merge', () => {
  const weak = [
    anInsight('ins-1', { bornSeq: 1 }),
    anInsight('ins-2', { bornSeq: 5 }),
    anInsight('ins-later', { bornSeq: 6 }),
    anInsight('ins-other', { verdict: 'not_cured' }),
    anInsight('ins-tool', { subject: 'rebuild_playout' }),
    anInsight('ins-pair', { pair: ['class:stalled', 'error:timeout'] }),
  ];
  const merged: Merged = {
    ...{ type: 'insight.merged', insight: 'ins-merged', pair: weak[0]!.pair, subject: 'restart_channel' },
    ...{ verdict: 'cured', text: 'seen twice', strength: 2, merged: 2, throughSeq: 5 },
  };

  it('takes the place of every active insight of its claim up to its entry, and of no other', () => {
    const { table, write } = aTable(...weak);
    write(() => table.merge(merged, { bornSeq: 7, at: 2_000 }));
    expect(table.get('ins-merged')).toEqual(
      anInsight('ins-merged', { text: 'seen twice', strength: 2, bornSeq: 7, at: 2_000 }),
    );
    expect(ids(table.parents('ins-merged', 9))).toEqual(['ins-2', 'ins-1']);
    expect(ids(table.parents('ins-merged', 1))).toEqual(['ins-2']);
    expect(ids(table.list({ state: 0, limit: 9 })).sort()).toEqual(['ins-1', 'ins-2']);
  });

  it('that is read again changes nothing', () => {
    const { table, write } = aTable(...weak);
    write(() => table.merge(merged, { bornSeq: 7, at: 2_000 }));
    write(() => table.merge({ ...merged, throughSeq: 99 }, { bornSeq: 7, at: 2_000 }));
    expect(table.get('ins-later')).toMatchObject({ state: 1 });
    expect(table.get('ins-merged')).toMatchObject({ state: 1 });
  });

  it('is wanted while two active insights make one claim', () => {
    const { table, write } = aTable(...weak.slice(0, 2), ...weak.slice(3));
    expect(table.hasTwins()).toBe(true);
    write(() => table.merge(merged, { bornSeq: 7, at: 2_000 }));
    expect(table.hasTwins()).toBe(false);
  });
});

describe('the insights of a claim', () => {
  it('are read in pages in the order of their claims, each once, without archived and later ones', () => {
    const { table } = aTable(
      anInsight('ins-b', { pair: ['class:b', 'error:x'] }),
      anInsight('ins-a2', { pair: ['class:a', 'error:x'], bornSeq: 2 }),
      anInsight('ins-a1', { pair: ['class:a', 'error:x'], bornSeq: 1 }),
      anInsight('ins-late', { pair: ['class:a', 'error:x'], bornSeq: 3 }),
      anInsight('ins-gone', { pair: ['class:a', 'error:x'], state: 0 }),
    );
    const first = table.inClaimOrder(undefined, 2, 2);
    expect(ids(first)).toEqual(['ins-a1', 'ins-a2']);
    expect(ids(table.inClaimOrder(first.at(-1), 2, 2))).toEqual(['ins-b']);
  });

  it('are of exactly one pair, strongest first, at most as many as are asked for', () => {
    const { table } = aTable(
      anInsight('ins-1'),
      anInsight('ins-2', { strength: 2 }),
      anInsight('ins-3', { strength: 9, pair: ['class:stalled', 'error:timeout'] }),
      anInsight('ins-4', { strength: 9, state: 0 }),
    );
    expect(ids(table.ofPair(['class:stalled', 'error:http_403'], 9))).toEqual(['ins-2', 'ins-1']);
    expect(ids(table.ofPair(['class:stalled', 'error:http_403'], 1))).toEqual(['ins-2']);
  });

  it('are about one concept in either place, strongest first, at most as many as are asked for', () => {
    const { table } = aTable(
      anInsight('ins-first', { pair: ['class:a', 'error:x'], strength: 2 }),
      anInsight('ins-second', { pair: ['alert:z', 'class:a'], strength: 3 }),
      anInsight('ins-weak', { pair: ['class:a', 'error:y'] }),
      anInsight('ins-other', { pair: ['class:b', 'error:x'], strength: 9 }),
      anInsight('ins-gone', { pair: ['class:a', 'error:x'], strength: 9, state: 0 }),
    );
    expect(ids(table.ofConcept('class:a', 9))).toEqual(['ins-second', 'ins-first', 'ins-weak']);
    expect(ids(table.ofConcept('class:a', 2))).toEqual(['ins-second', 'ins-first']);
  });

  it('stand against each other only with the same tool and the opposite verdict', () => {
    const { table } = aTable(
      anInsight('ins-1'),
      anInsight('ins-against', { verdict: 'not_cured' }),
      anInsight('ins-tool', { verdict: 'not_cured', subject: 'rebuild_playout' }),
      anInsight('ins-self', { verdict: 'self_healed' }),
      anInsight('ins-gone', { verdict: 'not_cured', state: 0 }),
    );
    expect(ids(table.against(table.get('ins-1')!))).toEqual(['ins-against']);
    expect(ids(table.against(table.get('ins-self')!))).toEqual([]);
  });
});

describe('archived insights', () => {
  it('are deleted with the entries that they came from, from the search too; active ones stay', () => {
    const { table, write, found } = aTable(
      anInsight('ins-gone', { state: 0, bornSeq: 4, text: 'forgotten' }),
      anInsight('ins-archived', { state: 0, bornSeq: 5 }),
      anInsight('ins-active', { bornSeq: 1 }),
    );
    expect(write(() => table.pruneArchived(5, 9))).toBe(1);
    expect(ids(table.list({ limit: 9 }))).toEqual(['ins-active', 'ins-archived']);
    expect(found('forgotten')).toBe(0);
  });

  it('go at most so many at a time', () => {
    const { table, write } = aTable(...[1, 2, 3].map((at) => anInsight(`ins-${at}`, { state: 0, bornSeq: at })));
    expect([write(() => table.pruneArchived(9, 2)), write(() => table.pruneArchived(9, 2))]).toEqual([2, 1]);
  });
});
