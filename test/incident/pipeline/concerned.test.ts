import { describe, expect, it } from 'vitest';
import type { SharedCause } from '../../../src/ground/correlate/correlate.ts';
import { newlyOpen } from '../../../src/incident/lifecycle/state.ts';
import { causeScopes, channelsConcerned } from '../../../src/incident/pipeline/concerned.ts';
import { anIncident } from '../../support/a.ts';

const openOn = (...scopes: readonly Parameters<typeof anIncident>[0][]) =>
  scopes.map((with_) => newlyOpen(anIncident(with_), 0));
const group = (id: string) => ({ scope: { kind: 'group', id } }) as const;
const channel = (id: string) => ({ scope: { kind: 'channel', id } }) as const;

describe('whom a cause that moved may concern', () => {
  const all = ['a', 'b', 'c', 'd', 'e'];

  it('is who was touched, is in trouble or has an incident, in the order of all', () => {
    const open = openOn(channel('b'), group('d'));
    expect(channelsConcerned({ touched: ['e'], open }, new Set(['c']), all)).toEqual(['b', 'c', 'e']);
  });

  it('is nobody where all are well, and each channel once', () => {
    expect(channelsConcerned({ touched: [], open: [] }, [], all)).toEqual([]);
    expect(channelsConcerned({ touched: ['a', 'a'], open: openOn(channel('a')) }, ['a'], all)).toEqual(['a']);
  });

  it('leaves out who is no longer configured', () => {
    expect(channelsConcerned({ touched: ['gone'], open: openOn(channel('gone')) }, ['gone'], all)).toEqual([]);
  });
});

it('names the scope of each cause and of each incident that is about one, once', () => {
  const cause = (id: string) => ({ scope: { kind: 'group', id } }) as unknown as SharedCause;
  const open = openOn(group('g2'), channel('a'), { scope: { kind: 'engine', id: 'e' } });
  expect([...causeScopes([cause('g1'), cause('g2')], open)]).toEqual([
    { kind: 'group', id: 'g1' },
    { kind: 'group', id: 'g2' },
    { kind: 'engine', id: 'e' },
  ]);
});
