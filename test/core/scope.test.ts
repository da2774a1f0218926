import { fc, it as property } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { keyOfScope, parseScope, sameScope, type Scope, scopesOf, scopesOver } from '../../src/core/scope.ts';
import { aChannel } from '../support/a.ts';

const anyScope: fc.Arbitrary<Scope> = fc.oneof(
  fc.constant<Scope>({ kind: 'fleet' }),
  fc.record({ kind: fc.constantFrom('channel', 'group', 'engine'), id: fc.constantFrom('a', 'b', 'a:b', 'fleet') }),
) as fc.Arbitrary<Scope>;

describe('the key of a scope', () => {
  property.prop([anyScope])('is read back as the same scope', (scope) => {
    expect(parseScope(keyOfScope(scope))).toEqual(scope);
  });

  property.prop([anyScope, anyScope])('is equal for two scopes exactly where they are the same', (a, b) => {
    expect(sameScope(a, b)).toBe(keyOfScope(a) === keyOfScope(b));
  });

  it.each<[string, Scope | undefined]>([
    ['fleet', { kind: 'fleet' }],
    ['news', { kind: 'channel', id: 'news' }],
    ['group:pull', { kind: 'group', id: 'pull' }],
    ['channel:a:b', { kind: 'channel', id: 'a:b' }],
    ['group:', undefined],
    ['host:a', undefined],
    ['', undefined],
  ])('%j is read as %j', (text, scope) => {
    expect(parseScope(text)).toEqual(scope);
  });
});

describe('the scopes of a channel', () => {
  it('go from the channel over its group and engine to the fleet', () => {
    expect(scopesOf(aChannel({ id: 'news', group: 'g', engine: 'e' })).map(keyOfScope)).toEqual([
      ...['channel:news', 'group:g', 'engine:e', 'fleet'],
    ]);
  });
});

describe('the scopes over a scope', () => {
  it.each<[Scope, readonly string[]]>([
    [{ kind: 'channel', id: 'news' }, ['channel:news', 'group:g', 'engine:e', 'fleet']],
    [{ kind: 'group', id: 'g' }, ['group:g', 'engine:e', 'fleet']],
    [{ kind: 'engine', id: 'e' }, ['engine:e', 'fleet']],
    [{ kind: 'fleet' }, ['fleet']],
  ])('of %j hold all of it, and no group is over its engine', (scope, over) => {
    expect(scopesOver(scope, { group: 'g', engine: 'e' }).map(keyOfScope)).toEqual(over);
  });
});
