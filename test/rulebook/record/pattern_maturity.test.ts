import { describe, expect, it } from 'vitest';
import type { JournalEntry, JournalFact } from '../../../src/core/journal.ts';
import { AIMLESS_MS, patternRecordsProjection } from '../../../src/detect/patterns/records.ts';
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

describe('the record of a pattern', () => {
  let seq = 0;
  const entry = (fact: object, monoMs: number, more: Partial<JournalEntry> = {}): JournalEntry => {
    seq += 1;
    return { seq, at: monoMs, monoMs, boot: 'b', fact: fact as JournalFact, ...more };
  };
  const fold = (entries: readonly JournalEntry[]) =>
    entries.reduce(patternRecordsProjection.apply, patternRecordsProjection.initial).records[0]!;
  const set = (to: string, atMs = 0) =>
    entry({ type: 'pattern.state_set', pattern: 'p', sha256: 's', to, who: 'model m', because: 'x' }, atMs);
  const fits = (atMs: number) =>
    entry({ type: 'pattern.shadowed', pattern: 'p', sha256: 's', lines: 3 }, atMs, { channel: 'news' });
  const opened = (atMs: number) =>
    entry(
      { type: 'incident.opened', incident: { id: 'i', scope: { kind: 'channel', id: 'news' }, channels: [] } },
      atMs,
      { incident: 'i' },
    );
  const closed = (atMs: number, ending: string) => entry({ type: 'incident.closed', ending }, atMs, { incident: 'i' });

  it('counts a fit that no trouble followed within five minutes as aimless, and not one minute sooner', () => {
    expect(fold([set('proposed'), fits(0), set('proposed', AIMLESS_MS)]).aimless).toBe(0);
    expect(fold([set('proposed'), fits(0), set('proposed', AIMLESS_MS + 1)]).aimless).toBe(1);
  });

  it('counts an incident without any change as the course without the pattern', () => {
    const went = fold([set('proposed'), fits(0), opened(1_000), closed(9_000, 'self_healed')]);
    expect(went).toMatchObject({ incidents: 1, control: { successes: 1, failures: 0 }, aimless: 0, shadowed: 3 });
    const stayed = fold([set('proposed'), fits(0), opened(1_000), closed(9_000, 'by_person')]);
    expect(stayed.control).toEqual({ successes: 0, failures: 1 });
  });

  it('learns nothing about doing nothing from an incident in which a process was started', () => {
    const start = entry({ type: 'start.observed' }, 2_000, { channel: 'news' });
    const { control, incidents } = fold([set('proposed'), fits(0), opened(1_000), start, closed(9_000, 'self_healed')]);
    expect({ control, incidents }).toEqual({ control: { successes: 0, failures: 0 }, incidents: 1 });
  });

  it('counts judged calls for a pattern in force alone', () => {
    const scored = entry({ type: 'attempt.scored', cured: false, harmed: true }, 2_000, { incident: 'i' });
    expect(fold([set('proposed'), fits(0), opened(1_000), scored]).treated.failures).toBe(0);
    const { treated, harms } = fold([set('promoted'), fits(0), opened(1_000), scored]);
    expect({ treated, harms }).toEqual({ treated: { successes: 0, failures: 1 }, harms: 1 });
  });

  it('reads a state that an earlier version kept', () => {
    const old = { records: [{ pattern: 'p', sha256: 's', state: 'promoted', who: 'ann', because: 'x', shadowed: 2 }] };
    const state = patternRecordsProjection.apply(old as never, fits(0));
    expect(state.records[0]).toMatchObject({ shadowed: 5, aimless: 0, namedBy: 'ann', state: 'production' });
  });

  it('calls production what an earlier version called promoted, in facts and in a kept state', () => {
    expect(fold([set('proposed'), set('promoted')]).state).toBe('production');
    const record = { ...fold([set('proposed')]), state: 'promoted' };
    const kept = { records: [record], heard: [{ pattern: 'p', channel: 'news', sinceMs: 0, incident: 'i' }], open: [] };
    const state = patternRecordsProjection.apply(kept as never, fits(0));
    expect(state.records[0]?.state).toBe('production');
    expect(state.heard).toHaveLength(1);
  });

  it('counts a judged call for a pattern in staging only where it alone gave the name', () => {
    const looked = (onTrial: boolean) =>
      entry({ type: 'envelope.taken', envelope: { signals: [], ...(onTrial && { onTrial }) } }, 1_500, {
        incident: 'i',
      });
    const scored = entry({ type: 'attempt.scored', cured: true }, 2_000, { incident: 'i' });
    const staged = [set('staging'), fits(0), opened(1_000)];
    expect(fold([...staged, looked(false), scored]).treated.successes).toBe(0);
    expect(fold([...staged, looked(true), scored]).treated.successes).toBe(1);
  });

  it('takes an incident in staging without any change for the course without it', () => {
    const looked = entry({ type: 'envelope.taken', envelope: { signals: [{ origin: 'probe' }] } }, 1_500, {
      incident: 'i',
    });
    const stayed = fold([set('staging'), fits(0), opened(1_000), looked, closed(9_000, 'by_person')]);
    expect(stayed).toMatchObject({ control: { successes: 0, failures: 1 }, idle: 0 });
  });

  it('keeps who named it when its trial begins by itself', () => {
    const begun = entry(
      { type: 'pattern.state_set', pattern: 'p', sha256: 's', to: 'shadow', who: 'reeve', because: 'y' },
      1,
    );
    expect(fold([set('proposed'), begun])).toMatchObject({
      ...{ state: 'shadow', who: 'model m', because: 'x', namedBy: 'model m' },
    });
  });
});
