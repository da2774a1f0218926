/** What became of proposed patterns: a fold over journal facts. */
import type { JournalEntry, PatternState, Projection } from '../../core/journal.ts';

export interface PatternRecord {
  readonly pattern: string;
  readonly sha256: string;
  readonly state: PatternState;
  readonly who: string;
  readonly because: string;
  /** Lines that it fitted while it was only tried. */
  readonly shadowed: number;
}

export interface PatternRecords {
  /** Oldest first; bounded. */
  readonly records: readonly PatternRecord[];
}

const RECORDS_MAX = 1_000;

/** To be registered with the ledger. */
export const patternRecordsProjection: Projection<PatternRecords> = {
  name: 'pattern_records',
  initial: { records: [] },
  apply: fold,
};

function fold(state: PatternRecords, { fact }: JournalEntry): PatternRecords {
  if (fact.type === 'pattern.state_set') {
    const { pattern, sha256, to, who, because } = fact;
    const before = state.records.find((record) => record.pattern === pattern);
    const others = state.records.filter((record) => record.pattern !== pattern);
    const record = { pattern, sha256, state: to, who, because, shadowed: before?.shadowed ?? 0 };
    return { records: [...others, record].slice(-RECORDS_MAX) };
  }
  if (fact.type !== 'pattern.shadowed') return state;
  const { pattern, lines } = fact;
  const counted = (record: PatternRecord): PatternRecord =>
    record.pattern === pattern ? { ...record, shadowed: record.shadowed + lines } : record;
  return { records: state.records.map(counted) };
}
