import { describe, expect, it } from 'vitest';
import { bucketOf, priorityAfter } from '../../src/hints/maturity.ts';
import type { Cluster } from '../../src/hints/nearest.ts';

describe('ROSClaw-How, admin/promote and the runtime priority gate', () => {
  it('moves by a step or to a value, within -1 and 1; unset counts as production', () => {
    expect(priorityAfter(0, { delta: 1 })).toBe(1);
    expect(priorityAfter(1, { delta: 5 })).toBe(1);
    expect(priorityAfter(0, { priority: -9 })).toBe(-1);
    expect(priorityAfter(undefined, { delta: -1 })).toBe(0);
    expect([-1, 0, 1, undefined].map((at) => bucketOf(at as Cluster['priority']))).toEqual([
      ...['demoted', 'staging', 'production', 'production'],
    ]);
    expect(() => priorityAfter(0, { delta: 0.5 })).toThrow('expected a whole number, got 0.5');
  });
});
