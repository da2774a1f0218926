/** Restores projections from snapshot and journal. */
import { InvariantError, ReeveError } from '../core/errors.ts';
import { anchorOf, ChainCheck, type ChainReport, hashOf } from './chain.ts';
import { entryOf } from './entry.ts';
import type { NamedState, States } from './states.ts';
import type { JournalStore, StoredEntry } from './store.ts';

/** What `open` found. */
export interface Recovered {
  /** The snapshot it began from; undefined when it folded from the first entry. */
  readonly snapshotSeq: number | undefined;
  /** Entries folded after that. */
  readonly folded: number;
  /** Names of projections that the snapshot did not hold, folded over everything that is left. */
  readonly rebuilt: readonly string[];
  /** Of the entries that were read. */
  readonly chain: ChainReport;
}

/** Snapshots tried before folding from the very first entry: a damaged one is passed over. */
export const SNAPSHOTS_TRIED_MAX = 5;

/** The newest snapshot up to `throughSeq` that is whole, with what it holds. */
function lastSnapshot(
  store: JournalStore,
  throughSeq: number,
): { readonly row: StoredEntry; readonly states: readonly NamedState[] } | undefined {
  const wanted = { types: ['snapshot.taken'], throughSeq, newestFirst: true, limit: SNAPSHOTS_TRIED_MAX };
  for (const row of store.read(wanted)) {
    const anchor = anchorOf(row);
    if (anchor === undefined || hashOf(anchor, row) !== row.hash) continue;
    const { fact } = entryOf(row);
    if (fact.type === 'snapshot.taken') return { row, states: fact.states };
  }
  return undefined;
}

/**
 * Advances `states` from the last snapshot to the end of the journal. A break that an earlier process found may lie
 * before that snapshot: the record of it is looked for by itself, and no snapshot after it is trusted.
 */
export function replay(store: JournalStore, states: States): Recovered {
  const [noted] = store.read({ types: ['journal.broken'], limit: 1 });
  const snapshot = lastSnapshot(store, noted?.seq ?? Number.MAX_SAFE_INTEGER);
  if (snapshot !== undefined) states.load(snapshot.states);
  const rebuilt = snapshot === undefined ? new Set<string>() : states.missingFrom(snapshot.states);
  const past = new ChainCheck();
  let unread: Fault | undefined;
  if (snapshot !== undefined && rebuilt.size > 0) {
    for (const row of store.read({ throughSeq: snapshot.row.seq - 1 }))
      unread = foldRow(states, row, past.add(row), rebuilt) ?? unread;
  }

  const check = new ChainCheck();
  let folded = 0;
  for (const row of store.read({ sinceSeq: snapshot?.row.seq ?? 0 })) {
    unread = foldRow(states, row, check.add(row)) ?? unread;
    folded += 1;
  }
  const report = check.report({ seq: store.highestSeq() });
  const fault = [past.report(), report, unread].find((one) => one?.ok === false) ?? (noted && notedFault(noted));
  const chain = fault === undefined ? report : { ...fault, ok: false, records: report.records };
  return { snapshotSeq: snapshot?.row.seq, folded, rebuilt: [...rebuilt], chain };
}

type Fault = Pick<ChainReport, 'ok' | 'firstBad' | 'because'>;

/** As the process that found it recorded it; a record that is damaged itself shows enough by being there. */
function notedFault(row: StoredEntry): Pick<ChainReport, 'firstBad' | 'because'> {
  try {
    const { fact } = entryOf(row);
    if (fact.type === 'journal.broken') return { firstBad: fact.firstBad, because: fact.because };
  } catch {
    // What is left to say is below.
  }
  return { firstBad: row.seq, because: `record ${row.seq} says that an earlier one is broken` };
}

/**
 * An entry whose hash is wrong is folded if it still can be: counting a restart too many is stricter than
 * forgetting one. One that holds no fact is a fault, whatever its hash. A projection that fails on an entry that is
 * whole is a bug.
 */
function foldRow(states: States, row: StoredEntry, whole: boolean, only?: ReadonlySet<string>): Fault | undefined {
  try {
    states.put(states.after([entryOf(row)], only));
  } catch (thrown) {
    if (!whole) return undefined;
    if (thrown instanceof ReeveError) return { ok: false, firstBad: row.seq, because: thrown.message };
    throw thrown instanceof InvariantError ? thrown : new InvariantError(`entry ${row.seq} cannot be read`);
  }
  return undefined;
}
