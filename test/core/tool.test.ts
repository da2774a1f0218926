import { describe, expect, it, vi } from 'vitest';
import { CHANGING_TOOLS, describeCall, Permit, TOOL_ALIASES, TOOL_NAMES, toolNamed } from '../../src/core/tool.ts';
import { aCall, permitTerms } from '../support/a.ts';

describe('the name of a tool', () => {
  it('is found as it is and by an older name, and not where it is another', () => {
    for (const name of TOOL_NAMES) expect(toolNamed(name)).toBe(name);
    for (const [old, name] of Object.entries(TOOL_ALIASES)) expect(toolNamed(old)).toBe(name);
    expect(toolNamed('restart')).toBeUndefined();
  });

  it('belongs to a tool that changes something or to one that looks', () => {
    expect(CHANGING_TOOLS).toEqual(['restart_channel', 'refresh_credentials', 'rebuild_playout', 'invalidate_cache']);
  });

  it('is written with its target for people, and without an id for the fleet', () => {
    expect(describeCall(aCall())).toBe('restart_channel on channel:news');
    expect(describeCall(aCall({ target: { kind: 'fleet' } }))).toBe('restart_channel on fleet');
  });
});

describe('a permit', () => {
  const terms = permitTerms({ grantedMs: 0, expiresMs: 5_000 });

  it('can be redeemed until it expires and no longer', () => {
    expect(Permit.grant(terms).redeem(4_999)).toBe(true);
    const late = Permit.grant(terms);
    expect(late.redeem(5_000)).toBe(false);
    expect(late.refusal).toBe('the permit has expired');
  });

  it('can be redeemed once, also where the first try was refused', () => {
    const permit = Permit.grant(terms);
    expect([permit.redeem(1), permit.redeem(2)]).toEqual([true, false]);
    expect(permit.refusal).toBe('the permit is used');
    let reason: string | undefined = 'a lease began';
    const held = Permit.grant(terms, () => reason);
    expect(held.redeem(1)).toBe(false);
    expect(held.refusal).toBe('a lease began');
    reason = undefined;
    expect(held.redeem(2)).toBe(false);
  });

  it('asks what stands against it when it begins, and before each further try', () => {
    const whyNot = vi.fn((stage: 'begin' | 'again') => (stage === 'again' ? 'frozen' : undefined));
    const permit = Permit.grant(terms, whyNot);
    expect(permit.redeem(1)).toBe(true);
    expect(permit.whyNotAgain()).toBe('frozen');
    expect(whyNot.mock.calls).toEqual([['begin'], ['again']]);
  });

  it('does not ask where it has expired or is used', () => {
    const whyNot = vi.fn(() => undefined);
    const permit = Permit.grant(terms, whyNot);
    permit.redeem(5_000);
    permit.redeem(1);
    expect(whyNot).not.toHaveBeenCalled();
  });
});
