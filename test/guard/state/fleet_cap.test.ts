import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/core/limits.ts';
import { flipsOf } from '../../../src/guard/trace.ts';
import { fleetCapOf, fleetRestartsOfDay } from '../../../src/guard/state/fleet_cap.ts';
import { bench, channelsOf, handClock } from '../bench.ts';
import { staged } from '../stage.ts';

const DAY_MS = 86_400_000;
const used = (b: ReturnType<typeof bench>): number => fleetRestartsOfDay(b.guardState(), 99, b.nowMs()).count;

describe('the daily budget of the fleet (S5)', () => {
  it('is as many restarts as there are channels, and at least 20, where nothing is configured', () => {
    expect([0, 1, 20, 21, 200].map((channels) => fleetCapOf(DEFAULT_LIMITS, channels))).toEqual([20, 20, 20, 21, 200]);
    expect(fleetCapOf({ ...DEFAULT_LIMITS, fleetDailyRestartCap: 3 }, 200)).toBe(3);
    expect(fleetCapOf({ ...DEFAULT_LIMITS, fleetDailyRestartCap: 0 }, 200)).toBe(0);
  });

  it('refuses the restart after its last one, whichever channel asks, until the oldest is 24 h old', () => {
    const b = bench({ channels: channelsOf(3), limits: { fleetDailyRestartCap: 2 } });
    b.restart('c0', { cured: true });
    b.pass(3_600_000);
    b.restart('c1', { cured: true });
    b.pass(60_000);
    expect(b.guard.decide(b.request('c2'))).toMatchObject({
      code: 'fleet_daily_cap',
      because: "2 of the fleet's 2 restarts of 24 h are used",
      retryAfterMs: DAY_MS - 3_660_000,
    });
    b.pass(DAY_MS - 3_660_000 - 1);
    expect(b.guard.decide(b.request('c2'))).toMatchObject({ code: 'fleet_daily_cap', retryAfterMs: 1 });
    b.pass(1);
    expect(b.guard.decide(b.request('c2'))).toMatchObject({ verdict: 'allow' });
  });

  it('tells nobody to wait where it allows no restart at all', () => {
    const b = bench({ channels: channelsOf(1), limits: { fleetDailyRestartCap: 0 } });
    const refusal = b.guard.decide(b.request('c0'));
    expect(refusal).toMatchObject({ code: 'fleet_daily_cap', because: "0 of the fleet's 0 restarts of 24 h are used" });
    expect(refusal.trace.find(({ code }) => code === 'fleet_daily_cap')?.value).toMatch(/0 of the fleet in 24 h$/);
    expect(flipsOf(refusal.trace)).toEqual(['a higher limits.fleet_daily_restart_cap']);
    expect(fleetRestartsOfDay(b.guardState(), 0, b.nowMs())).toEqual({ count: 0, freeInMs: undefined });
  });

  it('lets the 20th restart of a small fleet begin in its day and not the 21st, and the 21st of 21 channels', () => {
    const played = (channels: number) => {
      const b = bench({ channels: channelsOf(channels) });
      for (let count = 0; count < 20; count += 1) {
        b.restart(`c${count % channels}`, { cured: true });
        b.pass(120_000);
      }
      return b.guard.decide(b.request(`c${20 % channels}`));
    };
    expect(played(19)).toMatchObject({ code: 'fleet_daily_cap' });
    expect(played(21)).toMatchObject({ verdict: 'allow' });
  });

  it('is asked of the plan of a group as well, and of each of its starts', () => {
    const s = staged(3, { limits: { fleetDailyRestartCap: 1 } });
    const parent = s.plan();
    s.startChild(parent, 'c0', 'unjudged');
    expect(s.child(parent, 'c1')).toMatchObject({ code: 'fleet_daily_cap' });
    const poor = staged(3, { limits: { fleetDailyRestartCap: 0 } });
    expect(() => poor.plan()).toThrow(/^fleet_daily_cap/);
  });

  it('gets back what a staged plan has verified, keeps what it could not, and counts a relapse again', () => {
    const s = staged(4);
    const parent = s.plan();
    const cured = s.startChild(parent, 'c0', true);
    expect(used(s.b)).toBe(0);
    s.startChild(parent, 'c1', false);
    expect(used(s.b)).toBe(1);
    s.b.record({ type: 'attempt.relapsed', permit: cured, fingerprint: 'f', because: 'again' }, 'c0');
    expect(used(s.b)).toBe(2);
  });

  it('keeps the verified restart of a single channel, for one channel that dies every hour is no outage', () => {
    const b = bench({ channels: channelsOf(2) });
    b.restart('c0', { cured: true });
    expect(used(b)).toBe(1);
  });

  it('survives a restart of Reeve, and an incident that is closed', () => {
    const hand = handClock();
    const b = bench({ channels: channelsOf(2), hand, limits: { fleetDailyRestartCap: 1 } });
    b.restart('c0', { cured: true });
    b.record({ type: 'incident.closed', ending: 'resolved', because: '', openMs: 1 }, 'c0', 'inc-c0');
    const again = bench({ channels: channelsOf(2), store: b.store, hand, limits: { fleetDailyRestartCap: 1 } });
    again.record({ type: 'reeve.started', version: '0', configSha: '' });
    again.pass(120_000);
    expect(again.guard.decide(again.request('c1'))).toMatchObject({ code: 'fleet_daily_cap' });
  });

  it('says in why-not how long to wait, or which limit to raise', () => {
    const b = bench({ channels: channelsOf(2), limits: { fleetDailyRestartCap: 1 } });
    b.restart('c0', { cured: true });
    b.pass(60_000);
    const { flips, checks } = b.guard.preview(b.request('c1'));
    expect(flips).toEqual(['wait 23 h 59 min, or a higher limits.fleet_daily_restart_cap']);
    expect(checks.find(({ id }) => id === 10)).toMatchObject({
      threshold: 'under 10 and 10; under 1 of the fleet',
      value: '0 in the incident, 0 in 24 h; 1 of the fleet in 24 h; free in 86340000 ms',
    });
  });

  it('stops a permit that is not redeemed yet where a reload has lowered it', () => {
    const b = bench({ channels: channelsOf(2) });
    const decision = b.guard.decide(b.request('c0'));
    if (decision.verdict === 'deny') throw new Error(decision.code);
    b.world.limits = { ...b.world.limits, fleetDailyRestartCap: 0 };
    expect(decision.permit.redeem(b.nowMs())).toBe(false);
    expect(decision.permit.refusal).toMatch(/^fleet_daily_cap: the fleet's budget of a day was lowered to 0/);
  });
});
