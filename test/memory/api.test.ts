import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../src/core/duration.ts';
import { createMemoryApi } from '../../src/memory/api.ts';
import { aMemory, incidentDrafts } from './support.ts';

/** What is shown of a memory of two incidents: one was cured, one was not. */
function shown() {
  const { live, reads, advance } = aMemory();
  live(incidentDrafts({ id: 'inc-cured' }));
  live(incidentDrafts({ id: 'inc-lost', cured: false }));
  return { api: createMemoryApi(reads), live, advance };
}
const anyNode = { type: undefined, since: undefined, until: undefined, before: undefined, limit: 99 };

describe('the insights that are shown', () => {
  it('name each other where one says that a tool cured and the other that it did not', () => {
    const insights = shown().api.insights({ limit: 9 });
    expect(insights).toHaveLength(2);
    const [one, other] = insights;
    expect([one!.contradicts, other!.contradicts]).toEqual([[other!.id], [one!.id]]);
  });

  it('contradict nothing once they are archived', () => {
    const { api, live } = shown();
    const { pair, subject, verdict, text } = api.insights({ limit: 9 }).find((each) => each.verdict === 'cured')!;
    const claim = { pair, subject, verdict, text, strength: 1, merged: 1 };
    live([{ fact: { type: 'insight.merged', insight: 'ins-merged', ...claim, throughSeq: 99 } }]);
    expect(api.insights({ state: 0, limit: 9 }).map(({ contradicts }) => contradicts)).toEqual([[]]);
    expect(api.insights({ state: 1, limit: 9 }).flatMap(({ contradicts }) => contradicts)).toContain('ins-merged');
  });
});

describe('the nodes that are shown', () => {
  it('are of the type that is asked for, of any type where none is, and nothing where there is no such type', () => {
    const { api } = shown();
    expect(api.nodes({ ...anyNode, type: 'incident' })?.map(({ id }) => id)).toEqual(['inc-lost', 'inc-cured']);
    expect(new Set(api.nodes(anyNode)?.map(({ type }) => type))).toContain('verification');
    expect(api.nodes({ ...anyNode, type: 'concept' })?.map(({ id }) => id)).toContain('concept:error:http_403');
    expect(api.nodes({ ...anyNode, type: 'weather' })).toBeUndefined();
  });

  it('keep to the range of time that is asked for', async () => {
    const { api, live, advance } = shown();
    await advance(HOUR_MS);
    live(incidentDrafts({ id: 'inc-later' }));
    const since = Date.UTC(2026, 0, 1) + HOUR_MS;
    const ids = (range: object) => api.nodes({ ...anyNode, type: 'incident', ...range })?.map(({ id }) => id);
    expect([ids({ since }), ids({ until: since })]).toEqual([['inc-later'], ['inc-lost', 'inc-cured']]);
  });
});

describe('a node', () => {
  it('is found by its id, and by a beginning that only it has', () => {
    const { api } = shown();
    for (const id of ['inc-lost', 'inc-l']) expect(api.node(id, { limit: 9 })?.id).toBe('inc-lost');
    for (const id of ['inc-', 'nowhere']) expect(api.node(id, { limit: 9 })).toBeUndefined();
  });

  it('comes with one page of the steps from it', () => {
    const { api } = shown();
    const all = api.node('inc-lost', { limit: 99 })!.steps;
    expect(all.length).toBeGreaterThan(3);
    expect(api.node('inc-lost', { limit: 2, offset: 1 })!.steps).toEqual(all.slice(1, 3));
  });
});

describe('the process of a node', () => {
  it('is the whole tree of its incident, whichever node of it is named', () => {
    const { api } = shown();
    const [verification] = api.nodes({ ...anyNode, type: 'verification', limit: 1 })!;
    expect(api.tree(verification!.id)?.tree.node.id).toBe('inc-lost');
    expect(api.tree('inc-c')?.tree.node.id).toBe('inc-cured');
  });

  it('is none for what is no event', () => {
    const { api } = shown();
    for (const id of ['channel:news', 'nowhere']) expect(api.tree(id)).toBeUndefined();
  });
});

describe('a question', () => {
  it('is answered with what would be looked for, and with what is found by it', () => {
    const { plan, recalled } = shown().api.probe('what of inc-cured?');
    expect(plan.ids).toEqual(['inc-cured']);
    expect(recalled[0]).toMatchObject({ id: 'inc-cured', kind: 'incident' });
  });
});

describe('the count of a memory', () => {
  it('says how far the journal was read', () => {
    const { api, live } = shown();
    const { throughSeq } = api.stat();
    const fresh = live(incidentDrafts({ id: 'inc-third' })).length;
    expect(api.stat()).toMatchObject({
      throughSeq: throughSeq + fresh,
      nodes: expect.arrayContaining([{ name: 'incident', count: 3 }]),
    });
  });
});
