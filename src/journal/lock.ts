/** Makes sure that one process writes the journal. */
import {
  closeSync,
  constants,
  ftruncateSync,
  lstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  renameSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { messageOf, ReeveError } from '../core/errors.ts';
import { prepareFile } from './files.ts';

/**
 * One writer per journal. The lock is an open transaction on a small database beside it: the kernel lets go of it
 * when the process dies, however it dies, so it can never be stale; and readers of the journal do not need it.
 * What the file holds is of no worth, so damage to it refuses nothing. Throws JOURNAL_UNWRITABLE, naming the process
 * that holds it, or why the lock cannot be taken.
 */
export function takeLock(journalPath: string): Disposable {
  const path = `${journalPath}.lock`;
  moveDirectoryAside(path);
  prepareFile(path);
  try {
    return locked(path);
  } catch (thrown) {
    if (thrown instanceof Held) throw inUse(journalPath, thrown);
    emptyInPlace(path, thrown);
  }
  try {
    return locked(path);
  } catch (thrown) {
    throw thrown instanceof Held ? inUse(journalPath, thrown) : cannotLock(path, thrown);
  }
}

/** Somebody else has the lock. */
class Held extends Error {
  readonly owner: string;

  constructor(owner: string, cause: unknown) {
    super(messageOf(cause), { cause });
    this.owner = owner;
  }
}

/** Throws Held, or what SQLite throws. */
function locked(path: string): Disposable {
  const db = new DatabaseSync(path, { timeout: 0 });
  try {
    db.exec('BEGIN IMMEDIATE');
    db.exec('CREATE TABLE IF NOT EXISTS owner (pid INTEGER NOT NULL) STRICT; DELETE FROM owner');
    db.prepare('INSERT INTO owner (pid) VALUES (?)').run(process.pid);
    db.exec('COMMIT; BEGIN IMMEDIATE');
    refuseOtherLocks(path, db);
    refuseDeletedLock(path);
  } catch (thrown) {
    const owner = isBusy(thrown) ? ownerOf(db) : undefined;
    db.close();
    if (thrown instanceof Held) throw thrown;
    throw owner === undefined ? thrown : new Held(owner, thrown);
  }
  return {
    [Symbol.dispose]: () => {
      if (db.isOpen) db.close();
    },
  };
}

/**
 * A database in WAL mode that got into its place locks another file than the one that all others lock: who held the
 * lock before would not be met.
 */
function refuseOtherLocks(path: string, db: DatabaseSync): void {
  const mode = db.prepare('PRAGMA journal_mode').get()?.journal_mode;
  if (mode !== 'delete') throw new Error(`${path} has the journal mode ${mode}; expected delete`);
}

/**
 * Somebody who deletes the file while its holder lives leaves that holder with a lock that nobody meets any more. On
 * Linux the kernel still names the file, so that process is found where it may be looked into. Throws Held.
 */
function refuseDeletedLock(path: string): void {
  if (process.platform !== 'linux') return;
  const deleted = `${join(realpathSync(dirname(path)), basename(path))} (deleted)`;
  const isOther = (pid: string): boolean => /^\d+$/.test(pid) && Number(pid) !== process.pid;
  const holder = entriesOf('/proc').find((pid) => isOther(pid) && hasOpen(`/proc/${pid}/fd`, deleted));
  if (holder !== undefined) throw new Held(`process ${holder}`, new Error('its lock file was deleted'));
}

const hasOpen = (folder: string, file: string): boolean =>
  entriesOf(folder).some((fd) => {
    try {
      return readlinkSync(`${folder}/${fd}`) === file;
    } catch {
      return false;
    }
  });

/** None where it is not there any more, or may not be read. */
function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/**
 * The lock belongs to the file and not to its bytes. So the damaged file itself is emptied: one in its place would be
 * another lock, and who still holds this one would not be met. A holder that lives is not disturbed, for it reads and
 * writes nothing more.
 */
function emptyInPlace(path: string, because: unknown): void {
  try {
    const file = openSync(path, constants.O_WRONLY | constants.O_NOFOLLOW);
    try {
      ftruncateSync(file);
    } finally {
      closeSync(file);
    }
  } catch {
    throw cannotLock(path, because);
  }
}

/** Nobody holds a directory. With the slash at the end the kernel refuses to move anything else. */
function moveDirectoryAside(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  try {
    renameSync(`${path}/`, `${path}.broken`);
  } catch {
    // Another start may have been first; what still is in the way is named when the file is opened.
  }
}

const SQLITE_BUSY = 5;
/** The low byte of SQLite's extended codes is the kind. */
const isBusy = (thrown: unknown): boolean =>
  thrown instanceof Error && 'errcode' in thrown && (Number(thrown.errcode) & 0xff) === SQLITE_BUSY;

const inUse = (journalPath: string, { owner, message, cause }: Held): ReeveError =>
  new ReeveError('JOURNAL_UNWRITABLE', `${journalPath} is in use by ${owner} (${message})`, {
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
    const pid = db.prepare('SELECT pid FROM owner').get()?.pid;
    return pid === undefined ? 'another process' : `process ${pid}`;
  } catch {
    return 'another process';
  }
}
