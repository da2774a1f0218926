// One daemon's teaching over a journal in memory, and a trouble whose line nothing recognises.
import type { JournalFact, PatternState } from '../../../src/core/journal.ts';
import { type Catalogue, compileCatalogue } from '../../../src/detect/patterns/catalogue.ts';
import { patternRecordsProjection } from '../../../src/detect/patterns/records.ts';
import type { BlindSpot } from '../../../src/detect/templates/blind_spots.ts';
import { Ledger } from '../../../src/journal/ledger.ts';
import { MemoryStore } from '../../../src/journal/memory.ts';
import { patternFiles } from '../../../src/rulebook/patterns/files.ts';
import { Teaching, type TeachOrder } from '../../../src/rulebook/patterns/teaching.ts';
import { anIncident, aSymptom } from '../../support/a.ts';
import { fakeClock } from '../../support/fake_clock.ts';

export const ZORBLE = 'zorble matrix desync in stage two';
/** Of the pattern that is drafted from it. */
export const ID = 'taught_zorble_matrix_desync_stage';
export const spot = (sample: string, total = 1, channel?: string): BlindSpot =>
  ({ sample, total, channel }) as BlindSpot;

/** A catalogue of one pattern. */
export function knowing(regex: string, match: string): Catalogue {
  const value = {
    ...{ software: 'shipped', priority: 40 },
    patterns: [{ id: 'shipped', symptom: 'disk_full', confidence: 0.8, regex, match: [match], not_match: [] }],
  };
  return compileCatalogue([{ file: 'a', value, position: () => ({ line: 1, column: 1 }) }]).catalogue;
}

/** One daemon's teaching, with an incident of `news` that is open, and what was not understood around it. */
export function teachingIn(
  folder: string,
  spots: readonly BlindSpot[] = [spot(ZORBLE, 3)],
  catalogue: Catalogue = { patterns: [] },
) {
  const { clock, advance } = fakeClock();
  const store = new MemoryStore();
  const ledger = new Ledger(store, clock);
  const silenced: string[] = [];
  const asked: unknown[] = [];
  const failures: string[] = [];
  const records = ledger.register(patternRecordsProjection);
  const teaching = new Teaching({
    ...{ folder, clock, records, append: ledger.append, catalogue: () => catalogue, names: ['news'] },
    read: (query) => ledger.read(query),
    fail: (text) => failures.push(text),
    onSilenced: () => silenced.push('silenced'),
    unrecognised: (channels, from, until) => {
      asked.push([channels, from - clock.now(), until - clock.now()]);
      return spots;
    },
  });
  ledger.open();
  const append = (fact: JournalFact, incident = 'inc-1') => ledger.append([{ incident, channel: 'news', fact }]);
  append({ type: 'incident.opened', incident: anIncident({ openedAt: clock.now() }) } as JournalFact);
  const teach = (with_: Partial<TeachOrder> = {}) =>
    teaching.teach({ incident: 'inc-1', symptom: 'stalled_output', lines: [1], write: true, who: 'ann', ...with_ });
  const sha256 = () => patternFiles(folder).find(({ id }) => id === ID)?.sha256 ?? 's1';
  const set = (to: PatternState, pattern = ID, sha = sha256()) =>
    ledger.append([{ fact: { type: 'pattern.state_set', pattern, sha256: sha, to, who: 'ann', because: 'b' } }]);
  const move = (to: PatternState, id = ID) => teaching.setState({ id, to, who: 'ann', because: 'b' });
  const states = () => records().records.map(({ pattern, state }) => [pattern, state]);
  const shadowed = () =>
    [...ledger.read({ types: ['pattern.shadowed'] })].map(({ fact, channel }) => [
      channel,
      fact.type === 'pattern.shadowed' && fact.lines,
    ]);
  /** A call that rested on the pattern, and was followed by a channel without output. */
  const harm = () => {
    append({ type: 'symptom.raised', symptom: { ...aSymptom({ at: 0, monoMs: 0 }), pattern: ID } } as JournalFact);
    const by = { kind: 'rule', rule: 'r' } as const;
    const scored = { by, permit: 'p', tool: 'restart_channel', score: 0, cured: false, fingerprint: 'f' } as const;
    append({ type: 'attempt.scored', ...scored, harmed: true });
  };
  return {
    teaching,
    store,
    ledger,
    clock,
    advance,
    append,
    teach,
    set,
    move,
    states,
    shadowed,
    harm,
    silenced,
    asked,
    failures,
  };
}
