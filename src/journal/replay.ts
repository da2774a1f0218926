/** Restores projections from snapshot and journal. */
import { InvariantError } from '../core/errors.ts';
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
const SNAPSHOTS_TRIED_MAX = 5;

/** The newest snapshot that is whole, with what it holds. */
function lastSnapshot(
  store: JournalStore,
): { readonly row: StoredEntry; readonly states: readonly NamedState[] } | undefined {
  for (const row of store.read({ types: ['snapshot.taken'], newestFirst: true, limit: SNAPSHOTS_TRIED_MAX })) {
    const anchor = anchorOf(row);
    if (anchor === undefined || hashOf(anchor, row) !== row.hash) continue;
    const { fact } = entryOf(row);
    if (fact.type === 'snapshot.taken') return { row, states: fact.states };
  }
  return undefined;
}

/** Advances `states` from the last snapshot to the end of the journal. */
export function replay(store: JournalStore, states: States): Recovered {
  const snapshot = lastSnapshot(store);
  if (snapshot !== undefined) states.load(snapshot.states);
  const rebuilt = snapshot === undefined ? new Set<string>() : states.missingFrom(snapshot.states);
  if (snapshot !== undefined && rebuilt.size > 0) {
    const past = new ChainCheck();
    for (const row of store.read({ throughSeq: snapshot.row.seq - 1 })) foldRow(states, row, past.add(row), rebuilt);
  }

  const check = new ChainCheck();
  let folded = 0;
  for (const row of store.read({ sinceSeq: snapshot?.row.seq ?? 0 })) {
    foldRow(states, row, check.add(row));
    folded += 1;
  }
  const chain = check.report({ seq: store.highestSeq() });
  return { snapshotSeq: snapshot?.row.seq, folded, rebuilt: [...rebuilt], chain };
}

/**
 * An entry whose hash is wrong is folded if it still can be: counting a restart too many is stricter than
 * forgetting one. A projection that fails on an entry that is whole is a bug.
 */
function foldRow(states: States, row: StoredEntry, whole: boolean, only?: ReadonlySet<string>): void {
  try {
    states.put(states.after([entryOf(row)], only));
  } catch (thrown) {
    if (!whole) return;
    throw thrown instanceof InvariantError ? thrown : new InvariantError(`entry ${row.seq} cannot be read`);
  }
}
