import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import type { PermitTerms } from '../../src/core/tool.ts';
import { limitProblems } from '../../src/guard/limits.ts';
import { breakerOf } from '../../src/guard/containment.ts';
import { subjectAt } from '../../src/guard/state/state.ts';
import { roomFor } from '../../src/guard/state/window.ts';
import { anIncident, aPersona } from '../support/a.ts';
import { type Bench, bench, channelsOf, handClock } from './bench.ts';

const LIMIT_NAMES = Object.keys(DEFAULT_LIMITS) as (keyof typeof DEFAULT_LIMITS)[];
const breakerLook = (b: Bench) => breakerOf(subjectAt(b.guardState(), 'channel:news'), b.world.limits, b.nowMs());

/** Each of these was a published bug of another system: the name says how it must be here. */
describe('counters that outlive what they count', () => {
  it('keeps the restarts of a channel when its incident is closed and another one opened (systemd #7139)', () => {
    const b = bench({ limits: { dailyRestartCap: 1 } });
    const first = anIncident({ id: 'inc-1' });
    b.record({ type: 'incident.opened', incident: first }, 'news', 'inc-1');
    b.restart('news', { cured: true }, { incident: first });
    b.record({ type: 'incident.closed', ending: 'resolved', because: '', openMs: 1 }, 'news', 'inc-1');
    b.pass(60_000);
    expect(b.guard.decide(b.request('news', { incident: anIncident({ id: 'inc-2' }) }))).toMatchObject({
      code: 'daily_cap',
    });
  });

  it('keeps the window, the cooldown and the spacing when Reeve itself is restarted (systemd #7139)', () => {
    const b = bench();
    b.restart('news', { cured: true });
    b.pass(59_999);
    const again = bench({ store: b.store, hand: b });
    expect(again.guard.decide(again.request('news', { run: 'run-later' }))).toMatchObject({ retryAfterMs: 1 });
    expect(roomFor(again.guardState().starts, 10, { windowMs: 60_000, nowMs: again.nowMs() }).count).toBe(1);
  });

  it('keeps the restarts of one long incident though they are more than a day old', () => {
    const b = bench();
    const incident = anIncident({ id: 'inc-1' });
    b.record({ type: 'incident.opened', incident }, 'news', 'inc-1');
    const persona = aPersona({ restart_cap: 1 });
    b.restart('news', { cured: true }, { incident, persona });
    b.pass(3 * 86_400_000);
    expect(b.guard.decide(b.request('news', { incident, persona }))).toMatchObject({ code: 'restart_cap' });
  });
});

const MAY_BE_ZERO: typeof LIMIT_NAMES = [
  'dailyRestartCap',
  'fleetDailyRestartCap',
  'stepsMax',
  'viewerSecondsPerHourMax',
];

describe('limits that cannot be switched off', () => {
  it.each([Number.POSITIVE_INFINITY, Number.NaN, 0, -1, 1e12, undefined, '10'])(
    'refuses to start with %s as a limit (systemd #17572)',
    (value) => {
      for (const name of LIMIT_NAMES) {
        const isNone = value === 0 && MAY_BE_ZERO.includes(name);
        const isUnlimited = name === 'viewerSecondsPerHourMax' && (value === undefined || value === 1e12);
        const isStandard = name === 'fleetDailyRestartCap' && value === undefined;
        if (isNone || isUnlimited || isStandard) continue;
        const limits = { ...DEFAULT_LIMITS, [name]: value };
        expect([name, limitProblems(limits, LIMIT_NAMES)]).toEqual([name, [expect.stringContaining(name)]]);
        expect(() => bench({ limits })).toThrow(/CONFIG_INVALID|not sound/);
      }
    },
  );

  it('refuses a limit of a million steps and a threshold of 2.5 starts (ExStreamTV)', () => {
    expect(limitProblems({ ...DEFAULT_LIMITS, stepsMax: 1_000_000 }, LIMIT_NAMES)).toHaveLength(1);
    expect(limitProblems({ ...DEFAULT_LIMITS, windowStartsMax: 2.5 }, LIMIT_NAMES)).toHaveLength(1);
  });

  it('finds the defaults sound', () => {
    expect(limitProblems(DEFAULT_LIMITS, LIMIT_NAMES)).toEqual([]);
  });

  it('lets no unsound limits take effect later, either: the last sound ones stay', () => {
    const b = bench();
    b.restart('news', { cured: true });
    b.world.limits = { ...b.world.limits, highRiskSpacingMs: 0, restartCooldownMs: Number.NaN };
    expect(b.guard.decide(b.request())).toMatchObject({ code: 'high_risk_spacing', retryAfterMs: 60_000 });
  });

  it('allows no restart, rather than any number, when a cap is zero', () => {
    const b = bench({ limits: { dailyRestartCap: 0 } });
    expect(b.guard.decide(b.request())).toMatchObject({ code: 'daily_cap' });
  });

  it('counts a permit that names neither engine nor group (Robusta: a missing label skipped the limiter)', () => {
    const b = bench({ channels: channelsOf(12) });
    const decision = b.guard.decide(b.request('c0'));
    if (decision.verdict === 'deny') throw new Error(decision.code);
    const { engine, group, fingerprint, ...bare } = decision.permit.terms;
    for (let n = 1; n < 10; n += 1) {
      const permit: PermitTerms = {
        ...bare,
        id: `per-x${n}`,
        call: { ...bare.call, target: { kind: 'channel', id: `c${n}` } },
      };
      b.record({ type: 'guard.decided', call: '', decision: { verdict: 'allow', permit, trace: [] }, tookMs: 0 });
    }
    const answer = b.guard.preview(b.request('c11'));
    expect(answer.checks.find(({ id }) => id === 14)).toMatchObject({ code: 'restart_storm' });
    expect([engine, group, fingerprint]).not.toContain(undefined);
  });
});

