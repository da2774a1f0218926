import { describe, expect, it } from 'vitest';
import { approvalHash, askApproval } from '../../src/control/approvals.ts';
import type { ToolName } from '../../src/core/tool.ts';
import { aCall, aChannel, anIncident, aPersona } from '../support/a.ts';
import { type Bench, bench, channelsOf } from './bench.ts';
import { context } from './paths.ts';

it('counts one cooldown per engine for what acts on the whole engine', () => {
  const b = bench({ channels: [...channelsOf(2), aChannel({ id: 'far', group: 'far', engine: 'other' })] });
  const persona = aPersona({ tool_access_policy: { inspect_pool_status: 'allow', get_channel_health: 'allow' } });
  const ask = (id: string, tool: ToolName) =>
    b.guard.decide(b.request(id, { persona, call: aCall({ tool, target: { kind: 'channel', id } }) }));
  expect(ask('c0', 'inspect_pool_status').verdict).toBe('allow');
  expect(ask('c1', 'inspect_pool_status')).toMatchObject({ code: 'cooldown' });
  expect(ask('far', 'inspect_pool_status').verdict).toBe('allow');
  expect(ask('c0', 'get_channel_health').verdict).toBe('allow');
  expect(ask('c1', 'get_channel_health').verdict).toBe('allow');
});

describe('questions 7 and 8', () => {
  it('refuses to change a channel while an incident on its group or engine is open', () => {
    for (const scope of [{ kind: 'group', id: 'encoders' } as const, { kind: 'engine', id: 'local' } as const]) {
      const b = bench();
      b.record({ type: 'incident.opened', incident: anIncident({ id: 'inc-g', scope }) }, undefined, 'inc-g');
      expect(b.guard.preview(b.request()).code).toBe('shared_cause');
      b.record({ type: 'incident.closed', ending: 'resolved', because: '', openMs: 1 }, undefined, 'inc-g');
      expect(b.guard.preview(b.request()).code).toBeUndefined();
    }
  });

  const withEnvelope = (b: Bench, change: object, more: object = {}) => {
    const request = b.request('news', more);
    return b.guard.preview({ ...request, envelope: { ...request.envelope, ...change } }).code;
  };

  it('refuses evidence about another channel, without a class, without a signal, or not sure enough', () => {
    const b = bench();
    expect(withEnvelope(b, { scope: { kind: 'channel', id: 'sports' } })).toBe('evidence_missing');
    expect(withEnvelope(b, { failureClassification: undefined })).toBe('evidence_missing');
    expect(withEnvelope(b, { signals: [] })).toBe('evidence_missing');
    expect(withEnvelope(b, { confidence: 0.59 })).toBe('evidence_missing');
    expect(withEnvelope(b, { confidence: Number.NaN })).toBe('evidence_missing');
    expect(withEnvelope(b, { confidence: 0.6 })).toBeUndefined();
  });

  it('counts only fresh signals: an old one corroborates nothing', () => {
    const b = bench();
    const probe = { origin: 'probe', says: '', symptom: undefined } as const;
    const process = { origin: 'process', says: '', symptom: undefined } as const;
    const old = b.nowMs() - 120_000;
    expect(
      withEnvelope(b, {
        signals: [
          { ...probe, monoMs: old },
          { ...process, monoMs: b.nowMs() },
        ],
      }),
    ).toBe('uncorroborated');
    expect(
      withEnvelope(b, {
        signals: [
          { ...probe, monoMs: old },
          { ...process, monoMs: old },
        ],
      }),
    ).toBe('evidence_stale');
    expect(
      withEnvelope(b, {
        signals: [
          { ...probe, monoMs: old + 1 },
          { ...process, monoMs: b.nowMs() },
        ],
      }),
    ).toBeUndefined();
  });

  it.each([
    [['log', 'probe'], undefined],
    [['process', 'probe'], undefined],
    [['probe', 'probe'], 'uncorroborated'],
    [['log', 'log'], 'uncorroborated'],
    [['log', 'pushed metric'], 'uncorroborated'],
    [['pushed metric', 'pushed metric'], 'uncorroborated'],
    [['process', 'pushed metric'], undefined],
    [['log', 'metric'], undefined],
    [['process'], 'uncorroborated'],
  ] as const)('of the signals %j makes %s', (origins, code) => {
    const b = bench();
    const signals = origins.map((one) => {
      const from = one === 'pushed metric' ? { origin: 'metric', pushed: true } : { origin: one };
      return { ...from, says: '', symptom: undefined, monoMs: b.nowMs() };
    });
    expect(withEnvelope(b, { signals })).toBe(code);
  });

  it('lets a low-risk fix rest on one kind of evidence, unless the persona requires more', () => {
    const b = bench();
    const signals = [{ origin: 'log', says: '', symptom: undefined, monoMs: b.nowMs() }];
    const change = { signals, failureClassification: 'upstream_auth_expired' };
    const call = aCall({ tool: 'refresh_credentials' });
    const persona = (access: 'allow' | 'require_evidence') =>
      aPersona({ tool_access_policy: { refresh_credentials: access } });
    expect(withEnvelope(b, change, { call, persona: persona('allow') })).toBeUndefined();
    expect(withEnvelope(b, change, { call, persona: persona('require_evidence') })).toBe('uncorroborated');
  });

  it('needs two kinds of evidence for a restart even where the persona plainly allows it', () => {
    const b = bench();
    const signals = [{ origin: 'process', says: '', symptom: undefined, monoMs: b.nowMs() }];
    const persona = aPersona({ tool_access_policy: { restart_channel: 'allow' } });
    expect(withEnvelope(b, { signals }, { persona })).toBe('uncorroborated');
    expect(withEnvelope(b, {}, { persona })).toBeUndefined();
  });

  it('restarts for an expired credential only after the credential fix was verified in the same incident', () => {
    const b = bench();
    const incident = anIncident({ id: 'inc-1', classification: 'upstream_auth_expired' });
    b.record({ type: 'incident.opened', incident }, 'news', incident.id);
    const persona = aPersona({
      tool_access_policy: { refresh_credentials: 'allow', restart_channel: 'require_evidence' },
    });
    const change = { failureClassification: 'upstream_auth_expired' };
    expect(withEnvelope(b, change, { incident, persona })).toBe('wrong_remedy');

    const request = b.request('news', { incident, persona, call: aCall({ tool: 'refresh_credentials' }) });
    const fix = b.guard.decide({
      ...request,
      envelope: { ...request.envelope, failureClassification: 'upstream_auth_expired' },
    });
    if (fix.verdict === 'allow') b.perform(fix.permit);
    expect(withEnvelope(b, change, { incident, persona })).toBe('wrong_remedy');
    if (fix.verdict === 'allow') b.verified(fix.permit.terms, true);
    expect(withEnvelope(b, change, { incident, persona })).toBeUndefined();
    expect(withEnvelope(b, change, { incident: { ...incident, id: 'inc-2' }, persona })).toBe('wrong_remedy');
  });
});

