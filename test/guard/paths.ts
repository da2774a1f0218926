import type { DenialCode } from '../../src/core/plan.ts';
import type { ToolName } from '../../src/core/tool.ts';
import type { Guard } from '../../src/guard/guard.ts';
import { aCall, anIncident, aPersona } from '../support/a.ts';
import type { Bench } from './bench.ts';

export const context = { who: 'ann', because: 'a test' };

/** For each code, a world in which exactly this is the answer. */
export const WAYS: Record<DenialCode, (b: Bench) => ReturnType<Guard['decide']>> = {
  tool_unknown: (b) => b.guard.decide(b.request('news', { call: aCall({ tool: 'rm_rf' as ToolName }) })),
  params_invalid: (b) => b.guard.decide(b.request('news', { call: aCall({ channels: ['news'] }) })),
  target_mismatch: (b) =>
    b.guard.decide(b.request('news', { incident: anIncident({ scope: { kind: 'channel', id: 'sports' } }) })),
  frozen: (b) => {
    b.record({ type: 'control.frozen', ...context });
    return b.guard.decide(b.request());
  },
  hands_off: (b) => {
    b.record({ type: 'control.leased', scope: { kind: 'channel', id: 'news' }, forMs: 60_000, ...context });
    return b.guard.decide(b.request());
  },
  maintenance: (b) => {
    const scope = { kind: 'engine', id: 'local' } as const;
    b.record({ type: 'control.window_added', window: 'win-1', scope, startsInMs: 0, forMs: 60_000, ...context });
    return b.guard.decide(b.request());
  },
  phase: (b) => {
    b.world.phase = 2;
    return b.guard.decide(b.request());
  },
  no_capability: (b) => {
    b.world.capabilities = new Set(['observe', 'logs']);
    return b.guard.decide(b.request());
  },
  mode_forbids: (b) => b.guard.decide(b.request('news', { persona: aPersona({ operational_mode: 'diagnostic' }) })),
  persona_denies: (b) => b.guard.decide(b.request('news', { persona: aPersona({ tool_access_policy: {} }) })),
  containment: (b) => {
    b.world.live = { ...b.world.live, poolPressure: 0.9 };
    return b.guard.decide(b.request());
  },
  shared_cause: (b) => {
    const request = b.request();
    return b.guard.decide({ ...request, envelope: { ...request.envelope, sharedCause: true } });
  },
  evidence_missing: (b) => {
    const request = b.request();
    return b.guard.decide({ ...request, envelope: { ...request.envelope, failureClassification: 'unknown' } });
  },
  evidence_stale: (b) => {
    const request = b.request();
    b.pass(120_000);
    return b.guard.decide(request);
  },
  wrong_remedy: (b) => {
    const request = b.request();
    return b.guard.decide({ ...request, envelope: { ...request.envelope, failureClassification: 'host_exhausted' } });
  },
  uncorroborated: (b) => {
    const request = b.request();
    const signals = request.envelope.signals.map((signal) => ({ ...signal, origin: 'log' as const }));
    return b.guard.decide({ ...request, envelope: { ...request.envelope, signals } });
  },
  already_tried: (b) => {
    const first = b.request();
    const decision = b.guard.decide(first);
    if (decision.verdict === 'allow') b.perform(decision.permit, { cured: false });
    b.pass(60_000);
    const again = b.request();
    return b.guard.decide({ ...again, envelope: { ...again.envelope, fingerprint: first.envelope.fingerprint } });
  },
  restart_cap: (b) => b.guard.decide(b.request('news', { persona: aPersona({ restart_cap: 0 }) })),
  daily_cap: (b) => {
    b.world.limits = { ...b.world.limits, dailyRestartCap: 1 };
    b.restart('news', { cured: true });
    b.pass(60_000);
    return b.guard.decide(b.request('news', { incident: anIncident({ id: 'inc-new' }) }));
  },
  fleet_daily_cap: (b) => {
    b.world.limits = { ...b.world.limits, fleetDailyRestartCap: 1 };
    b.restart('news', { cured: true });
    b.pass(60_000);
    return b.guard.decide(b.request('news', { incident: anIncident({ id: 'inc-new' }) }));
  },
  breaker_open: (b) => {
    b.world.limits = { ...b.world.limits, breakerFailuresMax: 1 };
    b.restart('news', { cured: false });
    b.pass(60_000);
    return b.guard.decide(b.request());
  },
  breaker_probe_taken: (b) => {
    b.world.limits = { ...b.world.limits, breakerFailuresMax: 1 };
    b.restart('news', { cured: false });
    b.pass(120_000);
    b.restart('news');
    return b.guard.decide(b.request());
  },
  risk_budget: (b) => b.guard.decide(b.request('news', { stepHighRiskUsed: true })),
  high_risk_spacing: (b) => {
    b.restart('news', { cured: true });
    b.pass(59_999);
    return b.guard.decide(b.request());
  },
  cooldown: (b) => {
    b.world.limits = { ...b.world.limits, restartCooldownMs: 90_000 };
    b.restart('news', { cured: true });
    b.pass(60_000);
    return b.guard.decide(b.request());
  },
  restart_storm: (b) => {
    for (let at = 0; at < 10; at += 1) b.foreignStart(`c${at}`, `pid-${at}`);
    return b.guard.decide(b.request());
  },
  viewer_budget: (b) => {
    b.world.limits = { ...b.world.limits, viewerSecondsPerHourMax: 999 };
    b.world.live = { ...b.world.live, viewers: 100 };
    const request = b.request();
    return b.guard.decide({ ...request, envelope: { ...request.envelope, channelHealthy: undefined } });
  },
  approval_needed: (b) => {
    const persona = aPersona({ tool_access_policy: { restart_channel: 'require_approval' } });
    return b.guard.decide(b.request('news', { persona }));
  },
  journal_unwritable: (b) => {
    b.store.failWrites('no space left on device');
    return b.guard.decide(b.request());
  },
};
