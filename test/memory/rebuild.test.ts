import { describe, expect, it } from 'vitest';
import { adoptInsights, catchUp } from '../../src/memory/rebuild.ts';
import { aMemory, incidentDrafts } from './support.ts';
import { HOUR_MS } from '../../src/core/duration.ts';

describe('THEA 1, inherent logging: the memory follows from the journal alone', () => {
  it('is the same graph when it is built again, whatever the slices', () => {
    const { live, graph, another, rows } = aMemory();
    for (let index = 0; index < 12; index += 1) live(incidentDrafts({ id: `inc-${index}`, cured: index % 3 > 0 }));
    const again = another();
    catchUp(again, rows);
    expect(again.hash()).toBe(graph.hash());
    expect(again.store.cursor()).toBe(graph.store.cursor());
  });

  it('is the same graph over the span that retention left, and keeps the insights of what went', async () => {
    const { live, graph, another, rows, ledger, advance, reads } = aMemory();
    for (let index = 0; index < 6; index += 1) {
      live(incidentDrafts({ id: `inc-${index}` }));
      await advance(HOUR_MS);
    }
    // An incident that lies across the cut: its beginning goes, so all of it goes.
    const [opened, ...rest] = incidentDrafts({ id: 'inc-across' });
    live([opened!]);
    live(incidentDrafts({ id: 'inc-a' }));
    live(incidentDrafts({ id: 'inc-b' }));
    await advance(HOUR_MS);
    live(rest);
    live(incidentDrafts({ id: 'inc-after' }));
    while (ledger.compact(HOUR_MS / 2).more);
    const [first] = [...rows.read({ limit: 1 })];
    expect(first!.seq).toBeGreaterThan(50);
    while (graph.prune(first!.seq, 10));
    live([]);

    expect(reads.get('inc-0')).toBeUndefined();
    expect(reads.get('inc-across')).toBeUndefined();
    expect(reads.insights.list({ limit: 99 }).map(({ origin }) => origin)).toContain('inc-0');
    const again = another();
    adoptInsights(again, graph.insights);
    catchUp(again, rows);
    expect(again.hash()).toBe(graph.hash());
  });
});
