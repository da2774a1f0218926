import { describe, expect, it } from 'vitest';
import { controlProjection } from '../../src/control/state.ts';
import { becauseOf, sinceThen } from '../../src/http/decision_text.ts';
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

describe('what came after the last decision of an incident', () => {
  const toldAfter = (kind: 'watching' | 'escalated', told: readonly string[]) =>
    sinceThen(controlProjection.initial, { incident: { id: 'inc-1' }, last: { kind }, told } as never);

  it('is a page, where a run that only waits shows none', () => {
    expect(toldAfter('watching', ['telemetry_untrusted'])).toBe('; a page about it is open');
    expect([toldAfter('watching', []), toldAfter('escalated', ['unknown'])]).toEqual(['', '']);
  });
});
