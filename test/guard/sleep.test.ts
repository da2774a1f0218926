import { describe, expect, it } from 'vitest';
import { controlProjection } from '../../src/control/state.ts';
import type { JournalFact } from '../../src/core/journal.ts';
import { aCall, aPersona } from '../support/a.ts';
import { type Bench, bench } from './bench.ts';

/** A call of low risk, which containment does not stop. */
function lowRisk(b: Bench) {
  const persona = aPersona({ tool_access_policy: { invalidate_cache: 'allow' } });
  const request = b.request('news', { persona, call: aCall({ tool: 'invalidate_cache' }) });
  return { ...request, envelope: { ...request.envelope!, failureClassification: 'guide_stale' as const } };
}

describe('a machine that slept (T3)', () => {
  it.each([
    [119_999, undefined],
    [120_000, 'evidence_stale'],
  ])('makes evidence older by %i ms of sleep', (sleptMs, code) => {
    const b = bench();
    const request = lowRisk(b);
    b.suspend(sleptMs);
    expect(b.guard.preview(request).code).toBe(code);
  });

  it.each([
    [4_999, true],
    [5_000, false],
  ])('leaves a permit of 5 s after %i ms of sleep good: %s', (sleptMs, isGood) => {
    const b = bench();
    const decision = b.guard.decide(lowRisk(b));
    if (decision.verdict !== 'allow') throw new Error(decision.code);
    b.suspend(sleptMs);
    expect(decision.permit.redeem(b.nowMs())).toBe(isGood);
  });

  it('contains the fleet at once, so that no restart begins on what was seen before', () => {
    const b = bench();
    const decision = b.guard.decide(b.request());
    if (decision.verdict !== 'allow') throw new Error(decision.code);
    b.suspend(3_000);
    expect(decision.permit.redeem(b.nowMs())).toBe(false);
    expect(b.guard.preview(b.request('news', { run: 'another' }))).toMatchObject({ code: 'containment' });
    expect(b.facts('clock.jumped')).toEqual([{ type: 'clock.jumped', byMs: 3_000, cause: 'suspended' }]);
  });

  it('lets no cooldown, cap or window end sooner', () => {
    const b = bench();
    const request = b.request();
    const decision = b.guard.decide(request);
    if (decision.verdict !== 'allow') throw new Error(decision.code);
    b.perform(decision.permit, { cured: true });
    const before = b.guard.preview(b.request()).retryAfterMs;
    b.suspend(86_400_000);
    expect(b.guard.preview(b.request()).code).toBe('containment');
    b.pass(10_000);
    const after = b.guard.preview(b.request());
    expect(after.verdict).toBe('deny');
    expect(after.retryAfterMs).toBe(before! - 10_000);
  });

  it('does not change what is decided when the wall clock is set (T1)', () => {
    const b = bench();
    b.jumpWall(86_400_000);
    expect(b.guard.preview(b.request()).verdict).toBe('allow');
    expect(b.facts('clock.jumped')).toEqual([{ type: 'clock.jumped', byMs: 86_400_000, cause: 'corrected' }]);
  });

  it('makes questions and answers of people older by as much', () => {
    const put = (state: typeof controlProjection.initial, monoMs: number, fact: JournalFact) =>
      controlProjection.apply(state, { seq: monoMs, at: 0, monoMs, boot: 'b', fact });
    const call = aCall();
    const approval = {
      id: 'apr-1',
      call,
      classification: 'process_crashed',
      persona: 'p',
      incident: 'inc-1',
      run: 'r',
    };
    const asked = { ...approval, hash: 'h', askedMs: 1_000, askedAt: 0, expiresMs: 601_000, because: '', checks: [] };
    const open = put(controlProjection.initial, 1_000, { type: 'approval.asked', approval: asked } as JournalFact);
    const later = put(open, 2_000, { type: 'clock.jumped', byMs: 600_000, cause: 'suspended' });
    expect(later.approvals.map(({ expiresMs }) => expiresMs)).toEqual([1_000]);
    const corrected = put(open, 2_000, { type: 'clock.jumped', byMs: 600_000, cause: 'corrected' });
    expect(corrected.approvals).toBe(open.approvals);
  });
});
