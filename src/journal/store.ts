/** The store port of the journal. */
import type { EpochMs, MonoMs } from '../core/clock.ts';
import type { JournalQuery } from '../core/journal.ts';
import type { ChannelId, IncidentId, RunId } from '../core/scope.ts';

/** One journal entry as it lies on the disk. */
export interface StoredEntry {
  readonly seq: number;
  readonly at: EpochMs;
  readonly monoMs: MonoMs;
  readonly boot: string;
  readonly channel: ChannelId | undefined;
  readonly incident: IncidentId | undefined;
  readonly run: RunId | undefined;
  readonly type: string;
  /** The fact as canonical JSON with snake_case keys. */
  readonly body: string;
  /** Hex SHA-256 over the previous entry's hash and everything above. */
  readonly hash: string;
}

/**
 * Where the journal's rows live. Synchronous, because the verdict of the guard and its record are one step.
 * After one failed write a store refuses all others until it is opened anew: what a failed fsync left
 * on the disk is unknown, and a retry could report success for pages that never got there.
 */
export interface JournalStore {
  /** All rows or none; durable when it returns. Throws JOURNAL_UNWRITABLE. */
  append(rows: readonly StoredEntry[]): void;
  /** Sees what was there when reading began. Appending while reading is allowed. Throws JOURNAL_BROKEN. */
  read(query: JournalQuery): Iterable<StoredEntry>;
  last(): StoredEntry | undefined;
  /** The highest seq that was ever appended, even if its row is gone: reveals a cut tail. 0 when there was none. */
  highestSeq(): number;
  /** Deletes every row up to and including `seq`. Throws JOURNAL_UNWRITABLE. */
  deleteThrough(seq: number): void;
  /** Throws JOURNAL_UNWRITABLE where what is written now would not be found again. */
  checkPlace?(): void;
  close(): void;
}