describe('clocks', () => {
  it('becomes stricter, never looser, when the clock stands still in suspend (systemd #42912)', () => {
    const b = bench();
    b.restart('news', { cured: true });
    b.pass(30_000);
    b.jumpWall(8 * 3_600_000);
    expect(b.guard.decide(b.request())).toMatchObject({ code: 'high_risk_spacing', retryAfterMs: 30_000 });
  });

  it('decides the same whatever the wall clock says', () => {
    const outcome = (jumpMs: number) => {
      const b = bench();
      b.restart('news', { cured: true });
      b.jumpWall(jumpMs);
      b.pass(59_999);
      return b.guard.decide(b.request('news', { run: 'run-w' })).verdict;
    };
    expect([-315_360_000_000, -3_600_000, 0, 1, 3_600_000, 315_360_000_000].map(outcome)).toEqual(
      Array(6).fill('deny'),
    );
  });

  it('takes the uptime for the time that passed over a reboot, and not what the wall clock says', () => {
    const b = bench();
    b.restart('news', { cured: true });
    const hand = handClock(20_000, 'boot-2');
    hand.jumpWall(86_400_000);
    const rebooted = bench({ store: b.store, hand });
    expect(rebooted.guard.decide(rebooted.request('news', { run: 'run-r' }))).toMatchObject({ retryAfterMs: 40_000 });
  });

  it('does not fire a timer of 2^31 ms at once (the platform does)', async () => {
    let fired = false;
    using _timer = systemClock.after(2 ** 31, () => {
      fired = true;
    });
    await systemClock.sleep(20);
    expect(fired).toBe(false);
  });
});

describe('people and scripts', () => {
  it('distinguishes a person’s restart from its own and from the engine’s, and counts all in the window (systemd #10529)', () => {
    const b = bench();
    b.foreignStart('news', 'g1', 'operator');
    b.foreignStart('news', 'g2', 'engine');
    b.restart('news', { cured: true });
    expect(subjectAt(b.guardState(), 'channel:news').restarts).toHaveLength(1);
    expect(roomFor(b.guardState().starts, 10, { windowMs: 60_000, nowMs: b.nowMs() }).count).toBe(3);
  });

  it('counts its own start once, however often its new process generation is seen', () => {
    const b = bench();
    b.restart('news', { cured: true });
    for (const generation of ['g1', 'g1', 'g1']) b.foreignStart('news', generation, 'reeve');
    expect(b.guardState().starts).toHaveLength(1);
    b.foreignStart('news', 'g2', 'reeve');
    expect(b.guardState().starts).toHaveLength(2);
  });

  it('moves its own start to where it was seen, so that a slow engine cannot widen the window', () => {
    const b = bench();
    b.restart('news', { cured: true });
    b.pass(20_000);
    b.foreignStart('news', 'g1', 'reeve');
    const at = (ms: number) => roomFor(b.guardState().starts, 10, { windowMs: 60_000, nowMs: b.nowMs() + ms }).count;
    expect([at(59_999), at(60_000)]).toEqual([1, 0]);
  });

  it('opens after a reset, which names who and why, and leaves caps and window as they are', () => {
    const b = bench({ limits: { breakerFailuresMax: 1 } });
    b.restart('news', { cured: false });
    const before = subjectAt(b.guardState(), 'channel:news');
    expect(before.tried).toHaveLength(1);
    b.record({ type: 'control.reset', scope: { kind: 'engine', id: 'local' }, who: 'ann', because: 'repaired' });
    const after = subjectAt(b.guardState(), 'channel:news');
    expect(breakerLook(b).state).toBe('closed');
    expect(after.tried).toEqual([]);
    expect(after.restarts).toEqual(before.restarts);
    expect(b.guardState().starts).toHaveLength(1);
  });
});

