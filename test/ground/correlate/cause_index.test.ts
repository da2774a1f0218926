import { describe, expect, it } from 'vitest';
import {
  bySuffering,
  causesAround,
  causesAt,
  byTouched,
  coveredBy,
  coveredIn,
  familyNow,
  keyOf,
} from '../../../src/ground/correlate/cause_index.ts';
import { isAround, type SharedCause } from '../../../src/ground/correlate/correlate.ts';
import { sameScope } from '../../../src/core/scope.ts';
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

describe('the causes of a place', () => {
  const kinds = ['channel', 'group', 'engine', 'fleet'] as const;
  const scopes = kinds.flatMap((kind) => [1, 2].map((id) => (kind === 'fleet' ? { kind } : { kind, id: `x${id}` })));
  const causes = scopes.flatMap((scope, at) => [
    cause(`plain-${at}`, { scope }),
    cause(`of-${at}`, { scope, groups: ['x2', 'x3'] }),
    cause(`none-${at}`, { scope, groups: [] }),
  ]);
  const refs = ['x1', 'x2', 'x3'].flatMap((id) =>
    ['x1', 'x2', 'x3'].flatMap((group) =>
      ['x1', 'x2'].map((engine) => ({ ...member(id, WELL).ref, id, group, engine })),
    ),
  );

  it('are those around any of its channels, each once and in their order', () => {
    for (const [at, ref] of refs.entries()) {
      for (const some of [[], [ref], [ref, refs[(at * 5 + 3) % refs.length]!]])
        expect(causesAround(causes, some)).toEqual(causes.filter((one) => some.some((each) => isAround(one, each))));
    }
  });

  it('are those of exactly its scope, in their order', () => {
    for (const scope of scopes)
      expect(causesAt(causes, scope)).toEqual(causes.filter((one) => sameScope(one.scope, scope)));
    expect(causesAt(causes, { kind: 'group', id: 'other' })).toEqual([]);
  });
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
