import { describe, expect, it } from 'vitest';
import { isHeldBy, leaseText, windowText } from '../../src/control/holds.ts';
import type { Scope } from '../../src/core/scope.ts';

const GROUP: Scope = { kind: 'group', id: 'pull' };
const FLEET: Scope = { kind: 'fleet' };
const NEWS: Scope = { kind: 'channel', id: 'news' };
const leased = (scope: Scope) =>
  ({
    code: 'hands_off',
    because: `${leaseText({ scope, who: 'ann' })}: maintenance win-1 of group:pull: fleet`,
  }) as const;
const planned = (scope: Scope) =>
  ({
    code: 'maintenance',
    because: `${windowText({ id: 'win-1', scope })}: fleet is on a lease of group:pull`,
  }) as const;

describe('what a refusal for a hold says', () => {
  it('is whose hold it is', () => {
    expect(leaseText({ scope: NEWS, who: 'ann' })).toBe('channel:news is on a lease of ann');
    expect(windowText({ id: 'win-1', scope: FLEET })).toBe('maintenance win-1 of fleet');
  });

  it.each([
    ['a lease', leased],
    ['a window', planned],
  ])('shows whether it is %s of one of some scopes, whatever the person wrote as the reason', (_, says) => {
    const found = [GROUP, FLEET, NEWS].map((scope) => isHeldBy(says(scope), [GROUP, FLEET]));
    expect(found).toEqual([true, true, false]);
    expect(isHeldBy(says({ kind: 'group', id: 'pull.2' }), [GROUP])).toBe(false);
  });

  it('is not there where somebody refused for something else', () => {
    const because = 'Reeve was asked to stop: it begins nothing new';
    expect(isHeldBy({ code: 'hands_off', because }, [GROUP, FLEET])).toBe(false);
    expect(isHeldBy({ ...leased(GROUP), code: 'cooldown' }, [GROUP, FLEET])).toBe(false);
  });
});
