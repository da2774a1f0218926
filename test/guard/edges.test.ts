import { describe, expect, it } from 'vitest';
import type { Scope } from '../../src/core/scope.ts';
import type { ToolName } from '../../src/core/tool.ts';
import { aCall, aChannel, anIncident, aPersona } from '../support/a.ts';
import { type Bench, bench, channelsOf } from './bench.ts';
import { GROUP, staged } from './stage.ts';
import { context } from './paths.ts';

const answerTo = (id: number, checks: ReturnType<Bench['guard']['preview']>['checks']) =>
  checks.find((check) => check.id === id)!;
const engine = (id: string): Scope => ({ kind: 'engine', id });
const may = (tool: ToolName) => aPersona({ tool_access_policy: { [tool]: 'allow' } });

describe('a command of a person for a wider scope', () => {
  it.each<Scope>([GROUP, engine('local'), { kind: 'fleet' }])(
    'as %j holds for a staged start of the group',
    (scope) => {
      const { b, request, envelopeOfGroup } = staged(2);
      expect(b.guard.preview(envelopeOfGroup(request())).code).toBeUndefined();
      b.record({ type: 'control.leased', scope, forMs: 60_000, ...context });
      expect(b.guard.preview(envelopeOfGroup(request())).code).toBe('hands_off');
    },
  );

  it.each<[Scope, string | undefined]>([
    [engine('local'), 'hands_off'],
    [{ kind: 'fleet' }, 'hands_off'],
    [engine('far'), undefined],
    [{ kind: 'group', id: 'encoders' }, undefined],
  ])('as %j holds for a change of the engine, or does not: %s', (scope, code) => {
    const b = bench();
    b.record({ type: 'control.leased', scope, forMs: 60_000, ...context });
    const call = aCall({ tool: 'invalidate_cache', target: engine('local') });
    const { checks } = b.guard.preview(b.request('news', { call, persona: may('invalidate_cache') }));
    expect(answerTo(2, checks).code).toBe(code);
  });
});

describe('names that are the same', () => {
  it('of a channel and its engine do not make the channel the own engine of the incident', () => {
    const b = bench({ channels: [aChannel({ id: 'news' }), aChannel({ id: 'local' })] });
    const incident = anIncident({ scope: { kind: 'channel', id: 'news' } });
    const call = aCall({ target: { kind: 'channel', id: 'local' } });
    expect(b.guard.preview(b.request('local', { call, incident })).code).toBe('target_mismatch');
  });

  it('of a group and a channel do not make the group a member of the incident', () => {
    const b = bench();
    const incident = anIncident({ scope: GROUP, group: 'g', channels: ['news'] });
    const call = aCall({ tool: 'fetch_recent_logs', target: { kind: 'group', id: 'news' } });
    const preview = b.guard.preview(b.request('news', { call, incident, persona: may('fetch_recent_logs') }));
    expect(preview.code).toBe('target_mismatch');
  });

  it('of a group and an engine, or of a channel, do not take an unrelated incident for a shared cause', () => {
    const channels = [aChannel({ group: 'same', engine: 'local' }), aChannel({ id: 'same', group: 'other' })];
    const strangers: readonly Scope[] = [
      { kind: 'group', id: 'local' },
      engine('same'),
      { kind: 'group', id: 'other' },
      { kind: 'channel', id: 'same' },
    ];
    for (const scope of strangers) {
      const b = bench({ channels });
      b.record({ type: 'incident.opened', incident: anIncident({ id: 'inc-x', scope }) }, undefined, 'inc-x');
      expect([scope, answerTo(7, b.guard.preview(b.request()).checks).code]).toEqual([scope, undefined]);
    }
  });
});

describe('an incident of the whole group that is still open', () => {
  it('keeps no channel any more once all that it touched play, and any other one of the group still does', () => {
    const b = bench({ live: { nonBlocking: new Set(['inc-x']) } });
    const codeAfter = (id: string) => {
      const incident = anIncident({ id, scope: { kind: 'group', id: 'encoders' } });
      b.record({ type: 'incident.opened', incident }, undefined, id);
      return answerTo(7, b.guard.preview(b.request()).checks).code;
    };
    expect([codeAfter('inc-x'), codeAfter('inc-y')]).toEqual([undefined, 'shared_cause']);
  });
});

describe('containment of a group', () => {
  it('is a shared cause only when that is its reason', () => {
    for (const [reason, code] of [
      ['shared_cause', 'shared_cause'],
      ['pool_pressure', undefined],
    ] as const) {
      const b = bench();
      const scope = { kind: 'group', id: 'encoders' } as const;
      b.record({ type: 'containment.raised', scope, reason, detail: '', releaseByPerson: false });
      const { checks } = b.guard.preview(b.request());
      expect([answerTo(6, checks).code, answerTo(7, checks).code]).toEqual(['containment', code]);
    }
  });
});

