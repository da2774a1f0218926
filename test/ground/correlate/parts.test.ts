import { describe, expect, it } from 'vitest';
import { partsOf } from '../../../src/ground/correlate/parts.ts';
import { SeenChannels } from '../../../src/ground/correlate/seen_channel.ts';
import type { SharedCause } from '../../../src/ground/correlate/shared_cause.ts';
import { member, trouble, WELL } from '../fleet.ts';

const dead = trouble('process_crashed');
const seen = new SeenChannels([
  member('a', dead, { engine: 'one' }),
  member('b', WELL, { engine: 'one' }),
  member('c', dead, { engine: 'two' }),
  member('d', WELL, { engine: 'three' }),
]);
const CAUSE: SharedCause = {
  key: 'fleet|upstream',
  scope: { kind: 'fleet' },
  family: 'upstream',
  classification: 'upstream_unavailable',
  channels: ['a', 'b', 'c', 'd'],
  because: 'gone; nothing shows it any more',
  sinceMs: 0,
  lastMs: 9_000,
  phase: 'over',
  overMs: 10_000,
  down: ['a', 'c'],
};
const partsAt = (nowMs: number, with_: Partial<SharedCause> = {}, isProven = false) =>
  partsOf({ ...CAUSE, ...with_ }, { seen, isProven: () => isProven }, nowMs).map(({ part }) => part);

describe('what a cause over several engines has left down', () => {
  it('is for each engine to start that has some of it, once the cause is proven to be over', () => {
    expect(partsAt(10_000, {}, true)).toEqual([
      { ...CAUSE, scope: { kind: 'engine', id: 'one' }, key: 'engine:one|upstream', channels: ['a', 'b'], down: ['a'] },
      { ...CAUSE, scope: { kind: 'engine', id: 'two' }, key: 'engine:two|upstream', channels: ['c'], down: ['c'] },
    ]);
    expect(partsOf(CAUSE, { seen, isProven: () => true }, 10_000).map((one) => one.of)).toEqual([
      'fleet|upstream',
      'fleet|upstream',
    ]);
  });

  it('is, of the groups that it has touched, around those of that engine alone', () => {
    const groups = (['g1', 'g2', 'g3'] as const).map((group, at) =>
      member(`x${at}`, dead, { group, engine: at === 2 ? 'two' : 'one' }),
    );
    const cause = { ...CAUSE, channels: ['x0', 'x1', 'x2'], down: ['x0', 'x2'], groups: ['g1', 'g2', 'g3'] };
    const parts = partsOf(cause, { seen: new SeenChannels(groups), isProven: () => true }, 10_000);
    expect(parts.map(({ part }) => part.groups)).toEqual([['g1', 'g2'], ['g3']]);
  });

  it('is so after a minute where nothing proves it', () => {
    expect([partsAt(69_999).length, partsAt(70_000).length]).toEqual([0, 2]);
    expect(partsOf(CAUSE, { seen }, 70_000)).toHaveLength(2);
  });

  it.each([
    ['of one engine', { scope: { kind: 'engine', id: 'one' } }],
    ['that is active', { phase: 'active' }],
    ['that has left nothing down', { down: [] }],
  ] as const)('stays whole: a cause %s', (_, with_) => {
    expect(partsAt(70_000, with_, true)).toEqual([]);
  });
});
