/** Makes sure that one process writes the journal. */
import { DatabaseSync } from 'node:sqlite';
import { messageOf, ReeveError } from '../core/errors.ts';
import { prepareFile } from './files.ts';

/**
 * One writer per journal. The lock is an open transaction on a small database beside it: the kernel lets go of it
 * when the process dies, however it dies, so it can never be stale; and readers of the journal do not need it.
 * Throws JOURNAL_UNWRITABLE, naming the process that holds it, or why the lock cannot be taken.
 */
export function takeLock(journalPath: string): Disposable {
  const path = `${journalPath}.lock`;
  prepareFile(path);
  const db = new DatabaseSync(path, { timeout: 0 });
  try {
    db.exec('BEGIN IMMEDIATE');
    db.exec('CREATE TABLE IF NOT EXISTS owner (pid INTEGER NOT NULL) STRICT; DELETE FROM owner');
    db.prepare('INSERT INTO owner (pid) VALUES (?)').run(process.pid);
    db.exec('COMMIT; BEGIN IMMEDIATE');
  } catch (thrown) {
    const owner = isBusy(thrown) ? ownerOf(db) : undefined;
    db.close();
    throw owner === undefined ? cannotLock(path, thrown) : inUse(journalPath, owner, thrown);
  }
  return {
    [Symbol.dispose]: () => {
      if (db.isOpen) db.close();
    },
  };
}

const SQLITE_BUSY = 5;
/** The low byte of SQLite's extended codes is the kind. */
const isBusy = (thrown: unknown): boolean =>
  thrown instanceof Error && 'errcode' in thrown && (Number(thrown.errcode) & 0xff) === SQLITE_BUSY;

const inUse = (journalPath: string, owner: string, cause: unknown): ReeveError =>
  new ReeveError('JOURNAL_UNWRITABLE', `${journalPath} is in use by ${owner} (${messageOf(cause)})`, {
    cause,
    hint: 'Only one Reeve may write a journal. Stop the other one, or give this one another --state.',
  });

/** Not that somebody holds it: the disk or the file does not do its part. */
const cannotLock = (path: string, cause: unknown): ReeveError =>
  new ReeveError('JOURNAL_UNWRITABLE', `cannot take the lock ${path}: ${messageOf(cause)}`, {
    cause,
    hint: `Is the disk full or failing? The file holds nothing of worth: when no Reeve runs, rm ${path}`,
  });

function ownerOf(db: DatabaseSync): string {
  try {
    return `process ${db.prepare('SELECT pid FROM owner').get()?.pid}`;
  } catch {
    return 'another process';
  }
}