describe('question 12', () => {
  it('refuses a second high-risk action of the same run, whatever the caller says of it', () => {
    const b = bench({ channels: [aChannel(), aChannel({ id: 'sports' })] });
    b.restart('news', { cured: true }, { run: 'run-x' });
    b.pass(3_600_000);
    expect(b.guard.decide(b.request('news', { run: 'run-x' }))).toMatchObject({ code: 'risk_budget' });
    expect(b.guard.decide(b.request('sports', { run: 'run-x' }))).toMatchObject({ code: 'risk_budget' });
  });

  it('lets two channels of a group begin within 60 s and not a third', () => {
    const b = bench({ channels: channelsOf(3, { group: 'encoders' }) });
    b.restart('c0', { cured: true });
    b.pass(10_000);
    b.restart('c1', { cured: true });
    b.pass(49_999);
    expect(b.guard.decide(b.request('c2'))).toMatchObject({ code: 'high_risk_spacing', retryAfterMs: 1 });
    b.pass(1);
    expect(b.guard.decide(b.request('c2'))).toMatchObject({ verdict: 'allow' });
  });

  it('lets only one begin for a persona of low risk tolerance', () => {
    const b = bench({ channels: channelsOf(2, { group: 'encoders' }) });
    const persona = aPersona({ risk_tolerance: 'low', restart_cap: 10 });
    b.restart('c0', { cured: true });
    expect(b.guard.decide(b.request('c1', { persona }))).toMatchObject({ code: 'high_risk_spacing' });
    expect(b.guard.decide(b.request('c1'))).toMatchObject({ verdict: 'allow' });
  });
});

