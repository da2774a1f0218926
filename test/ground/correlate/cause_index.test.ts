import { describe, expect, it } from 'vitest';
import {
  bySuffering,
  byTouched,
  coveredBy,
  coveredIn,
  familyNow,
  keyOf,
} from '../../../src/ground/correlate/cause_index.ts';
import type { SharedCause } from '../../../src/ground/correlate/correlate.ts';
import { member, trouble, WELL } from '../fleet.ts';

const cause = (key: string, with_: Partial<SharedCause>): SharedCause =>
  ({ key, phase: 'active', channels: [], down: [], ...with_ }) as unknown as SharedCause;

describe('the cause that covers a channel', () => {
  const active = cause('active', { channels: ['a', 'b'], down: ['c'] });
  const over = cause('over', { phase: 'over', channels: ['a', 'c', 'd'], down: ['a', 'c'] });

  it('is one that is active and touched it, or one that is over and left it down', () => {
    const causes = [active, over];
    const covering = ['a', 'b', 'c', 'd'].map((id) => coveredBy(causes, { id })?.key);
    expect(covering).toEqual(['active', 'active', 'over', undefined]);
  });

  it('is the first of several, and none where nothing is shared', () => {
    expect(coveredBy([over, active], { id: 'a' })?.key).toBe('over');
    expect(coveredBy([], { id: 'a' })).toBeUndefined();
  });

  it('is of the causes that are asked about, not of those before', () => {
    expect(coveredBy([active], { id: 'c' })).toBeUndefined();
    expect(coveredBy([active, over], { id: 'c' })?.key).toBe('over');
  });
});

it('finds whom the incident of a scope speaks for: each channel belongs to the first cause that covers it', () => {
  const [group, engine] = [{ kind: 'group', id: 'g' } as const, { kind: 'engine', id: 'e' } as const];
  const causes = [
    cause('one', { scope: engine, channels: ['a'] }),
    cause('two', { scope: group, channels: ['a', 'b'] }),
    cause('three', { scope: group, phase: 'over', channels: ['c', 'd'], down: ['d'] }),
  ];
  expect([coveredIn(causes, engine), coveredIn(causes, group)]).toEqual([['a'], ['b', 'd']]);
  expect(coveredIn(causes, { kind: 'group', id: 'other' })).toEqual([]);
});

it('finds all causes that touched a channel, in their order', () => {
  const touching = byTouched([cause('one', { channels: ['a', 'b'] }), cause('two', { channels: ['b'] })]);
  expect(['a', 'b', 'c'].map((id) => touching.get(id)?.map(({ key }) => key))).toEqual([
    ['one'],
    ['one', 'two'],
    undefined,
  ]);
});

it('finds who suffers from a family of trouble in a group, on an engine and in the fleet', () => {
  const [dead, late, well] = [
    member('a', trouble('process_crashed')),
    member('b', trouble('upstream_unavailable')),
    member('c', WELL),
  ];
  const suffering = bySuffering([dead, late, well]);
  const { group, engine } = dead.ref;
  const inScope = (scope: Parameters<typeof keyOf>[0]['scope'], family: 'dead' | 'upstream') =>
    suffering.get(keyOf({ scope, family }))?.map(({ ref }) => ref.id);
  expect(inScope({ kind: 'group', id: group }, 'dead')).toEqual(['a']);
  expect(inScope({ kind: 'engine', id: engine }, 'upstream')).toEqual(['b']);
  expect(inScope({ kind: 'fleet' }, 'dead')).toEqual(['a']);
  expect(inScope({ kind: 'group', id: 'other' }, 'dead')).toBeUndefined();
  expect(familyNow(well)).toBeUndefined();
});
