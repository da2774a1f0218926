import { describe, expect, it } from 'vitest';
import type { ChannelRef } from '../../../src/core/scope.ts';
import { type Seen, SeenChannels, seenOf } from '../../../src/ground/correlate/seen_channel.ts';

const ref = (id: string, group: string, engine: string): ChannelRef => ({
  ...{ id, group, engine, expected: 'always', hasSource: false, hasOutputProbe: true },
});
const WELL = { trouble: false, healthy: true, quiet: false, omen: undefined } as never;

describe('what correlation sees of a channel', () => {
  it('is its finding, since when it is in trouble, and its source as it is when that is asked for', () => {
    let last: object | undefined;
    const sourceOf = () => (last === undefined ? undefined : ({ last } as never));
    const seen = seenOf({ ref: ref('a', 'g', 'e'), finding: WELL, troubledMs: 7 }, sourceOf);
    expect([seen.ref.id, seen.finding, seen.firstSeenMs]).toEqual(['a', WELL, 7]);
    expect([seen.sourceHost, seen.isAbsent]).toEqual([undefined, false]);
    last = { host: 'now', ok: false, absent: true };
    expect([seen.sourceHost, seen.isAbsent]).toEqual(['now', true]);
  });

  it.each([
    [{ ok: false, absent: true }, true],
    [{ ok: false, status: 404 }, true],
    [{ ok: false, status: 403 }, false],
    [{ ok: false, failure: 'unreachable' }, false],
    [{ ok: true, status: 404 }, false],
  ])('misses its source at a server that answers, or does not: %j', (last, isMissing) => {
    const source = () => ({ last }) as never;
    expect(seenOf({ ref: ref('a', 'g', 'e'), finding: WELL, troubledMs: 7 }, source).isAbsent).toBe(isMissing);
  });
});

const COMPLAINS = { ...(WELL as object), omen: 'upstream_unavailable' } as never;
const DEAD = { trouble: true, classification: 'process_crashed' } as never;
const one = (id: string, { group = 'x', engine = 'e', finding = WELL } = {}): Seen =>
  seenOf({ ref: ref(id, group, engine), finding, troubledMs: 0 }, () => undefined);
const idsOf = (seen: readonly Seen[]) => seen.map(({ ref: { id } }) => id);

describe('the channels that correlation sees', () => {
  it.each([
    [{ kind: 'group', id: 'x' } as const, 2],
    [{ kind: 'group', id: 'y' } as const, 1],
    [{ kind: 'engine', id: 'e' } as const, 2],
    [{ kind: 'engine', id: 'x' } as const, 0],
    [{ kind: 'fleet' } as const, 3],
  ])('count the channels of %o: %i', (scope, size) => {
    const seen = new SeenChannels([one('a'), one('b'), one('c', { group: 'y', engine: 'f' })]);
    expect(seen.sizeOf(scope)).toBe(size);
  });

  it('are counted anew when one comes, goes or moves to another group or engine', () => {
    const seen = new SeenChannels([one('a')]);
    const groups = () => ['x', 'y'].map((id) => seen.sizeOf({ kind: 'group', id }));
    const counts = () => [...groups(), seen.sizeOf({ kind: 'engine', id: 'f' })];
    expect(counts()).toEqual([1, 0, 0]);
    seen.set(one('b'));
    expect(counts()).toEqual([2, 0, 0]);
    seen.set(one('b', { group: 'y' }));
    expect(counts()).toEqual([1, 1, 0]);
    seen.set(one('b', { group: 'y', engine: 'f' }));
    expect(counts()).toEqual([1, 1, 1]);
    seen.delete('b');
    expect([...counts(), seen.sizeOf({ kind: 'fleet' })]).toEqual([1, 0, 0, 1]);
  });

  it('name those that are in trouble or complain, for as long as they do', () => {
    const seen = new SeenChannels([one('a'), one('b', { finding: COMPLAINS }), one('c', { finding: DEAD })]);
    expect(idsOf(seen.ailing)).toEqual(['b', 'c']);
    seen.set(one('b'));
    expect(idsOf(seen.ailing)).toEqual(['c']);
    seen.delete('c');
    expect(idsOf(seen.ailing)).toEqual([]);
  });

  it('are found by id, and one that is not known is left out', () => {
    expect(idsOf(new SeenChannels([one('a'), one('b')]).of(['b', 'z', 'a']))).toEqual(['b', 'a']);
  });
});
