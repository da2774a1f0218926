import { DatabaseSync } from 'node:sqlite';
import { messageOf, ReeveError } from '../core/errors.ts';
import { prepareFile } from './files.ts';

/**
 * One writer per journal. The lock is an open transaction on a small database beside it: the kernel lets go of it
 * when the process dies, however it dies, so it can never be stale; and readers of the journal do not need it.
 * Throws JOURNAL_UNWRITABLE, naming the process that holds it.
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
    const owner = ownerOf(db);
    db.close();
    throw new ReeveError('JOURNAL_UNWRITABLE', `${journalPath} is in use by ${owner} (${messageOf(thrown)})`, {
      cause: thrown,
      hint: 'Only one Reeve may write a journal. Stop the other one, or give this one another --state.',
    });
  }
  return {
    [Symbol.dispose]: () => {
      if (db.isOpen) db.close();
    },
  };
}

function ownerOf(db: DatabaseSync): string {
  try {
    return `process ${db.prepare('SELECT pid FROM owner').get()?.pid}`;
  } catch {
    return 'another process';
  }
}
