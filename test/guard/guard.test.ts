import { describe, expect, it } from 'vitest';
import type { ToolName } from '../../src/core/tool.ts';
import { aCall, aPersona } from '../support/a.ts';
import { bench, channelsOf } from './bench.ts';

describe('an allowed call', () => {
  it('holds a permit that names its tool, target, incident, run, fingerprint and place', () => {
    const b = bench();
    const request = b.request();
    const decision = b.guard.decide(request);
    expect(decision).toMatchObject({ verdict: 'allow' });
    if (decision.verdict !== 'allow') return;
    expect(decision.permit.terms).toMatchObject({
      call: request.call,
      incident: request.incident.id,
      run: request.run,
      risk: 'high',
      fence: 1,
      grantedMs: b.nowMs(),
      expiresMs: b.nowMs() + 5_000,
      engine: 'local',
      group: 'encoders',
      fingerprint: request.envelope.fingerprint,
    });
    expect(decision.trace.filter(({ verdict }) => verdict === 'refuse')).toEqual([]);
  });

  it('carries a fence that rises with every permit of the channel', () => {
    const b = bench();
    const fences = [0, 1, 2].map(() => {
      const { fence } = b.restart('news', { cured: true });
      b.pass(60_000);
      return fence;
    });
    expect(fences).toEqual([1, 2, 3]);
  });

  it('carries a fence that the engine has not seen surpassed, whichever channel asks for a change of all of it', () => {
    const b = bench({ channels: channelsOf(2) });
    for (let times = 0; times < 3; times += 1) {
      b.restart('c0', { cured: true });
      b.pass(60_000);
    }
    const persona = aPersona({ tool_access_policy: { refresh_credentials: 'allow' } });
    const refreshed = (channel: string): number => {
      const request = b.request(channel, { persona });
      const call = { ...request.call, tool: 'refresh_credentials' as const };
      const envelope = { ...request.envelope, failureClassification: 'upstream_auth_expired' as const };
      const decision = b.guard.decide({ ...request, call, envelope });
      if (decision.verdict === 'deny') throw new Error(decision.because);
      const { fence } = b.perform(decision.permit, { cured: true });
      b.pass(60_000);
      return fence;
    };
    const fences = ['c0', 'c1', 'c0', 'c1'].map(refreshed);
    expect(fences).toEqual(fences.toSorted((a, b) => a - b));
    expect(new Set(fences).size).toBe(4);
  });

  it('takes an older name of a tool for the tool it means', () => {
    const b = bench();
    const request = b.request('news', {
      call: aCall({ tool: 'refresh_plex_token' as ToolName }),
      persona: aPersona({ tool_access_policy: { refresh_plex_token: 'allow' } }),
    });
    const decision = b.guard.decide({
      ...request,
      envelope: { ...request.envelope, failureClassification: 'upstream_auth_expired' },
    });
    expect(decision).toMatchObject({ verdict: 'allow', permit: { terms: { call: { tool: 'refresh_credentials' } } } });
  });
});

describe('question 17 and the reservation', () => {
  it('reserves nothing when the reservation cannot be written, and permits nothing after that', () => {
    const b = bench({ channels: channelsOf(2) });
    const before = JSON.stringify(b.guardState());
    b.store.failWrites('no space left on device');
    expect(b.guard.decide(b.request('c0'))).toMatchObject({ code: 'journal_unwritable' });
    expect(JSON.stringify(b.guardState())).toBe(before);
    expect(b.guard.journalError).toContain('no space left');
    expect(b.guard.decide(b.request('c1'))).toMatchObject({ code: 'containment' });
    const persona = aPersona({ tool_access_policy: { fetch_recent_logs: 'allow' } });
    const look = b.request('c1', {
      persona,
      call: aCall({ tool: 'fetch_recent_logs', target: { kind: 'channel', id: 'c1' } }),
    });
    expect(b.guard.decide(look)).toMatchObject({ code: 'journal_unwritable' });
  });

  it('shows in the trace that the last question was the one that refused', () => {
    const b = bench();
    b.store.failWrites('gone');
    const { trace } = b.guard.decide(b.request());
    expect(trace.at(-1)).toMatchObject({ id: 17, verdict: 'refuse', code: 'journal_unwritable' });
  });

  it('permits again only when a person says that the journal is trusted', () => {
    const b = bench();
    b.guard.distrustJournal('the chain is broken at entry 7');
    expect(b.guard.decide(b.request())).toMatchObject({ code: 'containment' });
    b.guard.journalTrusted();
    expect(b.guard.decide(b.request())).toMatchObject({ verdict: 'allow' });
  });

  it('shows its reservation to whoever asks again from within the append', () => {
    const b = bench();
    const seen: unknown[] = [];
    b.ledger.subscribe(({ fact }) => {
      if (fact.type === 'guard.decided' && fact.decision.verdict === 'allow') seen.push(b.guard.decide(b.request()));
    });
    expect(b.guard.decide(b.request())).toMatchObject({ verdict: 'allow' });
    expect(seen).toMatchObject([{ verdict: 'deny', code: 'high_risk_spacing' }]);
  });

  it('reserves nothing in a preview', () => {
    const b = bench();
    const before = JSON.stringify(b.guardState());
    for (let n = 0; n < 5; n += 1) expect(b.guard.preview(b.request()).verdict).toBe('allow');
    expect(JSON.stringify(b.guardState())).toBe(before);
    expect(b.entries()).toEqual([]);
  });
});