describe('windows and back-off', () => {
  it('backs off before the second restart, not only before the third (Kubernetes #133472)', () => {
    const b = bench();
    b.restart('news', { cured: false });
    expect(b.guard.decide(b.request())).toMatchObject({ verdict: 'deny', retryAfterMs: 60_000 });
  });

  it('anchors the window on each start, not on the first of a series (Kubernetes #4121)', () => {
    const starts = [0, 50_000, 55_000].map((atMs) => ({ engine: 'local', channel: 'news', atMs }));
    const room = (nowMs: number) => roomFor(starts, 3, { windowMs: 60_000, nowMs });
    expect(room(55_000)).toEqual({ count: 3, freeInMs: 5_000 });
    expect(room(60_000)).toEqual({ count: 2, freeInMs: 0 });
    expect(room(109_999).count).toBe(2);
    expect(room(110_000).count).toBe(1);
  });

  it('dates a permit that is not redeemed yet at the last moment at which it can be', () => {
    const b = bench();
    expect(b.guard.decide(b.request()).verdict).toBe('allow');
    const at = (ms: number) => roomFor(b.guardState().starts, 10, { windowMs: 60_000, nowMs: b.nowMs() + ms }).count;
    expect([at(64_999), at(65_000)]).toEqual([1, 0]);
  });

  it('keeps a call under way in the window however long it takes, and then dates it at its end', () => {
    const b = bench();
    const decision = b.guard.decide(b.request());
    if (decision.verdict === 'deny') throw new Error(decision.code);
    b.pass(3_000);
    b.started(decision.permit.terms);
    const at = (ms: number) => roomFor(b.guardState().starts, 10, { windowMs: 60_000, nowMs: b.nowMs() + ms }).count;
    expect(at(600_000)).toBe(1);
    b.pass(15_000);
    b.finished(decision.permit.terms);
    expect([at(59_999), at(60_000)]).toEqual([1, 0]);
  });

  it('never lets more than ten through in a sliding minute (p-queue: 19)', () => {
    const b = bench({ channels: channelsOf(40) });
    const begun: number[] = [];
    for (let n = 0; n < 400; n += 1) {
      const decision = b.guard.decide(b.request(`c${n % 40}`));
      if (decision.verdict === 'allow') begun.push(b.perform(decision.permit, { cured: true }).grantedMs);
      b.pass(500);
      b.contain();
    }
    const most = Math.max(...begun.map((atMs) => begun.filter((one) => one > atMs - 60_000 && one <= atMs).length));
    expect(most).toBe(10);
  });
});

describe('breakers', () => {
  it('is still open when its state is read back right after it opened (opossum 10)', () => {
    const b = bench({ limits: { breakerFailuresMax: 1 } });
    b.restart('news', { cured: false });
    b.ledger.snapshot();
    const again = bench({ store: b.store, hand: b, limits: { breakerFailuresMax: 1 } });
    expect(breakerLook(again)).toMatchObject({ state: 'open', untilMs: again.nowMs() + 120_000 });
  });

  it('has no way to be switched off while it lets calls through (opossum 10)', () => {
    for (const breakerFailuresMax of [0, Number.POSITIVE_INFINITY, Number.NaN]) {
      expect(() => bench({ limits: { breakerFailuresMax } })).toThrow();
    }
  });
});

describe('state that cannot be read, and events that are old', () => {
  it('permits nothing when the journal is found broken, instead of beginning with a fresh budget (NVSentinel)', () => {
    const b = bench();
    b.guard.distrustJournal('entry 12 does not follow from entry 11');
    expect(b.guard.decide(b.request())).toMatchObject({ code: 'containment' });
  });

  it('takes what was seen before a cold start as evidence of nothing (NVSentinel #1280)', () => {
    const b = bench();
    const stale = b.request();
    b.pass(600_000);
    const again = bench({ store: b.store, hand: b });
    expect(again.guard.decide(stale)).toMatchObject({ code: 'evidence_stale' });
    const rewrapped = { ...stale, envelope: { ...stale.envelope, takenMs: again.nowMs() } };
    expect(again.guard.decide(rewrapped)).toMatchObject({ code: 'evidence_stale' });
  });

  it('counts nothing for a request that it refused (ExStreamTV, NVSentinel ADR-056)', () => {
    const b = bench();
    const before = JSON.stringify(b.guardState());
    for (let n = 0; n < 20; n += 1) b.guard.decide(b.request('news', { stepHighRiskUsed: true }));
    expect(JSON.stringify(b.guardState())).toBe(before);
  });
});

