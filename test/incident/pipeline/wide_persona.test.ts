import { describe, expect, it } from 'vitest';
import type { Persona } from '../../../src/core/persona.ts';
import { mayStart, personaOfAll, stricter } from '../../../src/incident/pipeline/wide_persona.ts';
import { aPersona } from '../../support/a.ts';

describe('channels may be started', () => {
  it.each([
    [{}, true],
    [{ operational_mode: 'passive' }, false],
    [{ operational_mode: 'diagnostic' }, false],
    [{ tool_access_policy: {} }, false],
    [{ tool_access_policy: { restart_channel: 'deny' } }, false],
    [{ tool_access_policy: { restart_channel: 'require_approval' } }, true],
  ] as const)('by mode and policy: %j, %s', (persona, may) => {
    expect(mayStart(aPersona(persona as Partial<Persona>))).toBe(may);
  });
});

describe('the stricter of two personas', () => {
  it('has the warier risk, the longer patience and the bias of either, and the tools of its own', () => {
    const own = aPersona({ id: 'own', risk_tolerance: 'high', aggressiveness: 'assertive', containment_bias: false });
    const other = aPersona({
      risk_tolerance: 'low',
      aggressiveness: 'cautious',
      containment_bias: true,
      restart_cap: 0,
    });
    const wary = { risk_tolerance: 'low', aggressiveness: 'cautious', containment_bias: true };
    expect(stricter(own, other)).toEqual({ ...own, ...wary });
    expect(stricter(other, own)).toEqual(other);
    expect(stricter(own, own)).toBe(own);
  });
});

describe('the persona of an engine whose groups have several', () => {
  const allows = (tools: Persona['tool_access_policy'], more: Partial<Persona> = {}): Partial<Persona> => ({
    tool_access_policy: tools,
    ...more,
  });
  /** The same, whichever group the file names first. */
  const both = (one: Partial<Persona>, other: Partial<Persona>): readonly Persona[] =>
    [
      [aPersona(one), aPersona(other)],
      [aPersona(other), aPersona(one)],
    ].map((groups) => personaOfAll(groups)!);

  it.each([
    ['allow', 'deny', 'deny'],
    ['allow', 'require_approval', 'require_approval'],
    ['require_evidence', 'allow', 'require_evidence'],
  ] as const)('allows what acts on the whole of it as the stricter does: %s, %s', (one, other, right) => {
    for (const persona of both(allows({ refresh_credentials: one }), allows({ refresh_credentials: other })))
      expect(persona.tool_access_policy.refresh_credentials).toBe(right);
  });

  it('denies what the mode of one forbids', () => {
    const all = { refresh_credentials: 'allow', get_channel_health: 'allow' } as const;
    for (const persona of both(allows(all), allows(all, { operational_mode: 'diagnostic' })))
      expect(persona).toMatchObject({
        operational_mode: 'remediation',
        tool_access_policy: { refresh_credentials: 'deny', get_channel_health: 'allow' },
      });
  });

  it('allows a start as the laxer does, for each channel is asked about under its own', () => {
    const passive = { operational_mode: 'passive' } as const;
    for (const never of [allows({}), allows({ restart_channel: 'deny' }), passive])
      for (const persona of both(allows({ restart_channel: 'require_evidence' }), never))
        expect(persona).toMatchObject({
          operational_mode: 'remediation',
          tool_access_policy: { restart_channel: 'require_evidence' },
        });
  });

  it('has the lower caps and the warier risk of those that start anything, and needs two people where one does', () => {
    const start = { tool_access_policy: { restart_channel: 'allow' } } as const;
    const few = {
      ...start,
      restart_cap: 1,
      planning_depth_max: 1,
      retry_threshold: 0.8,
      risk_tolerance: 'low',
    } as const;
    const many = { ...start, restart_cap: 5, planning_depth_max: 3, retry_threshold: 0.3, four_eyes: true } as const;
    for (const persona of both(few, many))
      expect(persona).toMatchObject({
        ...{ restart_cap: 1, planning_depth_max: 1, retry_threshold: 0.8, risk_tolerance: 'low', four_eyes: true },
      });
    for (const persona of both(many, { ...few, operational_mode: 'passive' }))
      expect(persona).toMatchObject({ restart_cap: 5, planning_depth_max: 3, retry_threshold: 0.3 });
  });

  it('notifies of a containment as soon as one wants', () => {
    const [later, atOnce] = (['after_cooldown', 'immediate'] as const).map((when) => ({
      escalation_policy: { on_containment: when },
    }));
    for (const persona of both(later!, atOnce!)) expect(persona.escalation_policy.on_containment).toBe('immediate');
  });

  it('is called by both names, in the mode of neither more than they have', () => {
    const passive = { operational_mode: 'passive' } as const;
    const [first] = both({ id: 'a', ...passive }, { id: 'b', ...passive });
    expect(first).toMatchObject({ id: 'a+b', operational_mode: 'passive' });
    const own = aPersona({ id: 'own' });
    expect([personaOfAll([own, own]), personaOfAll([])]).toEqual([own, undefined]);
    expect(both({ id: 'own' }, { id: 'own', restart_cap: 1 })[0]?.id).toBe('own');
  });
});
