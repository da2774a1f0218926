import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/core/limits.ts';
import { anIncident } from '../../support/a.ts';
import { breakerAt, newBreaker, openMsOf } from '../../../src/guard/state/breaker.ts';
import { breakerOf } from '../../../src/guard/containment.ts';
import { subjectAt } from '../../../src/guard/state/state.ts';
import { Ledger } from '../../../src/journal/ledger.ts';
import { type Bench, bench, handClock } from '../bench.ts';

/** Restarts may follow each other at once here: the breaker alone is tried. */
const BREAKER_ONLY = { highRiskSpacingMs: 1, restartCooldownMs: 1, dailyRestartCap: 200, highRiskPerGroupMax: 100 };

let incidents = 0;
/** A restart for an incident of its own, so that no cap per incident speaks first. */
const restart = (b: Bench, how: { callMs?: number; cured?: boolean } = {}) => {
  incidents += 1;
  return b.restart('news', how, { incident: anIncident({ id: `inc-b${incidents}` }) });
};

const look = (b: Bench) => breakerOf(subjectAt(b.guardState(), 'channel:news'), b.world.limits, b.nowMs());
const ask = (b: Bench) => b.guard.preview(b.request('news', { incident: anIncident({ id: 'inc-ask' }) }));

/** Five failures 10 s apart, the last one now. */
function tripped(): Bench {
  const b = bench({ limits: BREAKER_ONLY });
  for (let n = 0; n < 5; n += 1) {
    if (n > 0) b.pass(10_000);
    restart(b, { cured: false });
  }
  return b;
}

