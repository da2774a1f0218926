import { describe, expect, it } from 'vitest';
import { isHeldBy, leaseText, windowText } from '../../src/control/holds.ts';
import type { Scope } from '../../src/core/scope.ts';

const GROUP: Scope = { kind: 'group', id: 'pull' };
const FLEET: Scope = { kind: 'fleet' };
const NEWS: Scope = { kind: 'channel', id: 'news' };
describe('what a refusal for a hold says', () => {
  it('is whose hold it is', () => {
    expect(leaseText({ scope: NEWS, who: 'ann' })).toBe('channel:news is on a lease of ann');
    expect(windowText({ id: 'win-1', scope: FLEET })).toBe('maintenance win-1 of fleet');
  });

  it.each(['hands_off', 'maintenance'] as const)('shows whether %s is of one of some scopes', (code) => {
    const found = [GROUP, FLEET, NEWS].map((scope) => isHeldBy({ code, scopes: [scope] }, [GROUP, FLEET]));
    expect(found).toEqual([true, true, false]);
    expect(isHeldBy({ code, scopes: [{ kind: 'group', id: 'pull.2' }] }, [GROUP])).toBe(false);
  });

  it('is not there where somebody refused for something else', () => {
    expect(isHeldBy({ code: 'hands_off', scopes: [] }, [GROUP, FLEET])).toBe(false);
    expect(isHeldBy({ code: 'containment', scopes: [GROUP] }, [GROUP, FLEET])).toBe(false);
  });
});
