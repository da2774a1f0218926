import { describe, expect, it } from 'vitest';
import { aMemory, incidentDrafts } from './support.ts';

describe('the graph', () => {
  it('takes nothing of a batch when one entry of it fails', () => {
    const { graph, ledger } = aMemory();
    const entries = ledger.append(incidentDrafts({ id: 'inc-1' }));
    const bad = { ...entries[1]!, fact: { ...entries[1]!.fact, symptom: undefined } } as never;
    expect(() => graph.take([entries[0]!, bad], 2)).toThrow();
    expect(graph.store.cursor()).toBe(0);
    expect(graph.store.get('SELECT count(*) AS n FROM node')?.n).toBe(0);
  });
});