describe('a staged start of an engine', () => {
  const channels = [...channelsOf(2), aChannel({ id: 'far', group: 'g9', engine: 'other' })];
  const asked = (names: readonly string[]) => {
    const b = bench({ channels });
    const incident = anIncident({ scope: engine('local'), channels: ['c0', 'c1', 'far', 'gone'] });
    const request = b.request('c0', { incident, call: aCall({ target: engine('local'), channels: names }) });
    return b.guard.preview(request);
  };

  it('names channels of that engine, and none of another or none at all', () => {
    expect(answerTo(1, asked(['c0', 'c1']).checks).code).toBeUndefined();
    expect(asked(['c0', 'far']).code).toBe('params_invalid');
    expect(asked(['c0', 'gone']).code).toBe('params_invalid');
  });

  it('of a group names no channel of another group, though the incident covers it', () => {
    const b = bench({ channels });
    const incident = anIncident({ scope: { kind: 'group', id: 'g0' }, channels: ['c0', 'c1'] });
    const target = { kind: 'group', id: 'g0' } as const;
    const code = (names: readonly string[]) =>
      answerTo(1, b.guard.preview(b.request('c0', { incident, call: aCall({ target, channels: names }) })).checks).code;
    expect(code(['c0'])).toBeUndefined();
    expect(code(['c0', 'c1'])).toBe('params_invalid');
  });

  it('needs the capability of every engine that its channels run on', () => {
    const mixed = [aChannel({ id: 'a', group: 'g' }), aChannel({ id: 'b', group: 'g', engine: 'other' })];
    const b = bench({ channels: mixed });
    const incident = anIncident({ scope: GROUP, group: 'g', channels: ['a', 'b'] });
    const look = () => {
      const request = b.request('a', { incident, call: aCall({ target: GROUP, channels: ['a', 'b'] }) });
      return answerTo(4, b.guard.preview(request).checks).code;
    };
    expect(look()).toBeUndefined();
    b.world.lame.add('other');
    expect(look()).toBe('no_capability');
  });
});

describe('a start of a staged plan', () => {
  it('is lost at the very millisecond of its deadline, and not before', () => {
    const { b, plan, child, startChild } = staged();
    const parent = plan();
    startChild(parent, 'c0', 'unjudged');
    const { dueMs } = Object.values(b.guardState().plans)[0]!.starts[0]!;
    b.pass(dueMs - b.nowMs() - 1);
    expect(child(parent, 'c1')).toMatchObject({ code: 'high_risk_spacing', retryAfterMs: 1 });
    b.pass(1);
    expect(child(parent, 'c1')).toMatchObject({ code: 'risk_budget' });
  });

  it('that was verified stays verified after its deadline', () => {
    const { b, plan, child, startChild } = staged();
    const parent = plan();
    startChild(parent, 'c0');
    b.pass(600_000);
    expect(child(parent, 'c1').verdict).toBe('allow');
  });

  it('counts what its viewers lose, though it has no envelope of its own', () => {
    const { plan, child } = staged(2, { live: { viewers: 30, restartGapMs: 2_000 } });
    const decision = child(plan(), 'c0');
    expect(decision).toMatchObject({ verdict: 'allow', permit: { terms: { viewerSeconds: 60 } } });
  });
});

describe('the budget of viewers', () => {
  const look = (b: Bench, channelHealthy: boolean | undefined) => {
    const request = b.request();
    return answerTo(15, b.guard.preview({ ...request, envelope: { ...request.envelope, channelHealthy } }).checks);
  };

  it('may be spent to the last second', () => {
    const exact = bench({ limits: { viewerSecondsPerHourMax: 1_000 }, live: { viewers: 100 } });
    expect(look(exact, undefined).verdict).toBe('pass');
    const less = bench({ limits: { viewerSecondsPerHourMax: 999 }, live: { viewers: 100 } });
    expect(look(less, undefined).code).toBe('viewer_budget');
  });

  it('never keeps a channel down, though more was spent than there is', () => {
    const b = bench({ limits: { viewerSecondsPerHourMax: 1_000 }, live: { viewers: 100 } });
    const request = b.request();
    const envelope = { ...request.envelope, channelHealthy: undefined };
    const decision = b.guard.decide({ ...request, envelope });
    if (decision.verdict === 'allow') b.perform(decision.permit, { cured: true });
    b.world.limits = { ...b.world.limits, viewerSecondsPerHourMax: 10 };
    expect(look(b, undefined).code).toBe('viewer_budget');
    expect(look(b, false).verdict).toBe('pass');
  });

  it('is not asked where the viewers are not known', () => {
    expect(look(bench({ limits: { viewerSecondsPerHourMax: 1 } }), undefined).verdict).toBe('not_asked');
  });
});

describe('a fix that opens the way to a restart', () => {
  it('opens it to no other tool', () => {
    const b = bench();
    const request = b.request('news', { call: aCall({ tool: 'rebuild_playout' }), persona: may('rebuild_playout') });
    const envelope = { ...request.envelope, failureClassification: 'upstream_auth_expired' as const };
    const { checks } = b.guard.preview({ ...request, envelope });
    expect(answerTo(8, checks)).toMatchObject({ code: 'wrong_remedy', threshold: 'playout_empty, media_unplayable' });
  });
});
