import { describe, expect, it } from 'vitest';
import { accessOf, approversNeeded, personaDocument } from '../../src/core/persona.ts';
import { aPersona } from '../support/a.ts';

describe('the access of a persona to a tool', () => {
  it('is what the policy says, and denied where it says nothing', () => {
    const persona = aPersona({ tool_access_policy: { restart_channel: 'allow' } });
    expect(accessOf(persona, 'restart_channel')).toBe('allow');
    expect(accessOf(persona, 'rebuild_playout')).toBe('deny');
    expect(accessOf(persona, 'no_such_tool')).toBe('deny');
  });

  it('is the same by an older name of the tool, and the strictest where both names stand', () => {
    const old = aPersona({ tool_access_policy: { refresh_plex_token: 'require_evidence' } });
    expect(accessOf(old, 'refresh_credentials')).toBe('require_evidence');
    const both = aPersona({
      tool_access_policy: { refresh_plex_token: 'require_approval', refresh_credentials: 'allow' },
    });
    expect(accessOf(both, 'refresh_credentials')).toBe('require_approval');
    expect(accessOf(both, 'refresh_plex_token')).toBe('require_approval');
  });
});

describe('the document of a persona', () => {
  it('takes 0 to 10 restarts and 0 to 3 steps, and nothing beyond', () => {
    const isSound = (with_: object) => personaDocument.safeParse({ ...aPersona(), ...with_ }).success;
    expect([-1, 0, 10, 11].map((restart_cap) => isSound({ restart_cap }))).toEqual([false, true, true, false]);
    expect([0, 3, 4].map((planning_depth_max) => isSound({ planning_depth_max }))).toEqual([true, true, false]);
  });

  it('refuses a key that it does not know, and a tool that there is not', () => {
    expect(personaDocument.safeParse({ ...aPersona(), risk_tolerence: 'high' }).success).toBe(false);
    expect(personaDocument.safeParse(aPersona({ tool_access_policy: { restart_chanel: 'allow' } })).success).toBe(
      false,
    );
  });

  it('asks two people only where four_eyes is true', () => {
    expect(approversNeeded(aPersona({ four_eyes: true }))).toBe(2);
    expect(approversNeeded(aPersona({ four_eyes: false }))).toBe(1);
    expect(approversNeeded(aPersona())).toBe(1);
  });
});
