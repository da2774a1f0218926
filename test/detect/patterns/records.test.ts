import { describe, expect, it } from 'vitest';
import type { JournalEntry, JournalFact } from '../../../src/core/journal.ts';
import { AIMLESS_MS, patternRecordsProjection } from '../../../src/detect/patterns/records.ts';

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

  it('forgets what spoke against a pattern when a person puts it back, on trial too', () => {
    const aimless = [set('proposed'), fits(0), set('retired', AIMLESS_MS + 1)];
    expect(fold(aimless)).toMatchObject({ aimless: 1, state: 'retired' });
    expect(fold([...aimless, set('shadow', AIMLESS_MS + 2)])).toMatchObject({ aimless: 0, state: 'shadow' });
    expect(fold([...aimless, set('retired', AIMLESS_MS + 2)]).aimless).toBe(1);
  });

  it('knows what was judged before a person put it back', () => {
    const scored = entry({ type: 'attempt.scored', cured: false }, 2_000, { incident: 'i' });
    const judged = [set('production'), fits(0), opened(1_000), scored];
    const fallen = [...judged, set('demoted', 3_000)];
    expect(fold(fallen).before).toBeUndefined();
    const { treated, before } = fold([...fallen, set('staging', 4_000)]);
    expect({ treated, before }).toEqual({
      treated: { successes: 0, failures: 1 },
      before: { successes: 0, failures: 1 },
    });
    expect(fold([...judged, set('staging', 4_000)]).before).toBeUndefined();
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
