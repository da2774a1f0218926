import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/core/limits.ts';
import {
  approval,
  breaker,
  caps,
  cooldown,
  EXPECTED_GAP_MS,
  highRisk,
  viewers,
  viewerSecondsOf,
  window,
} from '../../../src/guard/checks/counters.ts';
import {
  bucketOf,
  type GuardState,
  newGuardState,
  newSubject,
  type SubjectState,
} from '../../../src/guard/state/state.ts';
import { aCall, anEnvelope, aPersona } from '../../support/a.ts';
import { anInput, NOW_MS } from './input.ts';

const HOUR_MS = 3_600_000;
const KEY = 'channel:news';

function stateWith(subject: Partial<SubjectState>, rest: Partial<GuardState> = {}): GuardState {
  const state = newGuardState();
  const buckets = state.subjects.map((bucket) => ({ ...bucket }));
  buckets[bucketOf(KEY)]![KEY] = { ...newSubject(), ...subject };
  return { ...state, ...rest, subjects: buckets };
}

const restarts = (times: readonly number[], incident = 'inc-1') =>
  times.map((atMs, index) => ({ permit: `per-${index}`, incident, run: `run-${index}`, atMs }));
const starts = (count: number, atMs: number, engine = 'local') =>
  Array.from({ length: count }, (_, index) => ({ engine, channel: `c${index}`, atMs }));

describe('caps (question 10)', () => {
  it('refuses the restart after the persona’s last one for this incident, and counts no other incident', () => {
    const used = stateWith({ restarts: restarts([NOW_MS - 3, NOW_MS - 2, NOW_MS - 1]) });
    expect(caps(anInput({ state: used }))).toMatchObject({ verdict: 'refuse', code: 'restart_cap' });
    const two = stateWith({ restarts: restarts([NOW_MS - 2, NOW_MS - 1]) });
    expect(caps(anInput({ state: two }))).toMatchObject({ verdict: 'pass' });
    const others = stateWith({ restarts: restarts([NOW_MS - 3, NOW_MS - 2, NOW_MS - 1], 'inc-2') });
    expect(caps(anInput({ state: others }))).toMatchObject({ verdict: 'pass' });
  });

  it('refuses beyond the cap of a day until the oldest is 24 h old', () => {
    const limits = { ...DEFAULT_LIMITS, dailyRestartCap: 2 };
    const state = stateWith({ restarts: restarts([NOW_MS - 10_000, NOW_MS - 5_000], 'inc-2') });
    expect(caps(anInput({ state, limits }))).toMatchObject({
      ...{ verdict: 'refuse', code: 'daily_cap', retryAfterMs: 24 * HOUR_MS - 10_000 },
    });
    const nowMs = NOW_MS - 10_000 + 24 * HOUR_MS;
    expect(caps(anInput({ state, limits, nowMs }))).toMatchObject({ verdict: 'pass' });
  });

  it('is not asked of what is no restart', () => {
    expect(caps(anInput({ call: aCall({ tool: 'invalidate_cache' }) }))).toMatchObject({ verdict: 'not_asked' });
  });
});

describe('breaker (question 11)', () => {
  it('passes while nothing has failed, and says how many failures of how many there are', () => {
    expect(breaker(anInput())).toMatchObject({
      ...{ verdict: 'pass', value: `closed, 0 of ${DEFAULT_LIMITS.breakerFailuresMax} failures` },
    });
  });
});

