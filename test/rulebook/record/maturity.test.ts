import { describe, expect, it } from 'vitest';
import {
  CALLS_MIN,
  FAILURES_IN_A_ROW,
  fallOf,
  offerOf,
  refusalOfMove,
  standingOf,
} from '../../../src/rulebook/record/maturity.ts';
import { aCall } from '../../support/a.ts';
import { Book, DEADLINE_MS } from './book.ts';

describe('demotion by itself', () => {
  it(`comes with ${FAILURES_IN_A_ROW} calls in a row without a cure, and not one earlier`, () => {
    const book = new Book();
    book.set('staging');
    for (let call = 1; call < FAILURES_IN_A_ROW; call += 1) book.score(false);
    expect(fallOf(book.record)).toBeUndefined();
    book.score(false);
    expect(fallOf(book.record)).toContain('without a cure');
  });

  it('comes at once with harm', () => {
    const book = new Book();
    book.set('production');
    book.score(false, { harmed: true });
    expect(fallOf(book.record)).toContain('had output');
  });

  it('comes at once with an attempted breach, and not with a refusal that passes', () => {
    const book = new Book();
    book.set('production');
    const plan = { kind: 'act', call: aCall(), because: 'b', by: { kind: 'rule', rule: 'r' } } as const;
    book.add({ type: 'plan.made', plan });
    const deny = (code: 'cooldown' | 'wrong_remedy') => {
      const decision = { verdict: 'deny', code, because: 'b', retryAfterMs: undefined, trace: [] } as const;
      book.add({ type: 'guard.decided', call: 'c', decision, tookMs: 1 });
    };
    deny('cooldown');
    expect(fallOf(book.record)).toBeUndefined();
    deny('wrong_remedy');
    expect(fallOf(book.record)).toContain('the guard never allows');
  });

  it(`comes with ${CALLS_MIN} calls that do no better than doing nothing`, () => {
    const book = new Book();
    book.set('staging');
    for (let match = 0; match < 10; match += 1) {
      book.shadow();
      book.close('self_healed');
    }
    for (let call = 0; call < CALLS_MIN; call += 1) book.score(call % 3 === 0);
    expect(fallOf(book.record)).toContain('better than doing nothing with only');
  });

  it.each([['demoted'], ['retired']] as const)('comes to one put back from %s by what followed only', (from) => {
    const book = new Book();
    book.set('staging');
    for (let match = 0; match < 10; match += 1) {
      book.shadow();
      book.close('self_healed');
    }
    for (let call = 0; call < CALLS_MIN; call += 1) book.score(call % 3 === 0);
    expect(fallOf(book.record)).toContain('better than doing nothing with only');
    book.set(from);
    book.set('staging');
    book.score(false);
    expect(fallOf(book.record)).toBeUndefined();
    for (let call = 2; call < CALLS_MIN; call += 1) book.score(call % 3 === 0);
    expect(fallOf(book.record)).toBeUndefined();
    book.score(false);
    expect(fallOf(book.record)).toContain('better than doing nothing with only');
    expect(book.record.treated).toEqual({ successes: 5, failures: 11 });
  });

  it('does not come of a cure before that, which relapses after it', () => {
    const book = new Book();
    const permit = { id: 'per-old', call: aCall(), incident: 'i', run: 'run-1', risk: 'high', generation: 0 } as const;
    const relapsed = { ...permit, fence: 0, grantedMs: 0, expiresMs: 1, parent: undefined };
    book.set('staging');
    book.score(true, { permit: 'per-old' });
    book.set('demoted');
    book.set('production');
    book.score(true);
    for (let call = 1; call < FAILURES_IN_A_ROW; call += 1) book.score(false);
    book.add({ type: 'attempt.relapsed', permit: relapsed, fingerprint: 'f', because: 'b' });
    expect(fallOf(book.record)).toBeUndefined();
    expect(book.record).toMatchObject({ treated: { successes: 1, failures: FAILURES_IN_A_ROW } });
  });

  it('never comes to a rule that a person wrote', () => {
    const book = new Book();
    for (let call = 0; call < 20; call += 1) book.score(false);
    expect(fallOf(book.record)).toBeUndefined();
    expect(standingOf(book.record)).toMatchObject({ retired: false, failures: 20 });
  });
});

describe('an offer to a person', () => {
  it('leads from shadow to staging once trouble was left alone three times and did not always go', () => {
    const book = new Book();
    book.set('shadow');
    for (let match = 0; match < 3; match += 1) {
      expect(offerOf(book.record)).toBeUndefined();
      book.shadow();
      book.nowMs += DEADLINE_MS + 1;
      book.add({ type: 'run.started', attempt: 1 });
    }
    expect(offerOf(book.record)).toMatchObject({ to: 'staging', n: 3, calls: 3 });
    expect(offerOf(book.record)?.because).toContain('went by itself 0 of 3 times');
  });

  it('is not made for a rule against what always goes by itself', () => {
    const book = new Book();
    book.set('shadow');
    for (let match = 0; match < 9; match += 1) {
      book.shadow();
      book.close('self_healed');
    }
    expect(offerOf(book.record)).toBeUndefined();
  });

  it('leads to production only when the whole interval is above doing nothing', () => {
    const book = new Book();
    book.set('staging');
    for (let call = 0; call < CALLS_MIN; call += 1) book.score(true);
    expect(offerOf(book.record)).toBeUndefined();
    for (let match = 0; match < 6; match += 1) {
      book.shadow();
      book.nowMs += DEADLINE_MS + 1;
      book.add({ type: 'run.started', attempt: 1 });
    }
    expect(offerOf(book.record)).toMatchObject({ to: 'production', n: CALLS_MIN });
  });

  it('goes one state at a time', () => {
    const book = new Book();
    book.set('shadow');
    expect(refusalOfMove(book.record, 'production')).toContain('it may go to staging');
    expect(refusalOfMove(book.record, 'staging')).toBeUndefined();
  });
});
