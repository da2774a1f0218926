import { describe, expect, it } from 'vitest';
import type { Draft } from '../../src/core/journal.ts';
import { containmentNow } from '../../src/guard/containment.ts';
import { containmentPage } from '../../src/incident/pages/page.ts';
import { aCall, aPersona, anIncident } from '../support/a.ts';
import { aPage, type Bench, bench, channelsOf } from './bench.ts';

const held = (b: Bench) =>
  Object.values(b.guardState().containments).map(({ scope, reason }) => [
    scope.kind === 'fleet' ? 'fleet' : scope.id,
    reason,
  ]);
const tick = (b: Bench, ms: number) => {
  for (let passed = 0; passed < ms; passed += 1_000) {
    b.pass(Math.min(1_000, ms - passed));
    b.contain();
  }
};
const fill = (b: Bench, count: number) => {
  for (let n = 0; n < count; n += 1) b.foreignStart(`c${n}`, `g${n}`);
};

describe('containment (S8)', () => {
  it('is raised by the Nth start in the same transaction, with its page', () => {
    const b = bench({ channels: channelsOf(10) });
    for (let n = 0; n < 9; n += 1) b.restart(`c${n}`, { cured: true });
    expect(b.facts('containment.raised')).toEqual([]);
    const before = b.ledger.lastSeq;
    expect(b.guard.decide(b.request('c9')).verdict).toBe('allow');
    expect(
      b
        .entries()
        .filter(({ seq }) => seq > before)
        .map(({ fact }) => fact.type),
    ).toEqual(['guard.decided', 'containment.raised', 'escalation.raised']);
    expect(held(b)).toEqual([['fleet', 'restart_storm']]);
  });

  it('ends after a thaw and its quiet time, where otherwise only a person ends it: to thaw is a person’s command', () => {
    const b = bench({ releaseByPerson: () => true });
    b.world.frozen = true;
    tick(b, 1_000);
    b.world.frozen = false;
    tick(b, 60_000);
    expect(held(b)).toEqual([['fleet', 'operator_freeze']]);
    tick(b, 1_000);
    expect(held(b)).toEqual([]);
  });

  it('keeps a permit that was granted before it from being redeemed, for that scope alone', () => {
    const b = bench({ channels: channelsOf(3) });
    const permitFor = (channel: string) => {
      const decision = b.guard.decide(b.request(channel));
      if (decision.verdict === 'deny') throw new Error(decision.because);
      return decision.permit;
    };
    const [before, after] = [permitFor('c0'), permitFor('c1')];
    expect(before.redeem(b.nowMs())).toBe(true);
    b.world.live = { ...b.world.live, poolPressure: 0.9 };
    expect(after.redeem(b.nowMs())).toBe(false);
    b.world.live = { ...b.world.live, poolPressure: 0.5 };
    expect(after.redeem(b.nowMs())).toBe(false);
    b.pass(60_000);
    const frozen = permitFor('c2');
    b.world.frozen = true;
    b.contain();
    expect(frozen.redeem(b.nowMs())).toBe(false);
  });

  it('keeps no permit for looking from being redeemed, and of medium risk only where the persona says so', () => {
    const contained = (tool: 'get_channel_health' | 'rebuild_playout', containment_bias: boolean): boolean => {
      const b = bench();
      const persona = aPersona({ containment_bias, tool_access_policy: { [tool]: 'allow' } });
      const envelope = b.freshEnvelope(b.channels.get('news')!, { failureClassification: 'playout_empty' });
      const decision = b.guard.decide(b.request('news', { call: aCall({ tool }), persona, envelope }));
      if (decision.verdict === 'deny') throw new Error(`${decision.code}: ${decision.because}`);
      b.world.live = { ...b.world.live, poolPressure: 0.9 };
      return !decision.permit.redeem(b.nowMs());
    };
    expect([contained('get_channel_health', true), contained('rebuild_playout', false)]).toEqual([false, false]);
    expect(contained('rebuild_playout', true)).toBe(true);
  });

  it('of a storm that others made keeps a permit from being redeemed that was granted before the Nth start', () => {
    const b = bench({ channels: channelsOf(11) });
    fill(b, 8);
    const decision = b.guard.decide(b.request('c10'));
    b.foreignStart('c8', 'g8');
    b.contain();
    expect(held(b)).toEqual([['fleet', 'restart_storm']]);
    expect(decision.verdict === 'allow' && decision.permit.redeem(b.nowMs())).toBe(false);
  });

  it('that the Nth start raises does not keep that start from beginning', () => {
    const b = bench({ channels: channelsOf(10) });
    for (let n = 0; n < 9; n += 1) b.restart(`c${n}`, { cured: true });
    const nth = b.guard.decide(b.request('c9'));
    expect(held(b)).toEqual([['fleet', 'restart_storm']]);
    expect(nth.verdict === 'allow' && nth.permit.redeem(b.nowMs())).toBe(true);
    const other = bench({ channels: channelsOf(10) });
    for (let n = 0; n < 9; n += 1) other.restart(`c${n}`, { cured: true });
    const late = other.guard.decide(other.request('c9'));
    other.world.live = { ...other.world.live, poolPressure: 0.9 };
    expect(late.verdict === 'allow' && late.permit.redeem(other.nowMs())).toBe(false);
  });

  it('raises nothing at nine starts and contains the fleet at ten, whoever began them', () => {
    const b = bench({ channels: channelsOf(11) });
    fill(b, 9);
    b.contain();
    expect(held(b)).toEqual([]);
    b.foreignStart('c9', 'operator-1', 'operator');
    b.contain();
    expect(held(b)).toEqual([['fleet', 'restart_storm']]);
    expect(b.guard.decide(b.request('c10'))).toMatchObject({ code: 'containment' });
  });

  it('ends only after the trigger has been absent for 60 s', () => {
    const b = bench({ channels: channelsOf(11) });
    fill(b, 10);
    b.contain();
    tick(b, 60_000);
    expect(held(b)).toHaveLength(1);
    tick(b, 59_000);
    b.pass(999);
    b.contain();
    expect(held(b)).toHaveLength(1);
    b.pass(1);
    b.contain();
    expect(held(b)).toEqual([]);
    expect(b.facts('containment.cleared')).toMatchObject([{ because: 'quiet for 60 s' }]);
  });

  it('begins its quiet time anew when the trigger comes back', () => {
    const b = bench({ live: { poolPressure: 0.95 } });
    b.contain();
    b.world.live = { ...b.world.live, poolPressure: 0.5 };
    tick(b, 50_000);
    b.world.live = { ...b.world.live, poolPressure: 0.9 };
    tick(b, 1_000);
    b.world.live = { ...b.world.live, poolPressure: 0.89 };
    tick(b, 60_000);
    expect(held(b)).toHaveLength(1);
    tick(b, 1_000);
    expect(held(b)).toEqual([]);
    expect(b.facts('containment.raised')).toHaveLength(1);
  });

  it('has a quiet time of its own where a start raises it in the very moment in which the one before ended', () => {
    const b = bench({ channels: channelsOf(11) });
    fill(b, 10);
    b.contain();
    tick(b, 120_000);
    expect(held(b)).toEqual([]);
    const scope = { kind: 'fleet' } as const;
    b.record({ type: 'containment.raised', scope, reason: 'restart_storm', detail: '', releaseByPerson: false });
    tick(b, 60_000);
    expect(held(b)).toHaveLength(1);
    tick(b, 1_000);
    expect(held(b)).toEqual([]);
  });

  it.each([
    [0.9, true, 'pool_pressure'],
    [0.8999, true, undefined],
    [undefined, true, 'pool_unknown'],
    [Number.NaN, true, 'pool_unknown'],
    [undefined, false, undefined],
  ] as const)('takes a pool at %s (reports: %s) for %s', (poolPressure, reportsPool, reason) => {
    const b = bench({ live: { poolPressure, reportsPool } });
    b.contain();
    expect(held(b)).toEqual(reason === undefined ? [] : [['local', reason]]);
    expect(b.guard.preview(b.request()).code).toBe(reason === undefined ? undefined : 'containment');
  });

  it('asks the pool again inside the reservation, before anybody raised anything', () => {
    const b = bench({ live: { poolPressure: 0.95 } });
    expect(b.guard.decide(b.request())).toMatchObject({ code: 'containment' });
    expect(held(b)).toEqual([]);
  });

  it('contains a channel while its breaker is open, and not for being half-open', () => {
    const b = bench({ limits: { breakerFailuresMax: 1 } });
    b.restart('news', { cured: false });
    b.contain();
    expect(held(b)).toEqual([['news', 'breaker_open']]);
    tick(b, 120_000);
    expect(held(b)).toEqual([['news', 'breaker_open']]);
    tick(b, 60_000);
    expect(held(b)).toEqual([]);
    const incident = anIncident({ id: 'inc-2' });
    expect(b.guard.decide(b.request('news', { incident }))).toMatchObject({ verdict: 'allow' });
    expect(b.guard.decide(b.request('news', { incident, run: 'run-z' })).verdict).toBe('deny');
  });

  it('contains a group of a suspected shared cause, the fleet when the clock was corrected or Reeve is frozen', () => {
    const b = bench();
    b.world.sharedCauses = ['encoders'];
    b.record({ type: 'clock.jumped', byMs: 3_600_000 });
    b.world.frozen = true;
    b.contain();
    expect(held(b)).toEqual([
      ['encoders', 'shared_cause'],
      ['fleet', 'clock_anomaly'],
      ['fleet', 'operator_freeze'],
    ]);
    b.world.sharedCauses = [];
    b.world.frozen = false;
    tick(b, 71_000);
    expect(held(b)).toEqual([]);
  });

  it('pages once per episode of a scope, and not for a freeze', () => {
    const b = bench({ live: { poolPressure: 1 }, channels: channelsOf(10) });
    b.world.frozen = true;
    b.contain();
    fill(b, 10);
    b.contain();
    b.contain();
    const keys = () => b.facts('escalation.raised').map(({ escalation }) => escalation.key);
    expect(keys()).toEqual(['containment/engine:local', 'containment/fleet']);
    b.record({ type: 'clock.jumped', byMs: 1 });
    b.contain();
    b.guard.distrustJournal('broken');
    b.contain();
    expect(keys()).toHaveLength(2);
  });

  it('pages a storm that comes under a clock that jumped, whose page says that it is over in a moment', () => {
    const paged: unknown[] = [];
    const onEscalate = ({ fact }: Draft) => {
      paged.push(fact.type === 'containment.raised' && fact.reason);
      return [];
    };
    const b = bench({ channels: channelsOf(10), onEscalate });
    b.record({ type: 'clock.jumped', byMs: 1 });
    b.contain();
    fill(b, 10);
    b.contain();
    b.contain();
    expect(paged).toEqual(['clock_anomaly', 'restart_storm']);
  });

  it('ends what has left the configuration at once, whoever alone might release it, and raises it no more', () => {
    const b = bench({ live: { poolPressure: 1 }, isConfigured: ({ kind }) => kind !== 'engine' });
    const scope = { kind: 'engine', id: 'local' } as const;
    b.record({ type: 'containment.raised', scope, reason: 'pool_pressure', detail: '', releaseByPerson: true });
    b.contain();
    b.contain();
    expect(b.facts('containment.cleared').map(({ because }) => because)).toEqual(['it is no longer configured']);
    expect(held(b)).toEqual([]);
  });

  it('pages once when two reasons for one scope come together', () => {
    const b = bench({ channels: channelsOf(10) });
    fill(b, 10);
    b.record({ type: 'clock.jumped', byMs: 1 });
    b.contain();
    expect(held(b)).toEqual([
      ['fleet', 'restart_storm'],
      ['fleet', 'clock_anomaly'],
    ]);
    expect(b.facts('escalation.raised')).toHaveLength(1);
  });

  it('asks about a corrected clock inside the reservation, for 10 s', () => {
    const b = bench();
    b.record({ type: 'clock.jumped', byMs: -3_600_000 });
    b.pass(9_999);
    expect(b.guard.preview(b.request()).code).toBe('containment');
    b.pass(1);
    expect(b.guard.preview(b.request()).code).toBeUndefined();
  });

  it('keeps the first reason when the same containment is raised twice', () => {
    const b = bench();
    const raised = { type: 'containment.raised', scope: { kind: 'fleet' }, reason: 'restart_storm' } as const;
    b.record({ ...raised, detail: 'first', releaseByPerson: true });
    const firstMs = b.nowMs();
    b.pass(1_000);
    b.record({ ...raised, detail: 'second', releaseByPerson: false });
    expect(Object.values(b.guardState().containments)).toMatchObject([
      { detail: 'first', releaseByPerson: true, raisedMs: firstMs },
    ]);
  });

  it('refuses even a low-risk change of one channel while its group is contained for a shared cause', () => {
    const b = bench();
    b.world.sharedCauses = ['encoders'];
    b.contain();
    const persona = aPersona({ tool_access_policy: { invalidate_cache: 'allow' } });
    const request = b.request('news', { persona, call: aCall({ tool: 'invalidate_cache' }) });
    const envelope = { ...request.envelope, failureClassification: 'guide_stale' as const };
    expect(b.guard.preview({ ...request, envelope }).code).toBe('shared_cause');
  });

  it('survives a crash, and counts its quiet time anew', () => {
    const b = bench({ live: { poolPressure: 1 } });
    b.contain();
    b.world.live = { ...b.world.live, poolPressure: 0 };
    tick(b, 40_000);
    const again = bench({ store: b.store, hand: b, live: { poolPressure: 0 } });
    again.contain();
    tick(again, 59_000);
    expect(held(again)).toHaveLength(1);
    tick(again, 1_000);
    expect(held(again)).toEqual([]);
  });

  it('waits for a person where the persona says so, and ends by a person’s command', () => {
    const b = bench({ live: { poolPressure: 1 }, releaseByPerson: () => true });
    b.contain();
    b.world.live = { ...b.world.live, poolPressure: 0 };
    tick(b, 600_000);
    expect(held(b)).toHaveLength(1);
    b.record({ type: 'control.released', scope: { kind: 'engine', id: 'local' }, who: 'ann', because: 'looked' });
    b.contain();
    expect(held(b)).toEqual([]);
    expect(b.facts('containment.cleared')).toMatchObject([{ because: 'released by ann' }]);
  });

  it('is not ended by a release while its trigger holds', () => {
    const b = bench({ live: { poolPressure: 1 } });
    b.contain();
    b.record({ type: 'control.released', scope: { kind: 'engine', id: 'local' }, who: 'ann', because: 'now' });
    tick(b, 5_000);
    expect(held(b)).toHaveLength(1);
    expect(b.guard.preview(b.request()).code).toBe('containment');
  });

  it('is raised anew by a trigger that still holds after a release, which is forgotten, and not paged twice', () => {
    const b = bench({ live: { poolPressure: 1 }, onEscalate: aPage });
    b.contain();
    b.record({ type: 'control.released', scope: { kind: 'engine', id: 'local' }, who: 'ann', because: 'now' });
    tick(b, 1_000);
    expect(b.facts('containment.cleared')).toMatchObject([{ because: 'released by ann' }]);
    expect(b.facts('containment.raised')).toHaveLength(2);
    expect(b.facts('escalation.raised')).toHaveLength(1);
    tick(b, 10_000);
    expect(b.facts('containment.raised')).toHaveLength(2);
    b.world.live = { ...b.world.live, poolPressure: 0 };
    tick(b, 60_000);
    expect(held(b)).toHaveLength(1);
    tick(b, 1_000);
    expect(held(b)).toEqual([]);
    expect(b.facts('containment.cleared').at(-1)).toMatchObject({ because: 'quiet for 60 s' });
  });

  it('of a person who alone ends it is not ended by a release that came while its trigger held', () => {
    const b = bench({ live: { poolPressure: 1 }, releaseByPerson: () => true });
    b.contain();
    b.record({ type: 'control.released', scope: { kind: 'engine', id: 'local' }, who: 'ann', because: 'now' });
    tick(b, 1_000);
    b.world.live = { ...b.world.live, poolPressure: 0 };
    tick(b, 600_000);
    expect(held(b)).toHaveLength(1);
  });

  it('of which a release is forgotten with its episode does not skip the quiet time of the next', () => {
    const b = bench({ live: { poolPressure: 1 } });
    b.contain();
    b.world.live = { ...b.world.live, poolPressure: 0 };
    tick(b, 10_000);
    b.record({ type: 'control.released', scope: { kind: 'engine', id: 'local' }, who: 'ann', because: 'looked' });
    tick(b, 1_000);
    expect(held(b)).toEqual([]);
    b.world.live = { ...b.world.live, poolPressure: 1 };
    tick(b, 1_000);
    b.world.live = { ...b.world.live, poolPressure: 0 };
    tick(b, 60_000);
    expect(held(b)).toHaveLength(1);
    tick(b, 1_000);
    expect(held(b)).toEqual([]);
  });

  it('is described by the question with the text of its page: scope, reason and detail', () => {
    const b = bench();
    for (const generation of ['a', 'b', 'c', 'd']) b.foreignStart('news', generation);
    b.contain();
    const [raised] = b.facts('containment.raised');
    const page = containmentPage(raised!);
    const { because } = b.guard.preview(b.request());
    expect(page.summary).toBe('channel:news is contained (restart_storm): 4 starts of news by others within 60 s');
    expect(because).toBe(page.summary);
  });

  it('stops medium risk only for a persona with a bias, and low risk never', () => {
    const b = bench({ live: { poolPressure: 1 } });
    const ask = (tool: 'rebuild_playout' | 'invalidate_cache', containment_bias: boolean) => {
      const persona = aPersona({ containment_bias, tool_access_policy: { [tool]: 'allow' } });
      const request = b.request('news', { persona, call: aCall({ tool }) });
      const failureClassification = tool === 'rebuild_playout' ? 'playout_empty' : 'guide_stale';
      return b.guard.preview({ ...request, envelope: { ...request.envelope, failureClassification } }).code;
    };
    expect(ask('rebuild_playout', true)).toBe('containment');
    expect(ask('rebuild_playout', false)).toBeUndefined();
    expect(ask('invalidate_cache', true)).toBeUndefined();
  });

  it('makes every tool wait at least 60 s', () => {
    const b = bench({ live: { poolPressure: 1 } });
    const persona = aPersona({ tool_access_policy: { fetch_recent_logs: 'allow' } });
    const ask = () => b.guard.decide(b.request('news', { persona, call: aCall({ tool: 'fetch_recent_logs' }) }));
    const first = ask();
    if (first.verdict === 'allow') b.perform(first.permit);
    b.pass(59_999);
    expect(ask()).toMatchObject({ code: 'cooldown', retryAfterMs: 1 });
    b.pass(1);
    expect(ask()).toMatchObject({ verdict: 'allow' });
  });

  it('says what could not be written, permits nothing, and does not throw', () => {
    const b = bench({ live: { poolPressure: 1 } });
    b.store.failWrites('read-only file system');
    expect(b.contain()).toBe(false);
    expect(b.guard.journalError).toContain('read-only');
    expect(held(b)).toEqual([]);
  });

  it('hands the raised fact to whoever writes the page', () => {
    const raised: Draft[] = [];
    const onEscalate = (draft: Draft) => {
      raised.push(draft);
      return aPage(draft);
    };
    const b = bench({ live: { poolPressure: 1 }, onEscalate });
    b.contain();
    expect(raised).toMatchObject([{ fact: { type: 'containment.raised', reason: 'pool_pressure' } }]);
  });

  it('gives the envelope every reason over a target, each once', () => {
    const b = bench({ live: { poolPressure: 1 } });
    expect(containmentNow(b.guardState(), [{ kind: 'fleet' }])).toEqual({ active: false });
    b.contain();
    expect(
      containmentNow(b.guardState(), [
        { kind: 'channel', id: 'news' },
        { kind: 'engine', id: 'local' },
      ]),
    ).toEqual({
      active: true,
      reasons: ['pool_pressure'],
    });
  });
});

describe('one channel that others start again and again', () => {
  it('is contained alone, from the fourth start on, and leaves the others their places', () => {
    const b = bench({ channels: channelsOf(3) });
    for (let at = 0; at < 3; at += 1) b.foreignStart('c0', `pid-${at}`);
    b.contain();
    expect(b.facts('containment.raised')).toEqual([]);
    for (let at = 3; at < 30; at += 1) b.foreignStart('c0', `pid-${at}`);
    b.contain();
    expect(b.facts('containment.raised')).toMatchObject([
      { reason: 'restart_storm', scope: { kind: 'channel', id: 'c0' } },
    ]);
    expect(b.guard.preview(b.request('c0')).code).toBe('containment');
    expect(b.guard.preview(b.request('c1')).code).toBeUndefined();
  });
});