describe('high risk (question 12)', () => {
  it('is allowed once in a run, whichever channel it is of', () => {
    expect(highRisk(anInput())).toMatchObject({ verdict: 'pass' });
    expect(highRisk(anInput({ stepHighRiskUsed: true }))).toMatchObject({ code: 'risk_budget' });
    const state = stateWith({ restarts: [{ permit: 'per-1', incident: 'inc-1', run: 'run-1', atMs: 1 }] });
    expect(highRisk(anInput({ state }))).toMatchObject({ code: 'risk_budget' });
    expect(highRisk(anInput({ state, run: 'run-2' }))).toMatchObject({ verdict: 'pass' });
  });

  it('has its spacing in the group, to the millisecond', () => {
    const mark = (atMs: number, permit: string) => ({ permit, target: 'channel:sport', run: `run-${permit}`, atMs });
    const spacingMs = DEFAULT_LIMITS.highRiskSpacingMs;
    const groups = { 'group:encoders': [mark(NOW_MS - spacingMs + 1, 'a'), mark(NOW_MS - 1, 'b')] };
    const state = { ...newGuardState(), groups };
    expect(highRisk(anInput({ state }))).toMatchObject({ code: 'high_risk_spacing', retryAfterMs: 1 });
    expect(highRisk(anInput({ state, nowMs: NOW_MS + 1 }))).toMatchObject({ verdict: 'pass' });
    const low = aPersona({ risk_tolerance: 'low' });
    const one = { ...newGuardState(), groups: { 'group:encoders': [mark(NOW_MS - 1, 'b')] } };
    expect(highRisk(anInput({ state: one }))).toMatchObject({ verdict: 'pass' });
    expect(highRisk(anInput({ state: one, persona: low }))).toMatchObject({ code: 'high_risk_spacing' });
  });

  it('does not hold a plan of the group to the spacing of single starts: its own proofs space what it starts', () => {
    const mark = (permit: string) => ({ permit, target: 'channel:sport', run: `run-${permit}`, atMs: NOW_MS - 1 });
    const state = { ...newGuardState(), groups: { 'group:encoders': [mark('a'), mark('b')] } };
    const call = aCall({ target: { kind: 'group', id: 'encoders' }, channels: ['news', 'sport'] });
    expect(highRisk(anInput({ state }))).toMatchObject({ code: 'high_risk_spacing' });
    expect(highRisk(anInput({ state, call }))).toMatchObject({ verdict: 'pass' });
  });

  it('admits a start of a plan only while that plan is under way', () => {
    expect(highRisk(anInput({ parent: 'per-plan' }))).toMatchObject({ code: 'risk_budget', value: 'not in the plan' });
  });
});

describe('cooldown (question 13)', () => {
  it('lasts from the end of the last call, to the millisecond', () => {
    const cooldownMs = DEFAULT_LIMITS.restartCooldownMs;
    const use = { permit: 'per-1', expiresMs: 0, startedMs: NOW_MS - 100, endedMs: NOW_MS };
    const subject = { ...newSubject(), uses: { restart_channel: use } };
    const at = (nowMs: number) => cooldown(anInput({ subject, nowMs }));
    expect(at(NOW_MS + cooldownMs - 1)).toMatchObject({ code: 'cooldown', retryAfterMs: 1 });
    expect(at(NOW_MS + cooldownMs)).toMatchObject({ verdict: 'pass' });
  });

  it('is of one tool: another one was not used', () => {
    const use = { permit: 'per-1', expiresMs: 0, startedMs: NOW_MS, endedMs: NOW_MS };
    const subject = { ...newSubject(), uses: { invalidate_cache: use } };
    expect(cooldown(anInput({ subject }))).toMatchObject({ verdict: 'pass' });
  });
});

describe('window (question 14)', () => {
  const max = DEFAULT_LIMITS.windowStartsMax;
  const windowMs = DEFAULT_LIMITS.windowMs;
  const at = (count: number, atMs = NOW_MS - 1, engine = 'local') =>
    window(anInput({ state: { ...newGuardState(), starts: starts(count, atMs, engine) } }));

  it('counts every start of the engine and of all, whoever began it', () => {
    expect(at(max - 1)).toMatchObject({ verdict: 'pass' });
    expect(at(max)).toMatchObject({ code: 'restart_storm' });
    expect(at(max, NOW_MS - 1, 'other')).toMatchObject({ code: 'restart_storm' });
  });

  it('forgets a start when it is as old as the window', () => {
    expect(at(max, NOW_MS - windowMs + 1)).toMatchObject({ code: 'restart_storm', retryAfterMs: 1 });
    expect(at(max, NOW_MS - windowMs)).toMatchObject({ verdict: 'pass' });
  });

  it('leaves one place free for a start that is not of a plan', () => {
    const call = aCall({ target: { kind: 'group', id: 'encoders' }, channels: ['a', 'b'] });
    const state = { ...newGuardState(), starts: starts(max - 1, NOW_MS - 1) };
    expect(window(anInput({ state, call }))).toMatchObject({ code: 'restart_storm' });
  });
});

