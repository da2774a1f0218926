import { describe, expect, it } from 'vitest';
import type { FailureClass } from '../../src/core/classification.ts';
import type { ToolName } from '../../src/core/tool.ts';
import { aCall, aChannel, anIncident, aPersona } from '../support/a.ts';
import { type Bench, bench } from './bench.ts';

/** What changes of the code, made to see whether a test notices, got past all others. */
const ask = (b: Bench, channel: string, tool: ToolName, failureClassification: FailureClass, fingerprint?: string) => {
  const request = b.request(channel, {
    call: aCall({ tool, target: { kind: 'channel', id: channel } }),
    persona: aPersona({ tool_access_policy: { [tool]: 'allow' } }),
  });
  const envelope = {
    ...request.envelope,
    failureClassification,
    ...(fingerprint === undefined ? {} : { fingerprint }),
  };
  return { ...request, envelope };
};

describe('an action whose end is unknown', () => {
  const two = () => bench({ channels: [aChannel({ id: 'news' }), aChannel({ id: 'film', group: 'other' })] });
  const lose = (b: Bench, request: ReturnType<typeof ask>) => {
    const decision = b.guard.decide(request);
    if (decision.verdict === 'deny') throw new Error(decision.code);
    b.started(decision.permit.terms);
    b.record({ type: 'tool.unknown', permit: decision.permit.terms, because: 'crash' }, 'news');
    b.pass(600_000);
  };

  it('blocks every change of its channel, also by tools that belong to the engine', () => {
    const b = two();
    lose(b, ask(b, 'news', 'restart_channel', 'process_crashed'));
    expect(b.guard.preview(ask(b, 'news', 'refresh_credentials', 'upstream_auth_expired')).code).toBe('already_tried');
    expect(b.guard.preview(ask(b, 'film', 'refresh_credentials', 'upstream_auth_expired')).code).toBeUndefined();
  });

  it('on the engine blocks what belongs to the engine on every channel of it', () => {
    const b = two();
    const scope = { kind: 'engine', id: 'local' } as const;
    const request = ask(b, 'news', 'refresh_credentials', 'upstream_auth_expired');
    const call = aCall({ tool: 'refresh_credentials', target: scope });
    lose(b, { ...request, call, incident: anIncident({ scope }), envelope: { ...request.envelope, scope } });
    expect(b.guard.preview(ask(b, 'film', 'refresh_credentials', 'upstream_auth_expired')).code).toBe('already_tried');
    expect(b.guard.preview(ask(b, 'film', 'restart_channel', 'process_crashed')).code).toBeUndefined();
  });
});

describe('a permit that was never redeemed', () => {
  it('does not count as a try of its fix', () => {
    const b = bench();
    const request = () => ask(b, 'news', 'restart_channel', 'process_crashed', 'process_crashed|news|same');
    expect(b.guard.decide(request()).verdict).toBe('allow');
    b.pass(600_000);
    const { checks } = b.guard.preview(request());
    expect(checks.find(({ id }) => id === 9)).toMatchObject({ verdict: 'pass', value: 'not tried' });
  });
});

describe('evidence about the incident', () => {
  it('serves an action on its engine or group, never one on a channel that it does not describe', () => {
    const b = bench({ channels: [aChannel({ id: 'news' }), aChannel({ id: 'film' })] });
    const group = { kind: 'group', id: 'encoders' } as const;
    const incident = anIncident({ id: 'inc-g', scope: group, channels: ['news', 'film'] });
    const persona = aPersona({ tool_access_policy: { invalidate_cache: 'allow' } });
    const weigh = (target: Parameters<typeof aCall>[0]) => {
      const request = b.request('news', { incident, persona, call: aCall({ tool: 'invalidate_cache', ...target }) });
      const envelope = { ...request.envelope, scope: group, failureClassification: 'guide_stale' as const };
      const { checks } = b.guard.preview({ ...request, envelope });
      return checks.find(({ id }) => id === 8)?.code;
    };
    expect(weigh({ target: { kind: 'engine', id: 'local' } })).toBeUndefined();
    expect(weigh({ target: { kind: 'channel', id: 'film' } })).toBe('evidence_missing');
  });
});

describe('the restarts of an incident', () => {
  it('are counted for as long as it is open, however many days that is', () => {
    const b = bench();
    const incident = anIncident({ id: 'inc-long' });
    b.record({ type: 'incident.opened', incident }, 'news', incident.id);
    const persona = aPersona({ restart_cap: 2 });
    for (let day = 0; day < 2; day += 1) {
      b.restart('news', { cured: true }, { incident, persona });
      b.pass(90_000_000);
    }
    expect(b.guard.preview(b.request('news', { incident, persona })).code).toBe('restart_cap');
    const next = anIncident({ id: 'inc-next' });
    expect(b.guard.preview(b.request('news', { incident: next, persona })).code).toBeUndefined();
  });
});
