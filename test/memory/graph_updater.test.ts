import { describe, expect, it } from 'vitest';
import { GraphUpdater } from '../../src/memory/graph_updater.ts';
import { aMemory, incidentDrafts } from './support.ts';

function kept() {
  const bench = aMemory();
  const { ledger, graph, clock } = bench;
  const failures: string[] = [];
  const keeper = new GraphUpdater({
    graph,
    clock,
    read: (query) => ledger.read(query),
    fail: (text) => failures.push(text),
  });
  ledger.subscribe(() => keeper.wake());
  return { ...bench, keeper, failures };
}

describe('THEA 1, inherent logging: the memory follows the journal when no request waits', () => {
  it('reads nothing while entries keep coming, and everything a quarter of a second after the last', async () => {
    const { ledger, graph, advance } = kept();
    ledger.append(incidentDrafts({ id: 'inc-a' }));
    await advance(249);
    expect(graph.store.cursor()).toBe(0);
    ledger.append(incidentDrafts({ id: 'inc-b' }));
    await advance(249);
    expect(graph.store.cursor()).toBe(0);
    await advance(1);
    expect(graph.store.cursor()).toBe(ledger.lastSeq);
  });

  it('waits no longer than two seconds, however many entries come', async () => {
    const { ledger, graph, advance } = kept();
    for (let index = 0; index < 20; index += 1) {
      ledger.append([{ fact: { type: 'clock.jumped', byMs: index } }]);
      await advance(100);
    }
    await advance(0);
    expect(graph.store.cursor()).toBeGreaterThan(15);
  });

  it('takes a long journal in slices, and lets others run in between', async () => {
    const { ledger, graph, advance } = kept();
    for (let index = 0; index < 12; index += 1) ledger.append(incidentDrafts({ id: `inc-x${index}` }));
    await advance(250);
    const first = graph.store.cursor();
    expect(first).toBeGreaterThan(0);
    expect(first).toBeLessThan(ledger.lastSeq);
    await advance(1_000);
    expect(graph.store.cursor()).toBe(ledger.lastSeq);
  });

  it.each([
    { tookMs: 1, pauseMs: 5 },
    { tookMs: 20, pauseMs: 60 },
    { tookMs: 1_000, pauseMs: 250 },
  ])('after a slice of $tookMs ms leaves the loop to others for $pauseMs ms', async ({ tookMs, pauseMs }) => {
    const { ledger, graph, clock, advance } = aMemory();
    for (let index = 0; index < 12; index += 1) ledger.append(incidentDrafts({ id: `inc-x${index}` }));
    let workedMs = 0;
    const keeper = new GraphUpdater({
      graph,
      clock: { ...clock, after: clock.after.bind(clock), monotonicMs: () => clock.monotonicMs() + workedMs },
      read: (query) => {
        workedMs += tookMs;
        return ledger.read(query);
      },
      fail: (text) => expect.unreachable(text),
    });
    keeper.wake();
    await advance(250);
    const first = graph.store.cursor();
    await advance(pauseMs - 1);
    expect(graph.store.cursor()).toBe(first);
    await advance(1);
    expect(graph.store.cursor()).toBeGreaterThan(first);
  });

  it('says once that it stands still when its file fails, and the journal goes on', async () => {
    const { ledger, graph, advance, failures } = kept();
    graph.store[Symbol.dispose]();
    ledger.append(incidentDrafts({ id: 'inc-a' }));
    await advance(1_000);
    ledger.append(incidentDrafts({ id: 'inc-b' }));
    await advance(1_000);
    expect(failures).toEqual([expect.stringMatching(/^memory: it stands still until the next start/)]);
    expect(ledger.subscriberErrors).toBe(0);
  });

  it('lets those who wait for it go when it ends', async () => {
    const { ledger, keeper } = kept();
    ledger.append(incidentDrafts({ id: 'inc-a' }));
    const waiting = keeper.caughtUp();
    keeper[Symbol.dispose]();
    await expect(waiting).resolves.toBeUndefined();
    await expect(keeper.caughtUp()).resolves.toBeUndefined();
  });

  it('forgets in slices what the journal forgot', async () => {
    const { ledger, graph, keeper, advance } = kept();
    for (let index = 0; index < 30; index += 1) ledger.append(incidentDrafts({ id: `inc-x${index}` }));
    await advance(5_000);
    keeper.prune(ledger.lastSeq);
    await advance(1_000);
    expect(graph.store.get('SELECT count(*) AS n FROM edge')?.n).toBe(0);
    expect(graph.store.get('SELECT count(*) AS n FROM hub')?.n).toBe(0);
    expect(graph.insights.list({ limit: 99 }).length).toBe(30);
  });
});
