import { describe, expect, it } from 'vitest';
import {
  AIMLESS_MAX,
  IDLE_MAX,
  patternFallOf,
  patternMovesOf,
  patternNextOf,
  patternOfferOf,
  type PatternStanding,
  STAGED_MIN,
} from '../../../src/rulebook/record/pattern_maturity.ts';

const standing = (more: Partial<PatternStanding> = {}): PatternStanding => ({
  state: 'production',
  treated: { successes: 0, failures: 0 },
  control: { successes: 0, failures: 0 },
  ...{ aimless: 0, incidents: 0, idle: 0, namedBy: 'ann', recent: [], harms: 0 },
  ...more,
});

describe('the promotion of a pattern', () => {
  it('is offered from the third incident that it fitted on trial', () => {
    expect(patternOfferOf(standing({ state: 'proposed', incidents: 2 }))).toBeUndefined();
    const three = standing({ state: 'proposed', incidents: 3 });
    expect(patternOfferOf(three)).toMatchObject({ to: 'production', n: 3 });
    expect(patternOfferOf({ ...three, state: 'shadow', namedBy: 'model m' })).toMatchObject({ to: 'staging', n: 3 });
  });

  it('is not offered where more than a third of its fits were about no trouble', () => {
    expect(patternOfferOf(standing({ state: 'proposed', incidents: 4, aimless: 2 }))).toBeDefined();
    expect(patternOfferOf(standing({ state: 'proposed', incidents: 4, aimless: 3 }))).toBeUndefined();
  });
});

describe('a pattern in staging', () => {
  const staged = (more: Partial<PatternStanding> = {}) => standing({ state: 'staging', namedBy: 'model m', ...more });

  it('is offered for production from the third judged call, when it is surely better than doing nothing', () => {
    const control = { successes: 0, failures: 3 };
    expect(patternOfferOf(staged({ control, treated: { successes: 2, failures: 0 } }))).toBeUndefined();
    const offer = patternOfferOf(staged({ control, treated: { successes: 3, failures: 0 } }));
    expect(offer).toMatchObject({ to: 'production', n: 3, because: expect.stringContaining('3 of 3 calls cured') });
    const doubtful = { control: { successes: 3, failures: 0 }, treated: { successes: 3, failures: 0 }, incidents: 9 };
    expect(patternOfferOf(staged(doubtful))).toBeUndefined();
  });

  it('is offered after five incidents where no call rested on it', () => {
    expect(patternOfferOf(staged({ incidents: STAGED_MIN - 1 }))).toBeUndefined();
    expect(patternOfferOf(staged({ incidents: STAGED_MIN, aimless: 2 }))).toMatchObject({ to: 'production', n: 5 });
    expect(patternOfferOf(staged({ incidents: STAGED_MIN, aimless: 3 }))).toBeUndefined();
  });

  it('falls like one in production, but not for want of a yes', () => {
    expect(patternFallOf(staged({ harms: 1 }))).toContain('had none after');
    expect(patternFallOf(staged({ recent: [false, false, false, false, false] }))).toContain('5 calls');
    expect(patternFallOf(staged({ aimless: AIMLESS_MAX, incidents: 3 }))).toContain('too general');
  });
});

describe('a pattern that a person put back', () => {
  const before = { successes: 1, failures: 9 };
  const control = { successes: 9, failures: 1 };
  const back = (successes: number, failures: number) =>
    standing({ control, before, treated: { successes: 1 + successes, failures: 9 + failures } });

  it('falls only of what came after that', () => {
    expect(patternFallOf({ ...back(0, 0), before: { successes: 0, failures: 0 } })).toContain(
      'better than doing nothing',
    );
    expect(patternFallOf(back(1, 6))).toBeUndefined();
    expect(patternFallOf(back(1, 7))).toContain('better than doing nothing');
  });

  it('is offered for it only, too', () => {
    const without = { successes: 0, failures: 3 };
    const offered = (more: object) => patternOfferOf({ ...back(3, 0), state: 'staging', control: without, ...more });
    expect(offered({})).toMatchObject({ to: 'production', n: 3 });
    expect(offered({ before: { successes: 0, failures: 0 } })).toBeUndefined();
  });
});

describe('the states of a pattern', () => {
  it('lead one that a model named through staging, and one that a person named at once into production', () => {
    const next = (state: PatternStanding['state'], namedBy: string) => patternNextOf({ state, namedBy });
    expect([next('shadow', 'model m'), next('staging', 'model m'), next('production', 'model m')]).toEqual([
      ...['staging', 'production', undefined],
    ]);
    expect([next('shadow', 'ann'), next('demoted', 'ann'), next('retired', 'ann')]).toEqual([
      ...['production', 'staging', 'staging'],
    ]);
    expect(patternMovesOf({ state: 'shadow', namedBy: 'model m' })).not.toContain('production');
    expect(patternMovesOf({ state: 'shadow', namedBy: 'ann' })).toContain('staging');
  });
});

describe('a promoted pattern', () => {
  it('falls at once on harm', () => {
    expect(patternFallOf(standing())).toBeUndefined();
    expect(patternFallOf(standing({ harms: 1 }))).toContain('had none after');
  });

  it('falls with the fifth call in a row that cured nothing', () => {
    expect(patternFallOf(standing({ recent: [false, false, false, false] }))).toBeUndefined();
    expect(patternFallOf(standing({ recent: [true, false, false, false, false] }))).toBeUndefined();
    expect(patternFallOf(standing({ recent: [false, false, false, false, false] }))).toContain('5 calls');
  });

  it('falls as too general with the eighth fit without trouble, if those are most', () => {
    expect(patternFallOf(standing({ aimless: AIMLESS_MAX - 1 }))).toBeUndefined();
    expect(patternFallOf(standing({ aimless: AIMLESS_MAX, incidents: 4 }))).toBeUndefined();
    expect(patternFallOf(standing({ aimless: AIMLESS_MAX, incidents: 3 }))).toContain('too general');
  });

  it('falls after five incidents that it led to nothing in, where a model named it; a person may know more', () => {
    expect(patternFallOf(standing({ idle: IDLE_MAX, namedBy: 'model local/x' }))).toContain('led to nothing');
    expect(patternFallOf(standing({ idle: IDLE_MAX - 1, namedBy: 'model local/x' }))).toBeUndefined();
    expect(patternFallOf(standing({ idle: IDLE_MAX, namedBy: 'ann' }))).toBeUndefined();
  });

  it('falls by the numbers when it is hardly better than doing nothing', () => {
    const control = { successes: 9, failures: 1 };
    expect(patternFallOf(standing({ treated: { successes: 2, failures: 8 }, control }))).toContain('better than');
    expect(patternFallOf(standing({ treated: { successes: 8, failures: 2 }, control }))).toBeUndefined();
  });
});
