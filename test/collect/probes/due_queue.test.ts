import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DueQueue } from '../../../src/collect/probes/due_queue.ts';

describe('what is due', () => {
  it('comes in the order of time, whatever the order in which it was noted', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 50 })), (times) => {
        const queue = new DueQueue<number>();
        for (const [item, atMs] of times.entries()) queue.push(atMs, item);
        const taken: { readonly atMs: number; readonly item: number }[] = [];
        while (Number.isFinite(queue.firstMs)) {
          const firstMs = queue.firstMs;
          taken.push(queue.pop());
          expect(taken.at(-1)!.atMs).toBe(firstMs);
        }
        expect(taken.map(({ atMs }) => atMs)).toEqual(times.toSorted((a, b) => a - b));
        expect(taken.every(({ atMs, item }) => times[item] === atMs)).toBe(true);
        expect(new Set(taken.map(({ item }) => item)).size).toBe(times.length);
      }),
    );
  });

  it('is nothing, at no time, in an empty queue', () => {
    expect(new DueQueue<string>().firstMs).toBe(Number.POSITIVE_INFINITY);
  });
});
