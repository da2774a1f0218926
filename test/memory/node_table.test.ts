import { describe, expect, it } from 'vitest';
import { hubView } from '../../src/memory/node_table.ts';
import { aMemory, incidentDrafts } from './support.ts';

/** The nodes of two incidents of two channels. */
function someNodes() {
  const { live, reads } = aMemory();
  live(incidentDrafts({ id: 'inc-first' }));
  const [opened] = live(incidentDrafts({ id: 'inc-second', channel: 'sport' }));
  const [insight] = reads.insights.list({ limit: 1 });
  return { nodes: reads.nodes, secondSeq: opened!.seq, insight: insight!, reads };
}

describe('a node by its id', () => {
  it('is an event under the name that the journal gave it, or under its type and number', () => {
    const { nodes, secondSeq } = someNodes();
    expect(nodes.get('inc-second')).toMatchObject({ type: 'incident', seq: secondSeq, at: Date.UTC(2026, 0, 1) });
    expect(nodes.get(`sym-${secondSeq + 1}`)).toMatchObject({ type: 'symptom', seq: secondSeq + 1 });
  });

  it('is an insight with what it says, or a hub without a time', () => {
    const { nodes, insight } = someNodes();
    const { strength, state, verdict } = insight;
    expect(nodes.get(insight.id)).toMatchObject({
      ...{ type: 'insight', label: insight.text, seq: insight.bornSeq, attributes: { strength, state, verdict } },
    });
    expect(nodes.get('channel:sport')).toEqual({
      ...{ id: 'channel:sport', type: 'channel', label: 'sport', at: undefined, seq: undefined, attributes: {} },
    });
  });

  it('is none for another number, another type of that number, or a hub that nothing is about', () => {
    const { nodes, secondSeq } = someNodes();
    for (const id of ['sym-9999', `pln-${secondSeq + 1}`, `inc-${secondSeq}`, 'channel:kids', ''])
      expect(nodes.get(id), id).toBeUndefined();
  });
});

describe('the ids that begin with a text', () => {
  it('are one for an id in full, though others begin with it, too', () => {
    const { live, reads } = aMemory();
    for (const id of ['inc-1', 'inc-10']) live(incidentDrafts({ id }));
    expect(reads.nodes.resolve('inc-1')).toEqual(['inc-1']);
  });

  it('are names, insights and hubs, at most as many as are asked for', () => {
    const { nodes, insight } = someNodes();
    expect(nodes.resolve('inc-')).toEqual(['inc-first', 'inc-second']);
    expect(nodes.resolve(insight.id.slice(0, 10))).toEqual([insight.id]);
    expect(nodes.resolve('channel:')).toEqual(['channel:news', 'channel:sport']);
    expect(nodes.resolve('inc-', 1)).toEqual(['inc-first']);
    expect(nodes.resolve('in', 3)).toEqual(['inc-first', 'inc-second', expect.stringMatching(/^ins-/)]);
    expect(nodes.resolve('weather')).toEqual([]);
  });
});

describe('an island', () => {
  it('is the nodes of one incident in their order, each with what it is about', () => {
    const { nodes, secondSeq } = someNodes();
    const island = nodes.islandOf(secondSeq);
    expect(island[0]).toMatchObject({
      id: 'inc-second',
      hubs: expect.arrayContaining([
        { edge: 'concerns', hub: 'channel:sport' },
        { edge: 'about', hub: 'concept:error:http_403' },
      ]),
    });
    expect(island.map(({ seq }) => seq)).toEqual(island.map(({ seq }) => seq).sort((a, b) => a - b));
    expect(island.every(({ seq }) => seq >= secondSeq)).toBe(true);
    expect(island.flatMap(({ hubs }) => hubs)).not.toContainEqual({ edge: 'concerns', hub: 'channel:news' });
  });

  it('that no entry begins is empty', () => {
    expect(someNodes().nodes.islandOf(9_999)).toEqual([]);
  });
});

describe('a searchable text', () => {
  it('stands for an event by its number, and for an insight below zero', () => {
    const { nodes, secondSeq, insight, reads } = someNodes();
    const [row] = reads.search.find('http_403', 1, 'insights');
    expect(nodes.ofDocument(row!.row)?.type).toBe('insight');
    expect(nodes.ofDocument(row!.row)?.label).toContain('http_403');
    expect(nodes.ofDocument(secondSeq)?.id).toBe('inc-second');
    expect([nodes.ofDocument(9_999), nodes.ofDocument(-9_999)]).toEqual([undefined, undefined]);
    expect(insight.state).toBe(1);
  });
});

describe('a hub as people see it', () => {
  it('has its type and the rest of its id as its label, colons and all', () => {
    expect(hubView('concept:error:http_403')).toMatchObject({ type: 'concept', label: 'error:http_403' });
    expect(hubView('rule:restart')).toMatchObject({ type: 'rule', label: 'restart' });
  });
});