describe('the breaker of a channel (S3)', () => {
  it('opens at the fifth failed restart within 300 s, for 120 s', () => {
    const b = tripped();
    expect(look(b)).toMatchObject({ state: 'open', trips: 1, untilMs: b.nowMs() + 120_000 });
    expect(ask(b)).toMatchObject({ code: 'breaker_open', retryAfterMs: 120_000 });
  });

  it('stays closed when the first of five failures is 300,000 ms old, and opens at 299,999', () => {
    const at = (spanMs: number) =>
      breakerAt({ ...newBreaker(), failures: [0, 1, 2, 3, spanMs] }, [], { limits: DEFAULT_LIMITS, nowMs: spanMs })
        .state;
    expect(at(300_000)).toBe('closed');
    expect(at(299_999)).toBe('open');
  });

  it('refuses at 119,999 ms and lets exactly one probe through at 120,000', () => {
    const b = tripped();
    b.pass(119_999);
    expect(ask(b)).toMatchObject({ code: 'breaker_open', retryAfterMs: 1 });
    b.pass(1);
    expect(look(b)).toMatchObject({ state: 'half_open', probe: undefined });
    const probe = restart(b);
    b.pass(5);
    expect(look(b)).toMatchObject({ state: 'half_open', probe: { permit: probe.id } });
    expect(ask(b)).toMatchObject({ code: 'breaker_probe_taken' });
  });

  it("closes on the probe's verified cure and begins to count anew", () => {
    const b = tripped();
    b.pass(120_000);
    restart(b, { cured: true });
    expect(look(b)).toMatchObject({ state: 'closed', failures: 0 });
    b.pass(10);
    restart(b, { cured: false });
    expect(look(b)).toMatchObject({ state: 'closed', failures: 1 });
  });

  it('opens again for twice as long each time a probe fails, up to 30 min', () => {
    const b = tripped();
    const opened: number[] = [];
    for (let n = 0; n < 6; n += 1) {
      const view = look(b);
      if (view.state !== 'open') throw new Error(`expected open, got ${view.state}`);
      opened.push(view.untilMs - b.nowMs());
      b.pass(view.untilMs - b.nowMs());
      restart(b, { cured: false });
    }
    expect(opened).toEqual([120_000, 240_000, 480_000, 960_000, 1_800_000, 1_800_000]);
    expect(openMsOf(2_000, DEFAULT_LIMITS)).toBe(1_800_000);
  });

  it('ignores a cure that was admitted before it opened, though the probe is still pending', () => {
    const b = bench({ limits: BREAKER_ONLY });
    const early = restart(b);
    for (let n = 0; n < 5; n += 1) {
      b.pass(10);
      restart(b, { cured: false });
    }
    b.pass(120_000 - 60_000);
    b.verified(early, true);
    expect(look(b).state).toBe('open');
  });

  it('ignores an early success that comes while half-open, and does not let a second probe through', () => {
    const b = bench({ limits: { ...BREAKER_ONLY, breakerOpenMs: 10_000 } });
    const early = restart(b);
    for (let n = 0; n < 5; n += 1) {
      b.pass(10);
      restart(b, { cured: false });
    }
    b.pass(10_000);
    const probe = restart(b);
    b.verified(early, true);
    b.pass(10);
    expect(look(b)).toMatchObject({ state: 'half_open', probe: { permit: probe.id } });
    expect(ask(b)).toMatchObject({ code: 'breaker_probe_taken' });
  });

  it('takes a hung probe for a failure at its deadline', () => {
    const b = tripped();
    b.pass(120_000);
    restart(b);
    const view = look(b);
    if (view.state !== 'half_open' || view.probe === undefined) throw new Error('the probe is not out');
    const leftMs = view.probe.deadlineMs - b.nowMs();
    b.pass(leftMs - 1);
    expect(look(b).state).toBe('half_open');
    b.pass(1);
    expect(look(b)).toMatchObject({ state: 'open', trips: 2, untilMs: b.nowMs() + 240_000 });
  });

  it('does not count a cure that comes after the deadline', () => {
    const b = tripped();
    b.pass(120_000);
    const probe = restart(b);
    b.pass(90_000);
    b.verified(probe, true);
    expect(look(b)).toMatchObject({ state: 'open', trips: 2 });
  });

  it('takes a probe that was permitted and never began for a failure when its permit expires', () => {
    const b = tripped();
    b.pass(120_000);
    expect(b.guard.decide(b.request('news', { incident: anIncident({ id: 'inc-p' }) })).verdict).toBe('allow');
    b.pass(4_999);
    expect(look(b).state).toBe('half_open');
    b.pass(1);
    expect(look(b)).toMatchObject({ state: 'open', trips: 2 });
  });

  it('does not count a verdict on a restart that never began', () => {
    const b = bench({ limits: { ...BREAKER_ONLY, breakerFailuresMax: 1 } });
    const request = b.request('news', { incident: anIncident({ id: 'inc-n' }) });
    const decision = b.guard.decide(request);
    if (decision.verdict === 'deny') throw new Error(decision.code);
    b.verified(decision.permit.terms, false);
    expect(look(b)).toMatchObject({ state: 'closed', failures: 0 });
    expect(subjectAt(b.guardState(), 'channel:news').tried).toEqual([]);

    const open = tripped();
    open.pass(120_000);
    const probe = open.guard.decide(open.request('news', { incident: anIncident({ id: 'inc-p' }) }));
    if (probe.verdict === 'deny') throw new Error(probe.code);
    open.verified(probe.permit.terms, true);
    expect(look(open)).toMatchObject({ state: 'open', trips: 2 });
  });

  it('opens twice as long again after two probes in a row that never began', () => {
    const b = tripped();
    b.pass(120_000);
    const ask = (id: string) => b.guard.decide(b.request('news', { incident: anIncident({ id }) })).verdict;
    expect(ask('inc-p1')).toBe('allow');
    b.pass(5_000 + 240_000);
    expect(ask('inc-p2')).toBe('allow');
    b.pass(5_000);
    expect(look(b)).toMatchObject({ state: 'open', trips: 3, untilMs: b.nowMs() + 480_000 });
  });

  it('still counts a restart without a verdict when other things have happened since', () => {
    const b = bench({ limits: BREAKER_ONLY });
    const unjudged = b.request('news', { incident: anIncident({ id: 'inc-u' }) });
    const decision = b.guard.decide(unjudged);
    if (decision.verdict === 'deny') throw new Error(decision.code);
    b.perform(decision.permit);
    b.pass(60_000);
    for (let n = 0; n < 4; n += 1) {
      restart(b, { cured: false });
      b.pass(10);
    }
    expect(look(b)).toMatchObject({ state: 'open', trips: 1 });
    const { fingerprint } = unjudged.envelope;
    const again = b.request();
    const answer = b.guard.preview({ ...again, envelope: { ...again.envelope, fingerprint } });
    expect(answer.checks.find(({ id }) => id === 9)).toMatchObject({ code: 'already_tried' });
  });

  it('counts a restart without a verdict as failed at its deadline', () => {
    const b = bench({ limits: BREAKER_ONLY });
    for (let n = 0; n < 4; n += 1) {
      restart(b, { cured: false });
      b.pass(10);
    }
    restart(b);
    expect(look(b)).toMatchObject({ state: 'closed', failures: 4 });
    b.pass(100_000);
    expect(look(b)).toMatchObject({ state: 'open', trips: 1 });
  });

  it('opens again, longer, when the cure that closed it does not hold', () => {
    const b = tripped();
    b.pass(120_000);
    const probe = restart(b, { cured: true });
    b.pass(5_000);
    b.record({ type: 'attempt.relapsed', permit: probe, fingerprint: 'f', because: 'down again' }, 'news');
    expect(look(b)).toMatchObject({ state: 'open', trips: 2, untilMs: b.nowMs() + 240_000 });
  });

  it('is closed by a reset, after which no earlier result counts', () => {
    const b = tripped();
    b.pass(120_000);
    const probe = restart(b);
    b.record(
      { type: 'control.reset', scope: { kind: 'channel', id: 'news' }, who: 'ann', because: 'repaired' },
      'news',
    );
    expect(look(b)).toMatchObject({ state: 'closed', failures: 0 });
    b.verified(probe, false);
    expect(look(b)).toMatchObject({ state: 'closed', failures: 0 });
  });
});

