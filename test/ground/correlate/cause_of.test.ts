import { describe, expect, it } from 'vitest';
import { causeOf } from '../../../src/ground/correlate/cause_of.ts';
import type { SharedCause } from '../../../src/ground/correlate/correlate.ts';

const scope = { kind: 'group', id: 'g' } as const;

const cause = (family: SharedCause['family'], with_: Partial<SharedCause> = {}): SharedCause => ({
  ...{ key: `group:g|${family}`, scope, family, classification: 'process_crashed', because: '' },
  ...{ channels: ['a', 'b'], sinceMs: 1_000, lastMs: 2_000, phase: 'over', overMs: 3_000, down: [] },
  ...with_,
});

describe('what a group suffers from', () => {
  it('is nothing where no cause is known of it', () => {
    const elsewhere = cause('dead', { scope: { kind: 'engine', id: 'g' } });
    expect([causeOf([], scope), causeOf([elsewhere], scope)]).toEqual([undefined, undefined]);
  });

  it('is a cause that is active before one that is over, and one that left something down before one that did not', () => {
    const [left, active, gone] = [
      cause('dead', { down: ['a'] }),
      cause('upstream', { phase: 'active' }),
      cause('churn'),
    ];
    expect(causeOf([left, active, gone], scope)).toBe(active);
    expect(causeOf([gone, left], scope)).toBe(left);
    expect(causeOf([gone], scope)).toBe(gone);
  });

  it('is all that several causes left down, as one matter', () => {
    const one = cause('unknown', { channels: ['a', 'c'], down: ['c'], sinceMs: 500 });
    const other = cause('upstream', { channels: ['a', 'b', 'c'], down: ['b', 'c'], lastMs: 9_000, overMs: 9_500 });
    expect(causeOf([one, other], scope)).toMatchObject({
      ...{ channels: ['a', 'b', 'c'], down: ['b', 'c'] },
      ...{ sinceMs: 500, lastMs: 9_000, overMs: 9_500 },
    });
  });

  it('is proven to be over as what needs the most proof of them is', () => {
    const [deaths, outage] = [cause('dead', { down: ['a'] }), cause('upstream', { down: ['b'] })];
    expect(causeOf([deaths, outage], scope)?.family).toBe('upstream');
    expect(causeOf([deaths, cause('stalled', { down: ['b'] })], scope)?.family).toBe('dead');
  });
});
