import { describe, expect, it } from 'vitest';
import type { Scope } from '../../../src/core/scope.ts';
import { type IncidentState, newlyOpen } from '../../../src/incident/lifecycle/state.ts';
import type { ChannelIndex } from '../../../src/incident/pipeline/channel_index.ts';
import { placedNow } from '../../../src/incident/pipeline/placed.ts';
import { anIncident } from '../../support/a.ts';

const CHANNELS = [
  { id: 'news', group: 'live', engine: 'box' },
  { id: 'cup', group: 'sports', engine: 'box' },
  { id: 'jazz', group: 'sports', engine: 'other' },
];
const index = {
  channelOf: (id: string) => CHANNELS.find((one) => one.id === id),
  channelsIn: (scope: Scope) =>
    CHANNELS.filter(
      (one) => scope.kind !== 'fleet' && one[scope.kind === 'channel' ? 'id' : scope.kind] === scope.id,
    ).map(({ id }) => id),
} as unknown as ChannelIndex;

const openIn = (scope: Scope, group: string, engine: string): IncidentState => ({
  open: [newlyOpen(anIncident({ scope, group, engine }), 0)],
});
const placeOf = (state: IncidentState) => {
  const { group, engine } = placedNow(() => state, index)().open[0]!.incident;
  return [group, engine];
};

describe('where an open incident belongs', () => {
  it.each<[string, Scope, string, string, readonly string[]]>([
    ['a channel that was moved', { kind: 'channel', id: 'news' }, 'old', 'gone', ['live', 'box']],
    ['a channel that is where it was', { kind: 'channel', id: 'news' }, 'live', 'box', ['live', 'box']],
    ['a channel that has left the configuration', { kind: 'channel', id: 'no' }, 'old', 'gone', ['old', 'gone']],
    ['a group whose engine is gone', { kind: 'group', id: 'sports' }, 'sports', 'gone', ['sports', 'box']],
    ['a group on several engines', { kind: 'group', id: 'sports' }, 'sports', 'other', ['sports', 'other']],
    ['an engine whose group is gone', { kind: 'engine', id: 'box' }, 'old', 'box', ['live', 'box']],
    ['an engine with several groups', { kind: 'engine', id: 'box' }, 'sports', 'box', ['sports', 'box']],
  ])('is as configured now: %s', (_, scope, group, engine, expected) => {
    expect(placeOf(openIn(scope, group, engine))).toEqual(expected);
  });

  it('is worked out once for a state, which is itself where nothing was moved', () => {
    const still = openIn({ kind: 'channel', id: 'news' }, 'live', 'box');
    expect(placedNow(() => still, index)()).toBe(still);
    const read = placedNow(() => openIn({ kind: 'channel', id: 'news' }, 'old', 'box'), index);
    expect(read()).not.toBe(read());
    const state = openIn({ kind: 'channel', id: 'news' }, 'old', 'box');
    const again = placedNow(() => state, index);
    expect(again()).toBe(again());
  });
});