describe('what counts as a cure', () => {
  it('does not fall through to acting on a score below the threshold (k8sgpt-operator)', () => {
    const b = bench();
    const request = b.request();
    for (const confidence of [0, 0.3, 0.599, -1, Number.NaN]) {
      expect(b.guard.preview({ ...request, envelope: { ...request.envelope, confidence } }).code).toBe(
        'evidence_missing',
      );
    }
  });

  it("takes neither an engine's error nor its success for a cure (k8sgpt-operator, ExStreamTV)", () => {
    for (const ok of [true, false]) {
      const b = bench({ limits: { breakerFailuresMax: 1 } });
      const decision = b.guard.decide(b.request());
      if (decision.verdict === 'deny') throw new Error(decision.code);
      b.started(decision.permit.terms);
      b.finished(decision.permit.terms, ok);
      expect(breakerLook(b)).toMatchObject({ state: 'closed', failures: 0 });
      b.pass(60_000);
      expect(breakerLook(b)).toMatchObject({ state: 'open' });
    }
  });

  it('takes no samples at all for a failure, at the deadline (kubernaut #722)', () => {
    const b = bench();
    const first = b.request();
    const decision = b.guard.decide(first);
    if (decision.verdict === 'allow') b.perform(decision.permit);
    b.pass(100_000);
    const again = b.request();
    const { fingerprint } = first.envelope;
    expect(b.guard.preview({ ...again, envelope: { ...again.envelope, fingerprint } }).code).toBe('already_tried');
  });

  it('keeps the streak of failures when something else was completed in between (kubernaut #214)', () => {
    const b = bench({ limits: { highRiskSpacingMs: 1, restartCooldownMs: 1 } });
    for (let n = 0; n < 5; n += 1) {
      b.restart('news', { cured: false }, { incident: anIncident({ id: `inc-${n}` }) });
      b.pass(5_000);
      if (n === 3) b.restart('news', { cured: true }, { incident: anIncident({ id: 'inc-cured' }) });
      b.pass(5_000);
    }
    expect(breakerLook(b).state).toBe('open');
  });

  it('stops a futile cycle long before its thirty-ninth round (kubernaut #1090)', () => {
    const b = bench();
    let begun = 0;
    for (let n = 0; n < 39; n += 1) {
      const request = b.request('news', { incident: anIncident({ id: `inc-${n}` }) });
      const decision = b.guard.decide({ ...request, envelope: { ...request.envelope, fingerprint: 'the same' } });
      if (decision.verdict === 'allow') {
        b.perform(decision.permit, { cured: false });
        begun += 1;
      }
      b.pass(61_000);
    }
    expect(begun).toBe(1);
  });
});

describe('asked every time', () => {
  it('asks about containment inside each reservation, not once before the loop (ExStreamTV)', () => {
    const b = bench({ channels: channelsOf(3) });
    expect(b.guard.decide(b.request('c0')).verdict).toBe('allow');
    b.world.live = { ...b.world.live, poolPressure: 0.9 };
    expect(b.guard.decide(b.request('c1'))).toMatchObject({ code: 'containment' });
  });

  it('does not take the cooldown from the envelope, where it may say 0 (ExStreamTV: sleep(0))', () => {
    const b = bench();
    b.restart('news', { cured: true });
    b.pass(1_000);
    const request = b.request();
    expect(b.guard.decide({ ...request, envelope: { ...request.envelope, cooldownRemaining: 0 } }).verdict).toBe(
      'deny',
    );
  });

  it('does not take containment, counts or velocity from the envelope, either', () => {
    const b = bench({ channels: channelsOf(11), limits: {} });
    for (let n = 0; n < 10; n += 1) b.foreignStart(`c${n}`, `g${n}`);
    b.contain();
    const request = b.request('c10');
    const rosy = {
      ...request.envelope,
      containmentMode: { active: false } as const,
      restartVelocity: 0,
      restartCount: 0,
    };
    expect(b.guard.decide({ ...request, envelope: rosy })).toMatchObject({ code: 'containment' });
  });
});
