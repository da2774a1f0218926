import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../src/core/duration.ts';
import type { Draft, JournalEntry } from '../../src/core/journal.ts';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import { type ExportDeps, exportIncident } from '../../src/incident/export.ts';
import { aChannel, anIncident, aPersona, aResult, permitTerms } from '../support/a.ts';

const OPENED_MS = 10 * DAY_MS;
const opened: Draft = { channel: 'news', incident: 'inc-1', fact: { type: 'incident.opened', incident: anIncident() } };
const other = (fact: Draft['fact'], incident: string | undefined = 'inc-2'): Draft => ({ incident, fact });
const finished = other({ type: 'tool.finished', permit: permitTerms(), result: aResult() });
const loaded = (configSha: string): Draft => ({ fact: { type: 'config.loaded', configSha, because: 'edited' } });

/** A journal of these, each at its moment; what it is asked for is answered as the store does. */
function exporting(steps: readonly (readonly [monoMs: number, draft: Draft])[], change: Partial<ExportDeps> = {}) {
  const entries = steps.map(
    ([monoMs, draft], index): JournalEntry => ({ ...draft, seq: index + 1, at: monoMs, monoMs, boot: 'b' }),
  );
  const read: ExportDeps['read'] = (query) => {
    const { incident, types, sinceSeq = 0, throughSeq = Number.POSITIVE_INFINITY, limit, newestFirst } = query;
    const fit = entries.filter(
      (one) =>
        (incident === undefined || one.incident === incident) &&
        (types?.includes(one.fact.type) ?? true) &&
        one.seq >= sinceSeq &&
        one.seq <= throughSeq,
    );
    return (newestFirst ? fit.toReversed() : fit).slice(0, limit);
  };
  return exportIncident('inc-1', {
    version: '1.2.3',
    at: 5,
    read,
    count: (query) => [...read(query)].length,
    personaOf: () => aPersona(),
    limits: DEFAULT_LIMITS,
    phaseOf: () => 4,
    channels: [],
    capabilities: new Map([['local', new Set(['restart'] as const)]]),
    ...change,
  });
}

describe('the export of an incident', () => {
  it('is nothing where the journal does not hold its beginning', () => {
    expect(exporting([[1, finished]])).toBeUndefined();
    expect(exporting([[1, { incident: 'inc-1', fact: { type: 'run.started', attempt: 1 } }]])).toBeUndefined();
  });

  it('names the configuration that held when the incident was opened, not the newest', () => {
    const steps = [
      [OPENED_MS - 2, loaded('before')],
      [OPENED_MS, opened],
      [OPENED_MS + 1, loaded('after')],
    ] as const;
    expect(exporting(steps)?.configSha256).toBe('before');
    expect(exporting([[OPENED_MS, opened]])?.configSha256).toBe('');
  });

  it('holds what else the guard counted from a day before the incident, to the millisecond', () => {
    const old = exporting([
      [OPENED_MS - DAY_MS - 1, finished],
      [OPENED_MS, opened],
    ]);
    const young = exporting([
      [OPENED_MS - DAY_MS, finished],
      [OPENED_MS, opened],
    ]);
    expect([old?.context.length, young?.context.length]).toEqual([0, 1]);
  });

  it('holds nothing of its own twice, no refusal of others, and nothing after its last entry', () => {
    const refusal = { verdict: 'deny', code: 'cooldown', because: '', retryAfterMs: undefined, trace: [] } as const;
    const denied = other({ type: 'guard.decided', call: '', decision: refusal, tookMs: 0 });
    const whole = exporting([
      [OPENED_MS - 2, finished],
      [OPENED_MS - 1, denied],
      [OPENED_MS, opened],
      [OPENED_MS + 1, finished],
    ]);
    expect(whole?.entries.map(({ seq }) => seq)).toEqual([3]);
    expect(whole?.context.map(({ seq }) => seq)).toEqual([1]);
  });

  it('drops the oldest of a context that does not fit, and says so', () => {
    const of = (count: number) =>
      exporting([...Array.from({ length: count }, () => [OPENED_MS - 1, finished] as const), [OPENED_MS, opened]]);
    const full = of(5_000);
    expect([full?.context.length, full?.contextDropped]).toEqual([5_000, false]);
    const over = of(5_001);
    expect([over?.context.length, over?.contextDropped, over?.context[0]?.seq]).toEqual([5_000, true, 2]);
  });

  it('says how many of its own records did not fit', () => {
    const own: Draft = { incident: 'inc-1', fact: { type: 'run.started', attempt: 1 } };
    const of = (count: number) =>
      exporting([[OPENED_MS, opened], ...Array.from({ length: count }, () => [OPENED_MS + 1, own] as const)]);
    expect([of(4_999)?.entries.length, of(4_999)?.leftOut]).toEqual([5_000, 0]);
    expect([of(5_007)?.entries.length, of(5_007)?.leftOut]).toEqual([5_000, 8]);
  });

  it('names the channels of its group or its engine and no others, without what their configuration says besides', () => {
    const extra = { url: 'http://user:secret@host/' };
    const channels = [
      { ...aChannel({ id: 'a', group: 'encoders', engine: 'far' }), ...extra },
      aChannel({ id: 'b', group: 'far', engine: 'local' }),
      aChannel({ id: 'c', group: 'far', engine: 'far' }),
    ];
    const whole = exporting([[OPENED_MS, opened]], { channels });
    expect(whole?.channels.map(({ id }) => id)).toEqual(['a', 'b']);
    expect(JSON.stringify(whole)).not.toContain('secret');
    expect(whole?.capabilities).toEqual([{ engine: 'local', can: ['restart'] }]);
  });
});
