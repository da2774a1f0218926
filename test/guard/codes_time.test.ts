import { describe, expect, it } from 'vitest';
import type { ToolName } from '../../src/core/tool.ts';
import { aCall, anIncident, aPersona } from '../support/a.ts';
import { bench } from './bench.ts';
import { context } from './paths.ts';

describe('the boundaries of time', () => {
  it('refuses one high-risk action 59,999 ms after the last ended, with 1 ms to wait, and allows it at 60,000', () => {
    const b = bench();
    b.restart('news', { callMs: 2_000, cured: true });
    b.pass(59_999);
    expect(b.guard.decide(b.request())).toMatchObject({ code: 'high_risk_spacing', retryAfterMs: 1 });
    b.pass(1);
    expect(b.guard.decide(b.request())).toMatchObject({ verdict: 'allow' });
  });

  it.each<[ToolName, number]>([
    ['fetch_recent_logs', 5_000],
    ['inspect_pool_status', 10_000],
    ['get_channel_health', 5_000],
    ['refresh_credentials', 60_000],
    ['rebuild_playout', 120_000],
    ['invalidate_cache', 30_000],
  ])('cools %s down for %d ms after its end, not a millisecond less', (tool, cooldownMs) => {
    const b = bench();
    const cures = {
      refresh_credentials: 'upstream_auth_expired',
      rebuild_playout: 'playout_empty',
      invalidate_cache: 'guide_stale',
    } as const;
    const ask = () => {
      const request = b.request('news', {
        call: aCall({ tool }),
        persona: aPersona({ tool_access_policy: { [tool]: 'allow' } }),
      });
      const failureClassification = cures[tool as keyof typeof cures] ?? 'process_crashed';
      return b.guard.decide({ ...request, envelope: { ...request.envelope, failureClassification } });
    };
    const first = ask();
    if (first.verdict === 'allow') b.perform(first.permit, { callMs: 3_000, cured: true });
    b.pass(cooldownMs - 1);
    expect(ask()).toMatchObject({ code: 'cooldown', retryAfterMs: 1 });
    b.pass(1);
    expect(ask()).toMatchObject({ verdict: 'allow' });
  });

  it('takes evidence of 119,999 ms and refuses evidence of 120,000', () => {
    const b = bench();
    const request = b.request();
    b.pass(119_999);
    expect(b.guard.preview(request).verdict).toBe('allow');
    b.pass(1);
    expect(b.guard.decide(request)).toMatchObject({ code: 'evidence_stale' });
  });

  it('refuses evidence from the future', () => {
    const b = bench();
    const request = b.request();
    const envelope = { ...request.envelope, takenMs: b.nowMs() + 1 };
    expect(b.guard.decide({ ...request, envelope })).toMatchObject({ code: 'evidence_stale' });
  });

  it('lets a lease and a maintenance window end at their very millisecond', () => {
    const b = bench();
    b.record({ type: 'control.leased', scope: { kind: 'group', id: 'encoders' }, forMs: 10_000, ...context });
    b.pass(9_999);
    expect(b.guard.decide(b.request())).toMatchObject({ code: 'hands_off', retryAfterMs: 1 });
    b.pass(1);
    expect(b.guard.preview(b.request()).verdict).toBe('allow');
    b.record({
      type: 'control.window_added',
      window: 'w',
      scope: { kind: 'fleet' },
      startsInMs: 5_000,
      forMs: 5_000,
      ...context,
    });
    b.pass(4_999);
    expect(b.guard.preview(b.request()).verdict).toBe('allow');
    b.pass(1);
    expect(b.guard.decide(b.request())).toMatchObject({ code: 'maintenance', retryAfterMs: 5_000 });
    b.pass(5_000);
    expect(b.guard.decide(b.request())).toMatchObject({ verdict: 'allow' });
  });

  it('frees the daily cap 24 h after the restart that used it', () => {
    const b = bench({ limits: { dailyRestartCap: 2 } });
    const incident = (n: number) => ({ incident: anIncident({ id: `inc-${n}` }) });
    b.restart('news', { cured: true }, incident(1));
    b.pass(3_600_000);
    b.restart('news', { cured: true }, incident(2));
    b.pass(86_400_000 - 3_600_000 - 1);
    expect(b.guard.decide(b.request('news', incident(3)))).toMatchObject({ code: 'daily_cap', retryAfterMs: 1 });
    b.pass(1);
    expect(b.guard.decide(b.request('news', incident(3)))).toMatchObject({ verdict: 'allow' });
  });

  it('forgets a fix that did not work after the memory of fingerprints', () => {
    const b = bench();
    const first = b.request();
    const decision = b.guard.decide(first);
    if (decision.verdict === 'allow') b.perform(decision.permit, { cured: false });
    const again = () => {
      const request = b.request();
      return b.guard.preview({
        ...request,
        envelope: { ...request.envelope, fingerprint: first.envelope.fingerprint },
      });
    };
    b.pass(3_599_999);
    expect(again()).toMatchObject({ code: 'already_tried', retryAfterMs: 1 });
    b.pass(1);
    expect(again().verdict).toBe('allow');
  });
});