describe('viewers (question 15)', () => {
  const limits = { ...DEFAULT_LIMITS, viewerSecondsPerHourMax: 1_000 };
  const live = (count: number | undefined, restartGapMs?: number) => ({
    ...{ poolPressure: undefined, reportsPool: false, viewers: count, restartGapMs },
  });
  const playing = anEnvelope({ channelHealthy: undefined });

  it('costs as long as a restart was measured to take, else the expected gap', () => {
    const cost = (restartGapMs?: number) =>
      viewerSecondsOf(anInput({ live: live(100, restartGapMs), envelope: playing }));
    expect(cost()).toBe((100 * EXPECTED_GAP_MS) / 1_000);
    expect(cost(2_000)).toBe(200);
  });

  it('costs nothing on a channel that is down, and is never held against it', () => {
    const down = anInput({ live: live(1_000_000), envelope: anEnvelope({ channelHealthy: false }), limits });
    expect(viewerSecondsOf(down)).toBe(0);
    expect(viewers(down)).toMatchObject({ verdict: 'pass' });
  });

  it('is refused beyond the budget of an hour, until the oldest cost is an hour old', () => {
    const state = { ...newGuardState(), viewerSpends: [{ atMs: NOW_MS - 1_000, seconds: 900 }] };
    const input = (count: number, nowMs = NOW_MS) =>
      anInput({ state, limits, live: live(count), envelope: playing, nowMs });
    expect(viewers(input(10))).toMatchObject({ verdict: 'pass' });
    expect(viewers(input(11))).toMatchObject({ code: 'viewer_budget', retryAfterMs: HOUR_MS - 1_000 });
    expect(viewers(input(11, NOW_MS - 1_000 + HOUR_MS))).toMatchObject({ verdict: 'pass' });
  });

  it('says to wait until enough of the budget is free, and not at all for what is more than the whole of it', () => {
    const spent = [1_000, 900, 800].map((agoMs) => ({ atMs: NOW_MS - agoMs, seconds: 300 }));
    const state = { ...newGuardState(), viewerSpends: spent };
    const waits = (count: number) => {
      const answer = viewers(anInput({ state, limits, live: live(count), envelope: playing }));
      return answer.verdict === 'refuse' ? answer.retryAfterMs : answer.verdict;
    };
    expect([10, 11, 40, 41, 70, 71, 100, 101].map(waits)).toEqual([
      'pass',
      ...[HOUR_MS - 1_000, HOUR_MS - 1_000, HOUR_MS - 900, HOUR_MS - 900, HOUR_MS - 800, HOUR_MS - 800, undefined],
    ]);
  });

  it('is not asked without a budget, or where viewers are not counted', () => {
    expect(viewers(anInput({ live: live(5), envelope: playing }))).toMatchObject({ verdict: 'not_asked' });
    expect(viewers(anInput({ live: live(undefined), envelope: playing, limits }))).toMatchObject({
      verdict: 'not_asked',
    });
  });
});

describe('approval (question 16)', () => {
  it('is asked where the persona wants it, and only there', () => {
    const call = aCall({ tool: 'rebuild_playout' });
    expect(approval(anInput({ call }))).toMatchObject({ code: 'approval_needed', value: 'not asked yet' });
    expect(approval(anInput())).toMatchObject({ verdict: 'pass' });
  });

  it('accepts only a yes that a person gave', () => {
    const call = aCall({ tool: 'rebuild_playout' });
    expect(approval(anInput({ call, approval: 'apr-9' }))).toMatchObject({ code: 'approval_needed' });
  });

  it('is asked, whatever the persona says, where a pattern in staging alone gave the name, but not to look', () => {
    const envelope = anEnvelope({ takenMs: NOW_MS, onTrial: true });
    const because = "a pattern in staging, which alone names this, wants a person's yes to restart_channel";
    expect(approval(anInput({ envelope }))).toMatchObject({ code: 'approval_needed', because });
    expect(approval(anInput({ envelope, call: aCall({ tool: 'get_channel_health' }) }))).toMatchObject({
      verdict: 'pass',
    });
    // A start of a staged plan: the plan itself was asked about.
    expect(approval(anInput({ envelope, parent: 'per-1' }))).toMatchObject({ verdict: 'pass' });
  });
});
