import { describe, expect, it } from 'vitest';
import { aCall, anIncident, aPersona } from '../../support/a.ts';
import { bench } from '../bench.ts';
import { context } from '../paths.ts';

describe('question 1', () => {
  it('refuses a fleet, an unknown channel, and a tool pointed at what it does not take', () => {
    const b = bench();
    const code = (call: Parameters<typeof aCall>[0]) => b.guard.preview(b.request('news', { call: aCall(call) })).code;
    expect(code({ target: { kind: 'fleet' } })).toBe('params_invalid');
    expect(code({ target: { kind: 'channel', id: 'nowhere' } })).toBe('params_invalid');
    expect(code({ tool: 'rebuild_playout', target: { kind: 'group', id: 'encoders' } })).toBe('params_invalid');
  });

  it("lets engine-wide tools name the incident's own engine, and no other", () => {
    const b = bench();
    const persona = aPersona({ tool_access_policy: { inspect_pool_status: 'allow' } });
    const code = (id: string) =>
      b.guard.preview(
        b.request('news', { persona, call: aCall({ tool: 'inspect_pool_status', target: { kind: 'engine', id } }) }),
      ).code;
    expect(code('local')).toBeUndefined();
    expect(code('other')).toBe('target_mismatch');
  });

  it('lets a group incident look at its channels, and change none of them alone', () => {
    const b = bench();
    const incident = anIncident({ id: 'inc-g', scope: { kind: 'group', id: 'encoders' }, channels: ['news'] });
    const persona = aPersona({ tool_access_policy: { get_channel_health: 'allow', restart_channel: 'allow' } });
    expect(
      b.guard.preview(b.request('news', { incident, persona, call: aCall({ tool: 'get_channel_health' }) })).code,
    ).toBeUndefined();
    expect(b.guard.preview(b.request('news', { incident, persona })).code).toBe('target_mismatch');
  });
});

describe('questions 2, 3 and 5', () => {
  it.each([
    [0, 'fetch_recent_logs', 'phase'],
    [1, 'fetch_recent_logs', undefined],
    [1, 'refresh_credentials', 'phase'],
    [2, 'refresh_credentials', undefined],
    [2, 'rebuild_playout', 'phase'],
    [2, 'restart_channel', 'phase'],
    [3, 'rebuild_playout', undefined],
    [3, 'restart_channel', undefined],
  ] as const)('at phase %d answers %s with %s', (phase, tool, code) => {
    const b = bench({ phase });
    const cures = { refresh_credentials: 'upstream_auth_expired', rebuild_playout: 'playout_empty' } as const;
    const request = b.request('news', {
      call: aCall({ tool }),
      persona: aPersona({ tool_access_policy: { [tool]: 'allow' } }),
    });
    const failureClassification = cures[tool as keyof typeof cures] ?? 'process_crashed';
    expect(b.guard.preview({ ...request, envelope: { ...request.envelope, failureClassification } }).code).toBe(code);
  });

  it('takes the lower of the phase of all and the phase of the group', () => {
    const b = bench({ phase: 4 });
    b.record({ type: 'control.phase_set', phase: 2, group: 'encoders', ...context });
    expect(b.guard.preview(b.request()).code).toBe('phase');
    b.record({ type: 'control.phase_set', phase: 3, group: 'encoders', ...context });
    expect(b.guard.preview(b.request()).code).toBeUndefined();
    b.record({ type: 'control.phase_set', phase: 1, group: undefined, ...context });
    expect(b.guard.preview(b.request()).code).toBe('phase');
  });

  it('lets tools that only look run while Reeve is frozen, leased away or contained', () => {
    const b = bench({ live: { poolPressure: 1 } });
    b.record({ type: 'control.frozen', ...context });
    b.record({ type: 'control.leased', scope: { kind: 'fleet' }, forMs: 60_000, ...context });
    const persona = aPersona({ tool_access_policy: { fetch_recent_logs: 'allow' } });
    expect(b.guard.decide(b.request('news', { persona, call: aCall({ tool: 'fetch_recent_logs' }) })).verdict).toBe(
      'allow',
    );
  });

  it.each(['diagnostic', 'containment'] as const)(
    'in %s mode lets Reeve look and change nothing',
    (operational_mode) => {
      const b = bench();
      const persona = aPersona({
        operational_mode,
        tool_access_policy: { fetch_recent_logs: 'allow', restart_channel: 'allow' },
      });
      expect(
        b.guard.preview(b.request('news', { persona, call: aCall({ tool: 'fetch_recent_logs' }) })).code,
      ).toBeUndefined();
      expect(b.guard.preview(b.request('news', { persona })).code).toBe('mode_forbids');
    },
  );

  it('in passive mode does not even look', () => {
    const b = bench();
    const persona = aPersona({ operational_mode: 'passive', tool_access_policy: { fetch_recent_logs: 'allow' } });
    expect(b.guard.preview(b.request('news', { persona, call: aCall({ tool: 'fetch_recent_logs' }) })).code).toBe(
      'mode_forbids',
    );
  });

  it('takes the strictest mode when a tool and its older name are both in the persona', () => {
    const b = bench();
    const persona = aPersona({ tool_access_policy: { refresh_credentials: 'allow', refresh_plex_token: 'deny' } });
    expect(b.guard.preview(b.request('news', { persona, call: aCall({ tool: 'refresh_credentials' }) })).code).toBe(
      'persona_denies',
    );
  });
});
