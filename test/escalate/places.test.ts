import { describe, expect, it } from 'vitest';
import { placesOf } from '../../src/escalate/places.ts';

describe('where a page belongs', () => {
  const placeOf = placesOf([{ id: 'news', group: 'pull', engine: 'local' }]);

  it('is the group and the engine of its channel', () => {
    expect(placeOf({ kind: 'channel', id: 'news' })).toEqual({ group: 'pull', engine: 'local' });
  });

  it('is the group or the engine that it is about, and nowhere for the fleet and for what is not configured', () => {
    expect(placeOf({ kind: 'group', id: 'pull' })).toEqual({ group: 'pull' });
    expect(placeOf({ kind: 'engine', id: 'local' })).toEqual({ engine: 'local' });
    expect(placeOf({ kind: 'fleet' })).toEqual({});
    expect(placeOf({ kind: 'channel', id: 'gone' })).toEqual({});
  });
});
