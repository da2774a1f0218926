import { describe, expect, it } from 'vitest';
import { becauseOf, budgetPage, hasRoomAgain, isUsedUp } from '../../../src/incident/pages/budget_page.ts';

const of = (used: number, max: number, freeInMs = 0) => ({ used, max, freeInMs });

describe('the daily budget of the fleet', () => {
  it('is used up at its last restart, and never where it is 0, which a person has set', () => {
    expect([of(19, 20), of(20, 20), of(21, 20), of(0, 0), of(3, 0)].map(isUsedUp)).toEqual([
      ...[false, true, true, false, false],
    ]);
  });

  it('has room again when a tenth of it is free, and one restart at least', () => {
    expect([of(19, 20), of(18, 20), of(1, 1), of(0, 1)].map(hasRoomAgain)).toEqual([false, true, false, true]);
    expect(becauseOf(of(18, 20))).toBe('the budget has room again');
  });

  it('ends its page where a person sets it to 0 meanwhile', () => {
    expect(hasRoomAgain(of(3, 0))).toBe(true);
    expect(becauseOf(of(3, 0))).toBe('a budget of 0 was set: no restarts are wanted');
  });

  it('says when the next restart is free', () => {
    expect(budgetPage(of(20, 20, 90_000)).summary).toMatch(/used 20 of the fleet's 20 .* the next is free in 90 s$/);
    expect(budgetPage(of(20, 20)).summary).toMatch(/none is free$/);
  });
});
