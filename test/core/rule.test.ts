import { describe, expect, it } from 'vitest';
import { collectionOf } from '../../src/core/rule.ts';

describe('the collection of a rule', () => {
  it('is the one that it names, and `default` where it names none', () => {
    expect(collectionOf({ collection: 'builds' })).toBe('builds');
    expect(collectionOf({})).toBe('default');
  });
});
