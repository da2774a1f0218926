import { describe, expect, it } from 'vitest';
import type { Act } from '../../demo/act.ts';
import { ACTS } from '../../demo/acts.ts';
import type { Account } from '../../demo/chronicle.ts';
import { checksOf, type Seen } from '../../demo/act_checks.ts';
import { LEARNING_ACTS } from '../../demo/learning_acts.ts';
import type { Page } from '../../demo/receiver.ts';

const act = (id: string): Act => ACTS.find((each) => each.id === id)!;
const page = (what: Page['what'], key = 'k'): Page => ({ monoMs: 1, via: 'webhook', what, key, summary: '', body: {} });

const account = (given: Partial<Account> = {}): Account => ({
  ...{ classifications: [], changes: [], refusals: [], pages: 0, verified: undefined, incidents: ['inc-1'], open: [] },
  ...given,
});
const repaired = (given: Partial<Seen> = {}): Seen => ({
  ...{ startsDuring: 1, startsAfter: 0, playingAfterMs: 5_000, pagedAfterMs: undefined, pages: [] },
  ...given,
});
const seenWith = (given: Partial<Seen> = {}): Seen => ({
  ...{ startsDuring: 0, startsAfter: 0, playingAfterMs: 40_000, pagedAfterMs: 9_000 },
  ...{ pages: [page('trigger'), page('resolve')] },
  ...given,
});
const wrongOf = (id: string, seen: Seen, given: Partial<Account> = {}) =>
  checksOf(act(id), { seen, account: account(given), atLast: true })
    .filter(({ ok }) => !ok)
    .map(({ says }) => says);

describe('checking a fault that Reeve should repair', () => {
  it('accepts one start, in time, and no page', () => {
    expect(wrongOf('killed', repaired())).toEqual([]);
  });

  it.each([
    ['no start', { startsDuring: 0 }, '0 starts instead of one'],
    ['two starts', { startsDuring: 2 }, '2 starts instead of one'],
    ['a channel that stays down', { playingAfterMs: undefined }, 'not every channel plays again'],
    ['a channel that plays too late', { playingAfterMs: 20_001 }, 'not within 20 s'],
    ['a page for nothing', { pages: [page('trigger'), page('resolve')] }, '1 page(s) for what it could repair itself'],
  ])('rejects %s', (_, seen, says) => {
    expect(wrongOf('killed', repaired(seen))).toContain(says);
  });
});

describe('checking a fault that is for a person', () => {
  it('accepts a page, no start while the cause was there, and few after it', () => {
    expect(wrongOf('origin_403', seenWith({ startsAfter: 1 }))).toEqual([]);
  });

  it.each([
    ['a start while the cause was there', { startsDuring: 1 }, '1 wrong start(s)'],
    ['no page', { pagedAfterMs: undefined, pages: [] }, 'no person was notified'],
    ['too many starts after it', { startsAfter: 2 }, '2 starts after it, at most 1 were right'],
    ['a page that is never taken back', { pages: [page('trigger')] }, '1 page(s) were never taken back'],
  ])('rejects %s', (_, seen, says) => {
    expect(wrongOf('origin_403', seenWith(seen))).toEqual([says]);
  });

  it('wants one incident and one page where all of it is one trouble', () => {
    const pages = ['a', 'b'].flatMap((key) => [page('trigger', key), page('resolve', key)]);
    const wrong = wrongOf('storm', seenWith({ pages }), { incidents: ['inc-1', 'inc-2'] });
    expect(wrong).toEqual(['2 incidents for one trouble', '2 pages for one trouble']);
  });
});

describe('checking before everything is over', () => {
  it('does not yet ask whether the page was taken back', () => {
    const seen = seenWith({ pages: [page('trigger')] });
    const checks = checksOf(act('origin_403'), { seen, account: account(), atLast: false });
    expect(checks.filter(({ ok }) => !ok)).toEqual([]);
  });
});

describe('the acts', () => {
  it('are at least ten, with different names; what contains the service comes last, before what is learned', () => {
    const names = ACTS.map(({ id }) => id);
    const faults = ACTS.filter((each) => !LEARNING_ACTS.includes(each)).map(({ id }) => id);
    expect(new Set(names).size).toBe(names.length);
    expect(faults.length).toBeGreaterThanOrEqual(10);
    expect(faults.slice(-2)).toEqual(['storm', 'crash_loop']);
    // They take a rule away and switch a model on, so whatever comes after them would be another service.
    expect(ACTS.slice(-LEARNING_ACTS.length)).toEqual(LEARNING_ACTS);
  });
});
