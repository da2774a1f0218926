import { describe, expect, it } from 'vitest';
import { httpNameOf, supervisorNameOf } from '../../src/engine/names.ts';
import { coded } from '../journal/support.ts';

describe('the name of a program of a supervisor', () => {
  it.each([
    ['news', 'news:news'],
    ['encoders:news', 'encoders:news'],
    ['a.b-c_d@1', 'a.b-c_d@1:a.b-c_d@1'],
  ])('may be %j', (name, full) => {
    expect(supervisorNameOf(name)).toBe(full);
  });

  it.each(['', 'a b', 'a/b', 'a\n', 'a:b:c', 'a:', ':a', 'a:*', '*', 'a\u0000'])('is not %j', (name) => {
    expect(() => supervisorNameOf(name)).toThrow(coded('CONFIG_INVALID', /is not the name of one program/));
  });
});

describe('a name in a URL', () => {
  it('is any that is encoded as one part of a path, and leads nowhere else', () => {
    for (const name of ['news', 'a b/c', '…', '...']) expect(httpNameOf(name)).toBe(name);
    for (const name of ['', '.', '..', 'a\n', '\ud800'])
      expect(() => httpNameOf(name)).toThrow(coded('CONFIG_INVALID', /cannot be a part of a URL/));
  });
});
