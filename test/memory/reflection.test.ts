import { describe, expect, it } from 'vitest';
import { countingIds } from '../../src/core/id.ts';
import { GraphUpdater } from '../../src/memory/graph_updater.ts';
import { reflect } from '../../src/memory/reflection.ts';
import { aMemory, incidentDrafts } from './support.ts';

describe('THEA 4.2, the reflection loop over the memory', () => {
  it('merges what was learned, journals it, and does nothing the second time', async () => {
    const { live, reads, graph, ledger, clock, advance, another, rows } = aMemory();
    for (let index = 0; index < 70; index += 1) live(incidentDrafts({ id: `inc-${index}`, cured: index % 7 > 0 }));
    using keeper = new GraphUpdater({
      ...{ graph, clock },
      read: (query) => ledger.read(query),
      fail: (text) => expect.unreachable(text),
    });
    const run = async () => {
      const ids = countingIds();
      let ended = false;
      const done = reflect({
        ...{ insights: reads.insights, throughSeq: () => reads.throughSeq(), clock, ids, append: ledger.append },
        caughtUp: () => keeper.caughtUp(),
      }).finally(() => {
        ended = true;
      });
      while (!ended) await advance(50);
      return done;
    };
    expect(await run()).toMatchObject({ archived: 70, merged: 2 });
    const found = reads.insights.list({ state: 1, limit: 9 });
    expect(found.map(({ strength, verdict }) => [strength, verdict])).toEqual([
      [60, 'cured'],
      [10, 'not_cured'],
    ]);
    expect(reads.neighbours(found[0]!.id, { limit: 99 })).toContainEqual(
      expect.objectContaining({ edge: 'contradicts', id: found[1]!.id }),
    );
    expect(reads.insights.parents(found[0]!.id, 99).length).toBe(60);

    const head = ledger.lastSeq;
    expect(await run()).toEqual({ archived: 0, merged: 0, passes: 0 });
    expect(ledger.lastSeq).toBe(head);
    const again = another();
    const { catchUp } = await import('../../src/memory/rebuild.ts');
    await advance(1_000);
    catchUp(again, rows);
    expect(again.hash()).toBe(graph.hash());
  });
});
