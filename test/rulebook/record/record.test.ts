import { fc, it as property } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import type { About, JournalEntry, JournalFact } from '../../../src/core/journal.ts';
import type { RuleState } from '../../../src/core/rule.ts';
import {
  CALLS_MIN,
  FAILURES_IN_A_ROW,
  fallOf,
  offerOf,
  refusalOfMove,
  standingOf,
} from '../../../src/rulebook/record/maturity.ts';
import {
  recordOf,
  type RuleRecord,
  type RuleRecords,
  ruleRecordsProjection,
} from '../../../src/rulebook/record/record.ts';
import { upliftOf } from '../../../src/rulebook/record/uplift.ts';
import { aCall } from '../../support/a.ts';

const DEADLINE_MS = 300_000;

/** A journal of the facts alone. */
class Book {
  state: RuleRecords = ruleRecordsProjection.initial;
  #seq = 0;
  nowMs = 1_000;

  add(fact: JournalFact, about: About = { incident: 'inc-1', channel: 'news', run: 'run-1' }): void {
    this.#seq += 1;
    const entry: JournalEntry = { ...about, seq: this.#seq, at: 0, monoMs: this.nowMs, boot: 'b', fact };
    this.state = ruleRecordsProjection.apply(this.state, entry);
    expect(JSON.parse(JSON.stringify(this.state))).toEqual(JSON.parse(JSON.stringify(this.state)));
  }
  set(to: RuleState, sha256 = 's1'): void {
    this.add({ type: 'rule.state_set', rule: 'r', sha256, to, who: 'ann', because: 'b' }, {});
  }
  shadow(about?: About): void {
    const deadlineMs = this.nowMs + DEADLINE_MS;
    this.add({ type: 'rule.shadowed', rule: 'r', sha256: 's1', fingerprint: 'f', would: 'x', deadlineMs }, about);
  }
  score(cured: boolean, extra: { harmed?: true; permit?: string } = {}): void {
    const { permit = 'per-1', ...rest } = extra;
    const by = { kind: 'rule', rule: 'r' } as const;
    const said = { by, permit, tool: 'restart_channel', score: cured ? 1 : 0, cured, fingerprint: 'f' } as const;
    this.add({ type: 'attempt.scored', ...said, ...rest });
  }
  close(ending: 'resolved' | 'self_healed' | 'by_person'): void {
    this.add({ type: 'incident.closed', ending, because: 'b', openMs: 1 });
  }
  get record(): RuleRecord {
    return recordOf(this.state, 'r');
  }
}

const permit = {
  id: 'per-1',
  call: aCall(),
  incident: 'inc-1',
  run: 'run-1',
  risk: 'high',
  generation: 0,
  fence: 0,
  grantedMs: 0,
  expiresMs: 1,
  parent: undefined,
} as const;

describe('the control group of a rule', () => {
  it('counts a shadow match as a failure of doing nothing when the trouble outlasts the deadline', () => {
    const book = new Book();
    book.shadow();
    book.nowMs += DEADLINE_MS;
    book.add({ type: 'run.started', attempt: 1 });
    expect(book.record.control).toEqual({ successes: 0, failures: 0 });
    book.nowMs += 1;
    book.add({ type: 'run.started', attempt: 1 });
    expect(book.record.control).toEqual({ successes: 0, failures: 1 });
  });

  it('counts it as a success when the trouble went by itself', () => {
    const book = new Book();
    book.shadow();
    book.close('self_healed');
    expect(book.record).toMatchObject({ control: { successes: 1, failures: 0 }, shadowed: 1, disturbed: 0 });
  });

  it.each([
    ['Reeve changed something', (book: Book) => book.add({ type: 'tool.started', permit })],
    [
      'a person or the engine started it',
      (book: Book) =>
        book.add({ type: 'start.observed', origin: 'operator', generation: 'g', engine: 'local' }, { channel: 'news' }),
    ],
    ['a person closed it', (book: Book) => book.close('by_person')],
    ['a call cured it', (book: Book) => book.close('resolved')],
  ])('counts nothing where %s within the deadline', (_, disturb) => {
    const book = new Book();
    book.shadow();
    disturb(book);
    book.nowMs += DEADLINE_MS + 1;
    book.add({ type: 'run.started', attempt: 2 });
    expect(book.record).toMatchObject({ control: { successes: 0, failures: 0 }, disturbed: 1 });
  });

  it('is left alone by what happens to another channel, and by a call that only looks', () => {
    const book = new Book();
    book.shadow();
    book.add({ type: 'start.observed', origin: 'engine', generation: 'g', engine: 'local' }, { channel: 'other' });
    book.add({ type: 'tool.started', permit: { ...permit, call: aCall({ tool: 'get_channel_health' }) } });
    book.close('self_healed');
    expect(book.record.control.successes).toBe(1);
  });
});

describe("a rule's own calls", () => {
  it('count by what was verified, and a call that only looks counts for nothing', () => {
    const book = new Book();
    book.score(true);
    book.score(false);
    const by = { kind: 'rule', rule: 'r' } as const;
    const looked = {
      by,
      permit: 'p',
      tool: 'get_channel_health',
      score: 0.6,
      cured: undefined,
      fingerprint: 'f',
    } as const;
    book.add({ type: 'attempt.scored', ...looked });
    expect(book.record).toMatchObject({ treated: { successes: 1, failures: 1 }, recent: [true, false] });
  });

  it('lose a cure that relapsed', () => {
    const book = new Book();
    book.score(true);
    book.add({ type: 'attempt.relapsed', permit, fingerprint: 'f', because: 'b' });
    book.add({ type: 'attempt.relapsed', permit, fingerprint: 'f', because: 'b' });
    expect(book.record).toMatchObject({ treated: { successes: 0, failures: 1 }, recent: [false] });
  });

  it('start afresh with another file under the same name', () => {
    const book = new Book();
    book.set('shadow');
    book.score(false);
    book.set('staging', 's2');
    expect(book.record).toMatchObject({ treated: { successes: 0, failures: 0 }, sha256: 's2', state: 'staging' });
  });
});

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

describe('uplift', () => {
  const outcomes = fc.record({ successes: fc.nat(60), failures: fc.nat(60) });

  property.prop([outcomes, outcomes])('is the mean difference of the two rates, within its interval', (a, b) => {
    const uplift = upliftOf(a, b);
    const rate = ({ successes, failures }: typeof a) => (successes + 1) / (successes + failures + 2);
    expect(uplift.mean).toBeCloseTo(rate(a) - rate(b), 2);
    expect(uplift.low).toBeLessThanOrEqual(uplift.mean + 0.01);
    expect(uplift.high).toBeGreaterThanOrEqual(uplift.mean - 0.01);
    expect(uplift.better).toBeGreaterThanOrEqual(0);
    expect(uplift.better).toBeLessThanOrEqual(1);
  });

  property.prop([outcomes, outcomes])(
    'of one against the other is the reverse of the other against the one',
    (a, b) => {
      expect(upliftOf(a, b).better + upliftOf(b, a).better).toBeCloseTo(1, 6);
    },
  );

  it('knows nothing without a record', () => {
    const none = { successes: 0, failures: 0 };
    const uplift = upliftOf(none, none);
    expect(uplift.mean).toBeCloseTo(0, 6);
    expect(uplift.better).toBeCloseTo(0.5, 6);
    expect(uplift.low).toBeLessThan(-0.6);
  });
});
