import { describe, expect, it } from 'vitest';
import {
  EXPLORE_CAPS,
  type ExploreCaps,
  ExploreBudget,
  type SessionBudget,
} from '../../../src/rulebook/explore/budget.ts';
import { fakeClock } from '../../support/fake_clock.ts';

const DAY_MS = 86_400_000;

function setUp(caps: Partial<ExploreCaps> = {}) {
  const { clock, advance } = fakeClock();
  const costOf = ({ prompt, reply }: { prompt: number; reply: number }) => prompt + 2 * reply;
  const budget = new ExploreBudget({ ...EXPLORE_CAPS, ...caps }, clock, costOf);
  const session = (): SessionBudget => {
    const begun = budget.begin();
    if (typeof begun === 'string') throw new Error(begun);
    return begun;
  };
  return { budget, session, advance };
}

describe('what explorations may cost', () => {
  it('is so many sessions in 24 hours, counted from the begin of each', async () => {
    const { budget, session, advance } = setUp({ sessionsPerDay: 2 });
    session();
    await advance(1_000);
    session();
    expect(budget.begin()).toBe('2 sessions were held in 24 hours');
    await advance(DAY_MS - 1_001);
    expect(typeof budget.begin()).toBe('string');
    await advance(1);
    expect(typeof budget.begin()).toBe('object');
  });

  it('is so many tokens of a session, and never more than are left of the day', () => {
    const { budget, session } = setUp({ tokensPerSession: 100, tokensPerDay: 150 });
    const first = session();
    first.spend(70, 29);
    expect(first.tokensLeft()).toBe(1);
    const second = session();
    expect(second.tokensLeft()).toBe(51);
    second.spend(51, 0);
    expect(budget.begin()).toBe('the tokens of 24 hours are spent');
  });

  it('is so much money in 24 hours, where money is counted', () => {
    const { budget, session } = setUp({ costMicrosPerDay: 100 });
    const one = session();
    one.spend(49, 25);
    expect([one.isAffordable(), typeof budget.begin()]).toEqual([true, 'object']);
    one.spend(1, 0);
    expect([one.isAffordable(), budget.begin()]).toEqual([false, 'the money of 24 hours is spent']);
    expect(budget.costMicros).toBe(100);
    const free = setUp().session();
    free.spend(1_000_000, 0);
    expect(free.isAffordable()).toBe(true);
  });

  it('counts what was held before a restart', async () => {
    const { clock, advance } = fakeClock();
    await advance(DAY_MS);
    const held = { startedMs: clock.monotonicMs() - DAY_MS + 1_000, tokens: 90, costMicros: 5 };
    const begin = (caps: Partial<ExploreCaps>) =>
      new ExploreBudget({ ...EXPLORE_CAPS, ...caps }, clock, undefined, [held]).begin();
    expect(begin({ sessionsPerDay: 1 })).toBe('1 sessions were held in 24 hours');
    expect(begin({ costMicrosPerDay: 5 })).toBe('the money of 24 hours is spent');
    expect((begin({ tokensPerDay: 100 }) as SessionBudget).tokensLeft()).toBe(10);
    await advance(1_000);
    expect((begin({ sessionsPerDay: 1, tokensPerDay: 100 }) as SessionBudget).tokensLeft()).toBe(100);
  });

  it('is so many calls and so much time of a session', async () => {
    const { session, advance } = setUp({ toolCallsPerSession: 2, sessionMsMax: 5_000 });
    const one = session();
    expect([one.takeCall(), one.takeCall(), one.takeCall()]).toEqual([true, true, false]);
    await advance(4_999);
    expect(one.msLeft()).toBe(1);
  });
});
