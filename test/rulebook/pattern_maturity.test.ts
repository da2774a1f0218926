import { describe, expect, it } from 'vitest';
import type { JournalEntry, JournalFact } from '../../src/core/journal.ts';
import { AIMLESS_MS, patternRecordsProjection } from '../../src/detect/patterns/records.ts';
import {
  AIMLESS_MAX,
  IDLE_MAX,
  patternFallOf,
  patternOfferOf,
  type PatternStanding,
} from '../../src/rulebook/record/pattern_maturity.ts';

const standing = (more: Partial<PatternStanding> = {}): PatternStanding => ({
  state: 'promoted',
  treated: { successes: 0, failures: 0 },
  control: { successes: 0, failures: 0 },
  ...{ aimless: 0, incidents: 0, idle: 0, namedBy: 'ann', recent: [], harms: 0 },
  ...more,
});

describe('the promotion of a pattern', () => {
  it('is offered from the third incident that it fitted on trial', () => {
    expect(patternOfferOf(standing({ state: 'proposed', incidents: 2 }))).toBeUndefined();
    expect(patternOfferOf(standing({ state: 'proposed', incidents: 3 }))).toMatchObject({ to: 'promoted', n: 3 });
  });

  it('is not offered where more than a third of its fits were about no trouble', () => {
    expect(patternOfferOf(standing({ state: 'proposed', incidents: 4, aimless: 2 }))).toBeDefined();
    expect(patternOfferOf(standing({ state: 'proposed', incidents: 4, aimless: 3 }))).toBeUndefined();
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
    expect(state.records[0]).toMatchObject({ shadowed: 5, aimless: 0, namedBy: 'ann' });
  });
});
