import { describe, expect, it } from 'vitest';
import type { Persona } from '../../src/core/persona.ts';
import type { Permit, ToolName } from '../../src/core/tool.ts';
import { aCall, aPersona } from '../support/a.ts';
import { bench } from './bench.ts';
import { GROUP, persona, staged } from './stage.ts';

const BY = { who: 'ann', because: 'test' } as const;
const granted = (b: ReturnType<typeof bench>, tool: ToolName = 'restart_channel', with_: object = {}): Permit => {
  const decision = b.guard.decide(b.request('news', { call: aCall({ tool }), ...with_ }));
  if (decision.verdict === 'deny') throw new Error(`${decision.code}: ${decision.because}`);
  return decision.permit;
};
const sure = aPersona({ restart_cap: 10 });

describe('a permit that was given and is not redeemed yet', () => {
  const stricter: readonly (readonly [string, Partial<Persona>, RegExp])[] = [
    ['denies the tool', { tool_access_policy: { restart_channel: 'deny' } }, /^persona_denies: persona \w+ does not/],
    ['names it no more', { tool_access_policy: {} }, /^persona_denies/],
    ['only looks', { operational_mode: 'diagnostic' }, /^mode_forbids: persona \w+ is in diagnostic mode/],
    ['wants a yes', { tool_access_policy: { restart_channel: 'require_approval' } }, /^approval_needed/],
    ['allows fewer restarts', { restart_cap: 0 }, /^restart_cap: .*lowered to 0/],
  ];

  it.each(stricter)('is refused where the persona by now %s, and says so', (_, change, says) => {
    const b = bench();
    const permit = granted(b);
    b.world.personaOf = () => ({ ...sure, ...change });
    expect(permit.redeem(b.nowMs())).toBe(false);
    expect(permit.refusal).toMatch(says);
  });

  it('is redeemed where the persona by now allows just this one restart, or is a looser one', () => {
    for (const change of [{ restart_cap: 1 }, { risk_tolerance: 'high' as const }]) {
      const b = bench();
      const permit = granted(b);
      b.world.personaOf = () => ({ ...sure, ...change });
      expect(permit.redeem(b.nowMs())).toBe(true);
    }
  });

  it('is refused where the evidence is not sure enough for the persona of now', () => {
    const b = bench();
    const envelope = b.freshEnvelope(b.channels.get('news')!, { confidence: 0.6 });
    const permit = granted(b, 'restart_channel', { envelope, persona: { ...sure, risk_tolerance: 'medium' } });
    b.world.personaOf = () => ({ ...sure, risk_tolerance: 'low' });
    expect(permit.redeem(b.nowMs())).toBe(false);
    expect(permit.refusal).toMatch(/^evidence_missing/);
  });

  it('is refused where the caps of a day or the phase are lower by now', () => {
    const b = bench();
    const [capped, phased] = [granted(b), granted(bench())];
    b.world.limits = { ...b.world.limits, dailyRestartCap: 0 };
    expect([capped.redeem(b.nowMs()), capped.refusal]).toEqual([false, expect.stringMatching(/^daily_cap/)]);
    expect(phased.redeem(b.nowMs())).toBe(true);
    const other = bench();
    const permit = granted(other);
    other.world.phase = 2;
    expect([permit.redeem(other.nowMs()), permit.refusal]).toEqual([false, expect.stringMatching(/^phase/)]);
  });

  it.each(['restart_channel', 'refresh_credentials'] as const)(
    'is refused for %s after a freeze or a lease',
    (tool) => {
      for (const fact of [
        { type: 'control.frozen', ...BY },
        { type: 'control.leased', scope: { kind: 'channel', id: 'news' }, forMs: 60_000, ...BY },
      ] as const) {
        const b = bench();
        const rules = aPersona({ tool_access_policy: { restart_channel: 'allow', refresh_credentials: 'allow' } });
        const cured = tool === 'restart_channel' ? 'process_crashed' : 'upstream_auth_expired';
        const envelope = b.freshEnvelope(b.channels.get('news')!, { failureClassification: cured });
        const permit = granted(b, tool, { persona: rules, envelope });
        b.record(fact);
        expect(permit.redeem(b.nowMs())).toBe(false);
        expect(permit.refusal).toMatch(/^(frozen: frozen by ann|hands_off: .*lease of ann)/);
        expect(permit.whyNotAgain()).toBeDefined();
      }
    },
  );

  it('goes on after a lease has ended, and once more only while nothing stands in the way', () => {
    const b = bench();
    const permit = granted(b);
    expect(permit.whyNotAgain()).toBeUndefined();
    b.pass(5_000);
    expect(permit.whyNotAgain()).toBeUndefined();
    expect(permit.redeem(b.nowMs())).toBe(false);
    expect(permit.refusal).toBe('the permit has expired');
  });
});

describe('a staged start under way', () => {
  it.each([
    ['denies restarts', { tool_access_policy: { restart_channel: 'deny' } }, 'persona_denies'],
    ['only looks', { operational_mode: 'diagnostic' }, 'mode_forbids'],
    ['wants a yes', { tool_access_policy: { restart_channel: 'require_approval' } }, 'approval_needed'],
  ] as const)('has no further child where the persona of its group by now %s', (_, change, code) => {
    const { b, plan, startChild, child } = staged();
    const permit = plan();
    startChild(permit, 'c0');
    const pending = child(permit, 'c1');
    b.world.personaOf = (scope) => (scope.kind === 'group' ? { ...persona, ...change } : persona);
    expect(child(permit, 'c2')).toMatchObject({ verdict: 'deny', code, because: expect.stringContaining('group:g') });
    if (code === 'approval_needed' || pending.verdict === 'deny') return;
    expect(pending.permit.redeem(b.nowMs())).toBe(false);
    expect(pending.permit.refusal).toContain(`(group:${GROUP.id})`);
  });
});
