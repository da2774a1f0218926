import { describe, expect, it } from 'vitest';
import { controlProjection } from '../../src/control/state.ts';
import { becauseOf, runText, sinceThen } from '../../src/http/decision_text.ts';
import { bench } from '../guard/bench.ts';

describe('why the last decision was made', () => {
  it('is its own reason where no end is open', () => {
    const b = bench();
    const now = { state: b.guardState(), channel: 'news', nowMs: b.nowMs() };
    expect(becauseOf(now, 'cooldown: 30 s')).toBe('cooldown: 30 s');
  });

  it('begins with a change whose end is not known, how old that is, and what ends it', () => {
    const b = bench();
    const decision = b.guard.decide(b.request());
    if (decision.verdict === 'deny') throw new Error(decision.code);
    b.record({ type: 'tool.unknown', permit: decision.permit.terms, because: 'timed out' }, 'news');
    b.pass(34_000);
    const now = { state: b.guardState(), channel: 'news', nowMs: b.nowMs() };
    expect(becauseOf(now, 'it was tried')).toBe(
      'UNKNOWN: the end of restart_channel, noted 34 s ago; nothing more is changed until news is seen healthy ' +
        'or reeve reset channel:news --because "…". it was tried',
    );
    expect(becauseOf({ ...now, channel: 'film' }, 'it was tried')).toBe('it was tried');
  });
});

describe('what Reeve is doing for an incident', () => {
  function begun() {
    const b = bench();
    const decision = b.guard.decide(b.request());
    if (decision.verdict === 'deny') throw new Error(decision.code);
    const permit = decision.permit.terms;
    const incident = { id: permit.incident, scope: permit.call.target };
    const last = { kind: 'watching', because: 'it was refused' };
    const says = (open: object) =>
      runText({ incident, told: [], ...open } as never, {
        control: controlProjection.initial,
        guard: b.guardState(),
        nowMs: b.nowMs(),
      });
    return { ...b, permit, last, says };
  }

  it('is the change that was begun, then its verification, and before each of them what the run before ended with', () => {
    const { permit, record, pass, says, last } = begun();
    expect(says({ running: true })).toBe(null);
    record({ type: 'tool.started', permit }, 'news');
    pass(3_000);
    expect(says({ running: true })).toBe('restart_channel on channel:news has been under way for 3 s');
    record({ type: 'tool.finished', permit, result: { ok: true } } as never, 'news');
    pass(2_000);
    const verified = 'restart_channel on channel:news ended 2 s ago, and is being verified';
    expect(says({ running: true })).toBe(verified);
    expect(says({ running: true, last })).toBe(`${verified}; before this run: it was refused`);
  });

  it('is nothing where another incident has begun the change, or no run is under way', () => {
    const { permit, record, says, last } = begun();
    record({ type: 'tool.started', permit }, 'news');
    const incident = { id: 'inc-other', scope: permit.call.target };
    expect(says({ incident, running: true })).toBe(null);
    expect(says({ running: false, last })).toBe('it was refused');
  });
});

describe('what came after the last decision of an incident', () => {
  const toldAfter = (kind: 'watching' | 'escalated', told: readonly string[]) =>
    sinceThen(controlProjection.initial, { incident: { id: 'inc-1' }, last: { kind }, told } as never);

  it('is a page, where a run that only waits shows none', () => {
    expect(toldAfter('watching', ['telemetry_untrusted'])).toBe('; a page about it is open');
    expect([toldAfter('watching', []), toldAfter('escalated', ['unknown'])]).toEqual(['', '']);
  });
});