describe('questions 15 and 16', () => {
  it('never keeps a channel down for the sake of its viewers', () => {
    const b = bench({ limits: { viewerSecondsPerHourMax: 1 }, live: { viewers: 10_000 } });
    expect(b.guard.decide(b.request())).toMatchObject({ verdict: 'allow' });
  });

  it('spends viewers times the measured gap, and frees it after an hour', () => {
    const b = bench({
      channels: channelsOf(2),
      limits: { viewerSecondsPerHourMax: 1_500 },
      live: { viewers: 100, restartGapMs: 10_000 },
    });
    const unsure = (channel: string) => {
      const request = b.request(channel);
      return b.guard.decide({ ...request, envelope: { ...request.envelope, channelHealthy: undefined } });
    };
    const first = unsure('c0');
    expect(first).toMatchObject({ verdict: 'allow', permit: { terms: { viewerSeconds: 1_000 } } });
    b.pass(3_599_999);
    expect(unsure('c1')).toMatchObject({ code: 'viewer_budget', retryAfterMs: 1 });
    b.pass(1);
    expect(unsure('c1')).toMatchObject({ verdict: 'allow' });
  });

  const persona = aPersona({ tool_access_policy: { restart_channel: 'require_approval' } });
  const asked = (b: Bench) => {
    const request = b.request('news', { persona });
    const draft = askApproval(
      {
        id: 'apr-1',
        call: request.call,
        incident: request.incident.id,
        run: request.run,
        classification: request.envelope.failureClassification,
        askedAt: 0,
        askedMs: b.nowMs(),
      },
      600_000,
    );
    b.ledger.append([draft]);
  };
  const answer = (b: Bench, yes: boolean) => b.record({ type: 'approval.answered', id: 'apr-1', yes, ...context });

  it("serves a person's yes once, for exactly what was asked", () => {
    const b = bench();
    asked(b);
    expect(b.guard.decide(b.request('news', { persona, approval: 'apr-1' }))).toMatchObject({
      code: 'approval_needed',
    });
    answer(b, true);
    const other = b.request('news', { persona, approval: 'apr-1' });
    expect(
      b.guard.decide({ ...other, envelope: { ...other.envelope, failureClassification: 'output_stalled' } }),
    ).toMatchObject({ code: 'approval_needed' });
    expect(b.guard.decide(b.request('news', { persona, approval: 'apr-1' }))).toMatchObject({ verdict: 'allow' });
    expect(b.facts('approval.used')).toHaveLength(1);
    b.pass(60_000);
    b.pass(60_000);
    expect(b.guard.decide(b.request('news', { persona, approval: 'apr-1' }))).toMatchObject({
      code: 'approval_needed',
    });
  });

  it('takes no yes that came as a no, or too late', () => {
    const b = bench();
    asked(b);
    answer(b, false);
    expect(b.guard.preview(b.request('news', { persona, approval: 'apr-1' })).code).toBe('approval_needed');
    const late = bench();
    asked(late);
    late.pass(600_000);
    answer(late, true);
    expect(late.guard.preview(late.request('news', { persona, approval: 'apr-1' })).code).toBe('approval_needed');
  });

  it('asks no person about what is refused anyway', () => {
    const b = bench({ phase: 0 });
    const decision = b.guard.decide(b.request('news', { persona }));
    expect(decision).toMatchObject({ code: 'phase' });
    expect(decision.trace.find(({ id }) => id === 16)).toMatchObject({ verdict: 'not_asked' });
  });

  it('binds the hash to tool, target, channels and classification', () => {
    const hashes = [
      approvalHash(aCall(), 'process_crashed'),
      approvalHash(aCall(), 'output_stalled'),
      approvalHash(aCall(), undefined),
      approvalHash(aCall({ tool: 'rebuild_playout' }), 'process_crashed'),
      approvalHash(aCall({ target: { kind: 'channel', id: 'sports' } }), 'process_crashed'),
      approvalHash(aCall({ channels: ['a'] }), 'process_crashed'),
    ];
    expect(new Set(hashes).size).toBe(hashes.length);
  });
});
