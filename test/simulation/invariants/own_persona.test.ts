import { describe, expect, it } from 'vitest';
import { OwnPersona } from '../../../src/simulation/invariants/own_persona.ts';
import { aPersona } from '../../support/a.ts';
import { oracleEnvironment } from '../../support/oracle_environment.ts';

describe("a channel's own persona, by the file as it stands (S9)", () => {
  const allow = { restart_channel: 'allow' } as const;

  it.each([
    ['denies the tool', { tool_access_policy: { restart_channel: 'deny' } }],
    ['names no tool', { tool_access_policy: {} }],
    ['only looks', { operational_mode: 'diagnostic' }],
    ['allows no restart', { restart_cap: 0 }],
  ] as const)('is not gone against where it %s', (_, change) => {
    const { context, broken, restart } = oracleEnvironment();
    const good = aPersona({ tool_access_policy: allow, operational_mode: 'remediation', restart_cap: 1 });
    const oracle = new OwnPersona(context, (channel) => (channel === 'ch1' ? { ...good, ...change } : good));
    oracle.invoked(restart('ch0'));
    expect(broken).toEqual([]);
    oracle.invoked(restart('ch1'));
    expect(broken).toEqual(['S9']);
  });
});
