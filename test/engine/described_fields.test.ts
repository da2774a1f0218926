import { describe, expect, it } from 'vitest';
import { isVerifiable, path, pointer, route, states } from '../../src/engine/described_fields.ts';

describe('where a value stands in an answer', () => {
  it.each(['', '/', '/stats/active', '/a b/~1'])('%j is a JSON pointer', (text) => {
    expect(pointer.safeParse(text).success).toBe(true);
  });
  it.each(['stats', 'stats/active', '#/stats'])('%j is none', (text) => {
    expect(pointer.safeParse(text).success).toBe(false);
  });
});

describe('where a change is sent', () => {
  it('is a path of the engine itself, without white space and fragment', () => {
    expect(path.safeParse('/api/channels/{channel}/restart').success).toBe(true);
    for (const text of ['api', 'http://h/', '/a b', '/a#b'])
      expect([text, path.safeParse(text).success]).toEqual([text, false]);
  });

  it('is answered by a status of success', () => {
    expect([200, 299, 199, 300].map((one) => route.statuses.safeParse([one]).success)).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(route.statuses.parse(undefined)).toEqual([200, 201, 202, 204]);
  });
});

describe('the states that an engine reports', () => {
  it('mean one of the states that Reeve knows', () => {
    expect(states.safeParse([{ says: 'UP', means: 'running' }]).success).toBe(true);
    expect(states.safeParse([{ says: 'UP', means: 'healthy' }]).success).toBe(false);
    expect(states.parse(undefined)).toEqual([]);
  });
});

describe('a change that can be made', () => {
  it.each([
    ['refresh', 'credentials'],
    ['rebuild', 'playout'],
    ['cache', 'cache_entries'],
  ])('by %s needs %s, which proves it', (change, proof) => {
    expect(isVerifiable({ [change]: {} })).toBe(false);
    expect(isVerifiable({ [change]: {}, [proof]: {} })).toBe(true);
    expect(isVerifiable({ [proof]: {} })).toBe(true);
  });
});
