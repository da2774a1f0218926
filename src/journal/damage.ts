/** Opens the journal, and puts a damaged file aside so that Reeve can watch and page without it. */
import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { EpochMs } from '../core/clock.ts';
import { takeLock } from './lock.ts';
import { SNAPSHOTS_TRIED_MAX } from './replay.ts';
import { SqliteStore, type SqliteOptions } from './sqlite.ts';
import { JournalDamaged } from './sqlite_faults.ts';

/** What a start found instead of a journal that can be read. */
export interface Damage {
  readonly because: string;
  /** Where the damaged file lies now, with its `-wal` beside it where there was one. */
  readonly keptAs: string;
}

export interface OpenedJournal {
  readonly store: SqliteStore;
  readonly damage: Damage | undefined;
}

/**
 * Opens or creates the journal for writing. A file that is damaged so that a start cannot read it keeps every byte
 * under another name, and a new journal is begun: a Reeve that refuses to start would page nobody. Throws what
 * `SqliteStore.open` throws for everything else: another process, an unsafe place, another program's file.
 */
export function openJournal(path: string, at: EpochMs, options: SqliteOptions = {}): OpenedJournal {
  const log = `${path}${KEPT_LOG}`;
  keepLog(path, log);
  try {
    return { store: readable(path, options), damage: undefined };
  } catch (thrown) {
    if (!(thrown instanceof JournalDamaged)) throw thrown;
    const keptAs = putAside(path, at, log);
    return { store: SqliteStore.open(path, options), damage: { because: thrown.message, keptAs } };
  } finally {
    dropLog(log);
  }
}

/** What stays does no harm, and the next start drops it; it must not hide why the journal could not be opened. */
function dropLog(log: string): void {
  try {
    rmSync(log, { force: true });
  } catch {
    // As in the state directory of another user.
  }
}

const KEPT_LOG = '-wal.kept';

/** SQLite deletes its log when it closes a file that it could not read; under a second name the bytes stay. */
function keepLog(path: string, log: string): void {
  try {
    rmSync(log, { force: true });
    linkSync(`${path}-wal`, log);
  } catch {
    // There is none after a stop in good order.
  }
}

/**
 * Reads what a start reads, the last snapshot and all after it: the pages of a large file are not checked, and those of
 * an index not against its table.
 */
function readable(path: string, options: SqliteOptions): SqliteStore {
  const store = SqliteStore.open(path, options);
  try {
    const [snapshot] = [...store.read({ types: ['snapshot.taken'], newestFirst: true, limit: SNAPSHOTS_TRIED_MAX })];
    for (const _ of store.read({ types: ['journal.broken'], limit: 1 }));
    store.highestSeq();
    for (const _ of store.read({ sinceSeq: snapshot?.seq ?? 0 }));
    return store;
  } catch (thrown) {
    store.close();
    throw thrown;
  }
}

/** The log of SQLite goes first: a new journal must not find that of the old one beside it. */
function putAside(path: string, at: EpochMs, log: string): string {
  const keptAs = `${path}.damaged-${new Date(at).toISOString().replaceAll(':', '')}`;
  using _ = takeLock(path);
  const kept = existsSync(log) ? log : `${path}-wal`;
  if (existsSync(kept)) renameSync(kept, `${keptAs}-wal`);
  for (const rest of ['-wal', '-shm']) rmSync(path + rest, { force: true });
  renameSync(path, keptAs);
  const directory = openSync(dirname(path), 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
  return keptAs;
}
