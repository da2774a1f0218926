import { describe, expect, it } from 'vitest';
import type { ChannelRef } from '../../../src/core/scope.ts';
import { seenOf, sizesOf } from '../../../src/ground/correlate/seen_channel.ts';

const ref = (id: string, group: string, engine: string): ChannelRef => ({
  ...{ id, group, engine, expected: 'always', hasSource: false, hasOutputProbe: true },
});
const WELL = { trouble: false, healthy: true, quiet: false, omen: undefined } as never;

describe('what correlation sees of a channel', () => {
  it('is its finding, since when it is in trouble, and the host of its source when that is asked for', () => {
    let host = 'before';
    const seen = seenOf({ ref: ref('a', 'g', 'e'), finding: WELL, troubledMs: 7 }, () => host);
    expect([seen.ref.id, seen.finding, seen.firstSeenMs]).toEqual(['a', WELL, 7]);
    host = 'now';
    expect(seen.sourceHost).toBe('now');
  });
});

describe('the sizes of scopes', () => {
  const sizeOf = sizesOf([ref('a', 'x', 'e'), ref('b', 'x', 'e'), ref('c', 'y', 'f')].map((one) => ({ ref: one })));

  it.each([
    [{ kind: 'group', id: 'x' } as const, 2],
    [{ kind: 'group', id: 'y' } as const, 1],
    [{ kind: 'engine', id: 'e' } as const, 2],
    [{ kind: 'engine', id: 'x' } as const, 0],
    [{ kind: 'fleet' } as const, 3],
  ])('count the channels of %o: %i', (scope, size) => {
    expect(sizeOf(scope)).toBe(size);
  });
});
