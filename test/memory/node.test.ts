import { describe, expect, it } from 'vitest';
import { EVENT_TYPES, eventId, HUB_TYPES, hubType, NODE_TYPES, seqOfId } from '../../src/memory/node.ts';

describe('the id of an event', () => {
  it('leads back to its number, for every type', () => {
    for (const type of EVENT_TYPES) expect(seqOfId(eventId(type, 42))).toBe(42);
    expect(new Set(EVENT_TYPES.map((type) => eventId(type, 1))).size).toBe(EVENT_TYPES.length);
  });

  it.each(['inc-01h8x', 'xyz-42', 'inc-', 'inc-1.5', 'channel:news', '42'])('%j is no id of that kind', (id) => {
    expect(seqOfId(id)).toBeUndefined();
  });
});

describe('the type of a hub', () => {
  it('is what stands before the colon, where that is one', () => {
    for (const type of HUB_TYPES) expect(hubType(`${type}:a:b`)).toBe(type);
    expect([hubType('channels:a'), hubType('news')]).toEqual([undefined, undefined]);
  });

  it('is never that of an event', () => {
    expect(new Set(NODE_TYPES).size).toBe(EVENT_TYPES.length + HUB_TYPES.length + 1);
  });
});
