import { fc, it as property } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { EventHeap, type Timed } from '../../src/simulation/event_heap.ts';

const drained = (heap: EventHeap<Timed>): Timed[] => {
  const items: Timed[] = [];
  for (let item = heap.pop(); item !== undefined; item = heap.pop()) items.push(item);
  return items;
};
const timed = fc.record({ atMs: fc.nat(5), rank: fc.nat(3), seq: fc.nat(1_000) });

describe('the events to come', () => {
  property.prop([fc.array(timed, { maxLength: 60 })])('leave by time, then by rank, then by age', (items) => {
    const heap = new EventHeap<Timed>();
    for (const item of items) heap.push(item);
    expect(heap.size).toBe(items.length);
    const sorted = items.toSorted((a, b) => a.atMs - b.atMs || a.rank - b.rank || a.seq - b.seq);
    expect(heap.peek()).toEqual(sorted[0]);
    expect(drained(heap)).toEqual(sorted);
    expect([heap.size, heap.peek()]).toEqual([0, undefined]);
  });

  it('stay in order when some leave and others come', () => {
    const heap = new EventHeap<Timed>();
    const at = (atMs: number) => ({ atMs, rank: 0, seq: 0 });
    for (const ms of [5, 3, 8]) heap.push(at(ms));
    expect(heap.pop()?.atMs).toBe(3);
    heap.push(at(1));
    expect(drained(heap).map(({ atMs }) => atMs)).toEqual([1, 5, 8]);
  });
});
