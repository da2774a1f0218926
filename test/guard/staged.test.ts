import { describe, expect, it } from 'vitest';
import type { Permit } from '../../src/core/tool.ts';
import { aCall, anIncident, aPersona } from '../support/a.ts';
import type { Bench } from './bench.ts';
import { GROUP, persona, staged } from './stage.ts';

describe('a staged start (S4)', () => {
  it('is one high-risk action with one permit, and one child permit per start', () => {
    const { b, plan, startChild } = staged();
    const parent = plan();
    const children = ['c0', 'c1', 'c2'].map((channel) => startChild(parent, channel));
    expect(children.every(({ parent: of, run }) => of === parent.terms.id && run === parent.terms.run)).toBe(true);
    expect(b.guardState().groups['group:g']).toHaveLength(1);
    expect(b.guardState().starts).toHaveLength(3);
  });

  it('begins with a canary, and nothing else begins before the canary is verified', () => {
    const { b, plan, child } = staged();
    const parent = plan();
    const canary = child(parent, 'c0');
    if (canary.verdict === 'deny') throw new Error(canary.code);
    expect(child(parent, 'c1')).toMatchObject({ code: 'high_risk_spacing' });
    b.perform(canary.permit);
    expect(child(parent, 'c1')).toMatchObject({ code: 'high_risk_spacing' });
    b.verified(canary.permit.terms, true);
    expect(child(parent, 'c1')).toMatchObject({ verdict: 'allow' });
  });

  it('admits two more with each start that is verified: 1, 2, 4', () => {
    const { b, plan, child } = staged(16);
    const parent = plan();
    const waves: number[] = [];
    let next = 0;
    for (let wave = 0; wave < 3; wave += 1) {
      const permits: Permit[] = [];
      for (;;) {
        const decision = child(parent, `c${next}`);
        if (decision.verdict === 'deny') {
          expect(decision.code).toBe('high_risk_spacing');
          break;
        }
        permits.push(decision.permit);
        next += 1;
      }
      waves.push(permits.length);
      for (const permit of permits) b.perform(permit, { callMs: 10, cured: true });
    }
    expect(waves).toEqual([1, 2, 4]);
  });

  it('is over with a canary that is not verified, and with the second of the others', () => {
    const lost = staged();
    const first = lost.plan();
    lost.startChild(first, 'c0', false);
    expect(lost.child(first, 'c1')).toMatchObject({ code: 'risk_budget' });
    const { plan, child, startChild } = staged();
    const parent = plan();
    startChild(parent, 'c0');
    startChild(parent, 'c1', false);
    startChild(parent, 'c2', false);
    expect(child(parent, 'c3')).toMatchObject({ code: 'risk_budget' });
  });

  it("is asked with each channel's own persona, and of its own state", () => {
    const { b, plan, incident } = staged();
    const parent = plan();
    const ask = (own: Partial<typeof persona>, envelope?: object) =>
      b.guard.child({
        ...{ parent: parent.terms, channel: 'c0', incident, persona: { ...persona, ...own } },
        ...(envelope && { own: { ...b.request('c0').envelope, ...envelope } }),
      });
    expect(ask({ tool_access_policy: { restart_channel: 'deny' } })).toMatchObject({ code: 'persona_denies' });
    expect(ask({ restart_cap: 0 })).toMatchObject({ code: 'restart_cap' });
    expect(ask({ operational_mode: 'diagnostic' })).toMatchObject({ code: 'mode_forbids' });
    expect(ask({ tool_access_policy: { restart_channel: 'require_approval' } })).toMatchObject({
      code: 'approval_needed',
    });
    expect(ask({}, { channelHealthy: true })).toMatchObject({ code: 'evidence_missing' });
    expect(ask({}, { takenMs: b.nowMs() - 120_000 })).toMatchObject({ code: 'evidence_stale' });
    expect(ask({}, {})).toMatchObject({ verdict: 'allow' });
  });

  it('leaves the window with what it has verified, and comes back into it with what relapses', () => {
    const { b, plan, startChild } = staged(16);
    const parent = plan();
    const terms = ['c0', 'c1', 'c2'].map((channel) => startChild(parent, channel));
    const room = () => b.guard.preview(b.request('c9')).checks.find(({ id }) => id === 14)?.value;
    expect(room()).toMatch(/^0 starts/);
    b.record({ type: 'attempt.relapsed', permit: terms[1]!, fingerprint: 'f', because: '' }, 'c1');
    expect(room()).toMatch(/^1 starts/);
  });

  it('stops when a start is not judged by its deadline', () => {
    const { b, plan, child, startChild } = staged();
    const parent = plan();
    startChild(parent, 'c0', 'unjudged');
    b.pass(300_000);
    expect(child(parent, 'c1')).toMatchObject({ code: 'risk_budget' });
  });

  it('stops when the end of a start is UNKNOWN', () => {
    const { b, plan, child, startChild } = staged();
    const parent = plan();
    const terms = startChild(parent, 'c0', 'unjudged');
    b.record({ type: 'tool.unknown', permit: terms, because: 'lost' }, 'c0');
    expect(child(parent, 'c1')).toMatchObject({ code: 'risk_budget' });
  });

  it('uses up the one high-risk action of its run on every channel that it starts', () => {
    const { b, plan, startChild } = staged();
    const parent = plan();
    startChild(parent, 'c0');
    b.pass(600_000);
    const mine = anIncident({ id: 'inc-c0', scope: { kind: 'channel', id: 'c0' }, group: 'g' });
    const answer = b.guard.preview(b.request('c0', { incident: mine, run: parent.terms.run }));
    expect(answer.checks.find(({ id }) => id === 12)).toMatchObject({ code: 'risk_budget' });
    const other = b.guard.preview(b.request('c0', { incident: mine, run: 'another' }));
    expect(other.checks.find(({ id }) => id === 12)?.code).not.toBe('risk_budget');
  });

  it('starts each channel once, and only channels of its plan, and only while it runs', () => {
    const { b, plan, child, startChild } = staged();
    const parent = plan();
    startChild(parent, 'c0');
    expect(child(parent, 'c0')).toMatchObject({ code: 'risk_budget' });
    expect(child(parent, 'elsewhere')).toMatchObject({ code: 'params_invalid' });
    b.finished(parent.terms);
    expect(child(parent, 'c1')).toMatchObject({ code: 'risk_budget' });
  });

  it('begins no more in a minute than the limit, though each was verified', () => {
    const { b, plan, child, startChild } = staged(16, { limits: { stagedStartsPerMinuteMax: 4 } });
    const parent = plan();
    for (const channel of ['c0', 'c1', 'c2', 'c3']) startChild(parent, channel);
    const fifth = child(parent, 'c4');
    expect(fifth).toMatchObject({ code: 'restart_storm' });
    if (fifth.verdict === 'deny') b.pass(fifth.retryAfterMs!);
    expect(child(parent, 'c4')).toMatchObject({ verdict: 'allow' });
  });

  it('counts the starts of others, and leaves the last place of the window free', () => {
    const { b, plan, child } = staged(16);
    const parent = plan();
    for (let at = 0; at < 8; at += 1) b.foreignStart(`c${at + 1}`, `g${at}`);
    expect(b.guard.preview(b.request('c15')).checks.find(({ id }) => id === 14)?.value).toMatch(/^8 starts/);
    expect(child(parent, 'c0')).toMatchObject({ verdict: 'allow' });
    const full = staged(16);
    const other = full.plan();
    for (let at = 0; at < 9; at += 1) full.b.foreignStart(`c${at + 1}`, `g${at}`);
    expect(full.child(other, 'c0')).toMatchObject({ code: 'restart_storm' });
  });

  it('asks again about freeze, lease, phase, containment, caps, breaker, cooldown and UNKNOWN', () => {
    const context = { who: 'ann', because: 'a test' };
    const c0 = { kind: 'channel', id: 'c0' } as const;
    const cases: readonly [string, (s: ReturnType<typeof staged>) => void][] = [
      ['frozen', ({ b }) => b.record({ type: 'control.frozen', ...context })],
      ['hands_off', ({ b }) => b.record({ type: 'control.leased', scope: c0, forMs: 60_000, ...context })],
      ['phase', ({ b }) => b.record({ type: 'control.phase_set', phase: 2, group: 'g', ...context })],
      [
        'containment',
        ({ b }) => {
          b.world.live = { ...b.world.live, poolPressure: 1 };
        },
      ],
      [
        'already_tried',
        ({ b, startChild, plan }) => {
          const terms = startChild(plan(), 'c0', 'unjudged');
          b.record({ type: 'tool.unknown', permit: terms, because: 'crash' }, 'c0');
        },
      ],
    ];
    for (const [code, prepare] of cases) {
      const s = staged();
      const parent = code === 'already_tried' ? undefined : s.plan();
      prepare(s);
      const plan =
        parent ?? ({ terms: { id: Object.keys(s.b.guardState().plans)[0]!, run: 'r', incident: 'inc-g' } } as Permit);
      expect([code, s.child(plan, 'c0')]).toMatchObject([code, { code }]);
    }
  });

  it('tells with a refusal whose lease, window, containment or persona it is, and journals the words alone', () => {
    const context = { who: 'ann', because: 'a test' };
    const fleet = { kind: 'fleet' } as const;
    const scopesAfter = (prepare: (s: ReturnType<typeof staged>) => void, wholePersona = persona) => {
      const s = staged();
      const parent = s.plan();
      prepare(s);
      s.b.world.personaOf = ({ kind }) => (kind === 'group' ? wholePersona : persona);
      const decision = s.child(parent, 'c0');
      if (decision.verdict !== 'deny') throw new Error('it was allowed');
      const { scopes, ...written } = decision;
      expect(s.b.facts('guard.decided').at(-1)?.decision).toEqual(JSON.parse(JSON.stringify(written)));
      return scopes;
    };
    const leased = ({ b }: ReturnType<typeof staged>) =>
      b.record({ type: 'control.leased', scope: GROUP, forMs: 60_000, ...context });
    const planned = ({ b }: ReturnType<typeof staged>) =>
      b.record({
        ...{ type: 'control.window_added', window: 'win-1', scope: fleet, startsInMs: 0, forMs: 60_000 },
        ...context,
      });
    const pressed = ({ b }: ReturnType<typeof staged>) => {
      b.world.live = { ...b.world.live, poolPressure: 1 };
    };
    const nothing = () => undefined;
    expect(scopesAfter(leased)).toEqual([GROUP]);
    expect(scopesAfter(planned)).toEqual([fleet]);
    expect(scopesAfter(pressed)).toEqual([{ kind: 'engine', id: 'local' }]);
    expect(scopesAfter(nothing, aPersona({ operational_mode: 'diagnostic' }))).toEqual([GROUP]);
    expect(scopesAfter(nothing, aPersona({ tool_access_policy: {} }))).toEqual([GROUP]);
    const asking = aPersona({ tool_access_policy: { restart_channel: 'require_approval' } });
    expect(scopesAfter(nothing, asking)).toEqual([GROUP]);
    expect(scopesAfter(({ b }) => b.record({ type: 'control.frozen', ...context }))).toEqual([]);
  });

  it("asks again about the channel's caps, breaker and cooldown", () => {
    const capped = staged(3, { limits: { dailyRestartCap: 1 } });
    capped.startChild(capped.plan(), 'c0');
    const second = staged(3, { store: capped.b.store, hand: capped.b, limits: { dailyRestartCap: 1 } });
    second.b.finished(Object.values(second.b.guardState().plans)[0]!.terms);
    second.b.pass(120_000);
    expect(second.child(second.plan('run-later'), 'c0')).toMatchObject({ code: 'daily_cap' });

    const broken = staged(3, { limits: { breakerFailuresMax: 1 } });
    const first = broken.plan();
    broken.startChild(first, 'c0', false);
    broken.b.finished(first.terms);
    broken.b.pass(60_000);
    expect(
      broken.b.guard.child({ parent: first.terms, channel: 'c0', persona, incident: broken.incident }),
    ).toMatchObject({
      trace: expect.arrayContaining([expect.objectContaining({ id: 11, code: 'breaker_open' })]),
    });
  });

  it('has no child before its own permit is redeemed, and none an hour later', () => {
    const { b, request, envelopeOfGroup, child, plan } = staged();
    const decision = b.guard.decide(envelopeOfGroup(request()));
    if (decision.verdict === 'deny') throw new Error(decision.code);
    expect(child(decision.permit, 'c0')).toMatchObject({ code: 'risk_budget' });
    b.started(decision.permit.terms);
    b.pass(3_599_999);
    expect(b.guard.preview(request()).verdict).toBe('deny');
    expect(child(decision.permit, 'c0').verdict).toBe('allow');
    b.finished(decision.permit.terms);
    b.pass(60_000);
    const later = plan();
    b.pass(3_600_000);
    expect(child(later, 'c1')).toMatchObject({ code: 'risk_budget' });
  });

  it('needs evidence about the group', () => {
    const { b, request, envelopeOfGroup } = staged();
    const good = envelopeOfGroup(request());
    const other = { ...good.envelope, scope: { kind: 'channel', id: 'c0' } as const };
    expect(b.guard.preview({ ...good, envelope: other }).code).toBe('evidence_missing');
  });

  it('needs channels of the group that the incident covers', () => {
    const { b, envelopeOfGroup, request, ids, incident } = staged();
    const code = (channels: readonly string[]) =>
      b.guard.preview(envelopeOfGroup(request({ call: aCall({ target: GROUP, channels }) }))).code;
    expect(code([])).toBe('params_invalid');
    expect(code(['c0', 'c0'])).toBe('params_invalid');
    expect(code(['c0', 'nowhere'])).toBe('params_invalid');
    expect(code(ids)).toBeUndefined();
    const narrow = { ...incident, channels: ids.slice(1) };
    expect(b.guard.preview(envelopeOfGroup(request({ incident: narrow }))).code).toBe('params_invalid');
  });

  it('leaves every state before it as it was', () => {
    const s = staged();
    const before = s.b.guardState();
    const bytes = JSON.stringify(before);
    const parent = s.plan();
    const planned = s.b.guardState();
    const plannedBytes = JSON.stringify(planned);
    s.startChild(parent, 'c0');
    s.startChild(parent, 'c1', false);
    expect(JSON.stringify(before)).toBe(bytes);
    expect(JSON.stringify(planned)).toBe(plannedBytes);
  });

  it('does not begin while the shared cause holds, nor within 60 s after it', () => {
    const { b, envelopeOfGroup, request } = staged();
    b.world.sharedCauses = ['g'];
    b.contain();
    const code = () => b.guard.preview(envelopeOfGroup(request())).code;
    expect(code()).toBe('containment');
    b.world.sharedCauses = [];
    b.contain();
    b.pass(59_999);
    b.contain();
    expect(code()).toBe('containment');
    b.pass(1);
    b.contain();
    expect(code()).toBeUndefined();
  });

  it('is a fix that worked when all its starts were verified, and one that did not otherwise', () => {
    const again = (s: ReturnType<typeof staged>, fingerprint: string | undefined) => {
      s.b.pass(600_000);
      const request = s.envelopeOfGroup(s.request());
      return s.b.guard.preview({ ...request, envelope: { ...request.envelope, fingerprint: fingerprint! } }).code;
    };
    const good = staged();
    const goodPlan = good.plan();
    good.startChild(goodPlan, 'c0');
    good.b.finished(goodPlan.terms);
    expect(again(good, goodPlan.terms.fingerprint)).toBeUndefined();

    const bad = staged();
    const badPlan = bad.plan();
    bad.startChild(badPlan, 'c0', false);
    bad.b.finished(badPlan.terms, false);
    expect(again(bad, badPlan.terms.fingerprint)).toBe('already_tried');
  });

  it('is over after a crash: a child of it is not permitted any more', () => {
    const s: { b: Bench } & ReturnType<typeof staged> = staged();
    const parent = s.plan();
    s.b.record({ type: 'reeve.started', version: '1', configSha: '' });
    expect(s.child(parent, 'c0')).toMatchObject({ code: 'risk_budget' });
  });
});
