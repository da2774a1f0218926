import { describe, expect, it } from 'vitest';
import type { Delivery } from '../../../src/simulation/effect_log.ts';
import { Pages } from '../../../src/simulation/invariants/pages.ts';
import { aCall, permitTerms } from '../../support/a.ts';
import { oracleEnvironment } from '../../support/oracle_environment.ts';

const KEY = 'incident/inc-1';
const raised = { type: 'escalation.raised', escalation: { key: KEY } };
const resolved = { type: 'escalation.resolved', key: KEY };
const ended = (outcome: object) => ({ type: 'run.ended', outcome });

function pages() {
  const world = oracleEnvironment();
  const oracle = new Pages(world.context);
  /** These facts in one append. */
  const put = (...facts: readonly object[]) => {
    const batch = facts.map((fact) => world.entry(fact, { incident: 'inc-1' }));
    for (const entry of batch) oracle.entry(entry, batch);
  };
  const deliver = (what: Delivery['what'], with_: Partial<Delivery> = {}) =>
    oracle.delivered({ receiver: 'pager', what, key: KEY, id: 'm', scope: 'fleet', atMs: 0, taken: true, ...with_ });
  return { ...world, oracle, put, deliver };
}

describe('a decision that needs a person (L1)', () => {
  it.each([
    ['a call for a person', ended({ kind: 'escalated', reason: 'no_plan', because: '' })],
    ['a question', ended({ kind: 'approval_needed', because: '' })],
    ['an action whose end is not known', { type: 'tool.unknown', permit: permitTerms() }],
  ])('comes with its page in the same append: %s', (_, fact) => {
    const without = pages();
    without.put(fact);
    expect(without.broken).toEqual(['L1']);
    const together = pages();
    together.put(fact, raised);
    expect(together.broken).toEqual([]);
    const before = pages();
    before.put(raised);
    before.put(fact);
    expect(before.broken).toEqual([]);
  });

  it('is not a look whose end is not known', () => {
    const { put, broken } = pages();
    const call = aCall({ tool: 'fetch_recent_logs' });
    put({ type: 'tool.unknown', permit: permitTerms({ call, risk: 'low' }) });
    expect(broken).toEqual([]);
  });

  it('is not one that ends in a containment, which pages for itself, or in a wait', () => {
    const { put, broken } = pages();
    put(ended({ kind: 'escalated', reason: 'containment', because: '' }));
    put(ended({ kind: 'watching', because: '' }));
    expect(broken).toEqual([]);
  });

  it('is not covered by a page that has ended', () => {
    const { put, broken } = pages();
    put(raised);
    put(resolved);
    put(ended({ kind: 'approval_needed', because: '' }));
    expect(broken).toEqual(['L1']);
  });
});

describe('a page (L1)', () => {
  it('is undelivered until some receiver took it', () => {
    const { put, deliver, oracle } = pages();
    put(raised);
    deliver('trigger', { taken: false });
    expect(oracle.unheard()).toEqual([KEY]);
    deliver('trigger');
    expect(oracle.unheard()).toEqual([]);
  });

  it('that comes back is undelivered only where no receiver has it open still', () => {
    const { put, deliver, oracle } = pages();
    put(raised);
    deliver('trigger');
    put(resolved);
    put(raised);
    expect(oracle.unheard()).toEqual([]);
    put(resolved);
    deliver('resolve');
    put(raised);
    expect(oracle.unheard()).toEqual([KEY]);
  });

  it('is not sent after its resolve, unless it was raised again', () => {
    const { put, deliver, broken } = pages();
    put(raised);
    deliver('trigger');
    put(resolved);
    deliver('resolve');
    put(raised);
    deliver('trigger');
    expect(broken).toEqual([]);
    put(resolved);
    deliver('resolve');
    deliver('repeat');
    expect(broken).toEqual(['L1']);
    deliver('repeat', { key: 'unjournaled/x' });
    expect(broken).toHaveLength(1);
  });

  it('may stay open in a form that a journal which was set back does not know, until it has ended there', () => {
    const resolve = { type: 'delivery.done', key: KEY, receiver: 'pager', what: 'resolve' };
    const { put, deliver, broken, oracle } = pages();
    put(raised);
    deliver('trigger');
    oracle.setBack();
    put(resolved, resolve);
    expect(broken).toEqual([]);
    deliver('resolve', { lapsed: 'silence' });
    put(raised);
    deliver('trigger');
    put(resolved, resolve);
    expect(broken).toEqual(['L1']);
  });

  it('may be sent after its resolve where the journal was set back to before that', () => {
    const { put, deliver, broken, oracle } = pages();
    put(raised);
    deliver('trigger');
    put(resolved);
    deliver('resolve');
    oracle.setBack();
    deliver('trigger');
    expect(broken).toEqual([]);
  });

  it('lapses at a receiver that forgets it: by neglect only once it is over', () => {
    const { put, deliver, broken, oracle } = pages();
    put(raised);
    deliver('trigger');
    deliver('resolve', { lapsed: 'silence' });
    expect([oracle.isHeard(KEY), broken]).toEqual([false, []]);
    deliver('trigger');
    deliver('resolve', { lapsed: 'neglect' });
    expect(broken).toEqual(['L1']);
    deliver('trigger');
    put(resolved);
    deliver('resolve', { lapsed: 'neglect' });
    expect(broken).toEqual(['L1']);
  });

  it('may be left out once the journal was set back to before it, and lapse', () => {
    const { put, deliver, broken, oracle } = pages();
    put(raised);
    deliver('trigger');
    oracle.setBack();
    deliver('resolve', { lapsed: 'neglect' });
    expect(broken).toEqual([]);
    deliver('trigger');
    deliver('resolve', { lapsed: 'neglect' });
    expect(broken).toEqual(['L1']);
  });

  it('that a receiver is said to have taken is open there, and after its resolve it is not', () => {
    const done = (what: Delivery['what'], receiver = 'pager') => ({ type: 'delivery.done', key: KEY, receiver, what });
    const { put, deliver, broken } = pages();
    put(raised);
    deliver('trigger');
    put(done('trigger'));
    put(done('repeat'));
    put(resolved);
    deliver('resolve');
    put(done('resolve'));
    put(done('resolve', 'chat'));
    expect(broken).toEqual([]);
    put(done('trigger', 'chat'));
    expect(broken).toEqual(['L1']);
    deliver('trigger', { receiver: 'chat' });
    put(done('resolve', 'chat'));
    expect(broken).toEqual(['L1', 'L1']);
  });
});