describe('the breaker over a crash of Reeve', () => {
  const reborn = (b: Bench, hand: ReturnType<typeof handClock>) => {
    const again = bench({ store: b.store, hand, limits: BREAKER_ONLY });
    again.record({ type: 'reeve.started', version: '1', configSha: '' });
    return again;
  };

  it('is open for at least the time that was left', () => {
    const b = tripped();
    b.pass(50_000);
    const again = reborn(b, b);
    expect(look(again)).toMatchObject({ state: 'open', untilMs: again.nowMs() + 70_000 });
    const rebooted = reborn(b, handClock(0, 'boot-2'));
    const view = look(rebooted);
    expect(view.state === 'open' && view.untilMs - rebooted.nowMs()).toBeGreaterThanOrEqual(70_000);
  });

  it('is open with the full time when it was half-open', () => {
    const b = tripped();
    b.pass(120_000);
    const decision = b.guard.decide(b.request('news', { incident: anIncident({ id: 'inc-p' }) }));
    if (decision.verdict === 'allow') b.started(decision.permit.terms);
    const again = reborn(b, b);
    const view = look(again);
    expect(view).toMatchObject({ state: 'open' });
    expect(view.state === 'open' && view.untilMs - again.nowMs()).toBeGreaterThanOrEqual(120_000);
    if (decision.verdict === 'allow') {
      again.record({ type: 'tool.unknown', permit: decision.permit.terms, because: 'crash' }, 'news');
      expect(look(again)).toEqual(view);
    }
  });

  it('is half-open, and not closed, when its time passed while Reeve was away', () => {
    const b = tripped();
    b.pass(500_000);
    expect(look(reborn(b, b))).toMatchObject({ state: 'half_open', probe: undefined });
  });

  it('is rebuilt from the journal the same with and without a snapshot', () => {
    const b = tripped();
    const plain = look(b);
    b.ledger.snapshot();
    const again = bench({ store: b.store, hand: b, limits: BREAKER_ONLY });
    expect(look(again)).toEqual(plain);
    expect(again.ledger).toBeInstanceOf(Ledger);
  });
});
