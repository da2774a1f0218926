/** Tells a damaged SQLite file from everything else that SQLite throws, and says what a person can do about it. */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { messageOf, ReeveError } from '../core/errors.ts';

/** SQLite's result codes (sqlite.org/rescode.html). The low byte of an extended code is the kind. */
const KIND = 0xff;
const CORRUPT = 11;
const NOTADB = 26;

/**
 * Only CORRUPT and NOTADB are about the bytes of the file. ERROR is a statement that does not fit, READONLY and PERM
 * are about rights, IOERR, FULL and CANTOPEN about the disk, BUSY and LOCKED about others, and FORMAT is not in use: a
 * whole file gives each of them. What ERROR and READONLY can mean beside that is in `headerFault`.
 */
export function isDamage(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  const kind = kindOf(thrown);
  if (kind !== undefined) return kind === CORRUPT || kind === NOTADB;
  // A number that nothing of Reeve writes.
  return 'code' in thrown && thrown.code === 'ERR_OUT_OF_RANGE';
}

const kindOf = (thrown: unknown): number | undefined =>
  thrown instanceof Error && 'errcode' in thrown ? Number(thrown.errcode) & KIND : undefined;

const REPORT = 'This is a mistake of Reeve and no fault of the file: report it with this text. Nothing was changed.';
const rights = (path: string): string =>
  `May the user of Reeve write ${path} and its directory? Try: ls -l ${path}; chown, or mount the disk writable. ` +
  'A copy with a -wal beside it is read where it can be written: copy both there.';
const disk = (path: string): string => `Is the disk full or failing? Try: df -h ${path}; dmesg. Nothing was changed.`;

/** By the kind of the code: what a person looks at first. */
const HINTS: ReadonlyMap<number, (path: string) => string> = new Map([
  [1, () => REPORT],
  [3, rights],
  [5, (path) => `Another process holds ${path}. Try: fuser ${path}`],
  [6, (path) => `Another process holds ${path}. Try: fuser ${path}`],
  [8, rights],
  [10, disk],
  [13, disk],
  [14, rights],
  [20, () => REPORT],
  [21, () => REPORT],
  [25, () => REPORT],
]);

/** For what is no damage. */
export function hintFor(thrown: unknown, path: string): string {
  const hint =
    HINTS.get(kindOf(thrown) ?? -1) ?? ((place: string) => `Is the disk failing, or is ${place} unreadable?`);
  return hint(path);
}

/** Throws JOURNAL_BROKEN. Who forgot to become the user of Reeve must not read that its journal is gone. */
export function refuseMissing(path: string): void {
  try {
    statSync(path);
  } catch (cause) {
    const isGone = ['ENOENT', 'ENOTDIR'].includes((cause as NodeJS.ErrnoException).code ?? '');
    const message = isGone ? `there is no journal at ${path}` : `cannot read ${path}: ${messageOf(cause)}`;
    const hint = isGone ? 'Check --state.' : 'Ask as the user that Reeve runs as, or as root.';
    throw new ReeveError('JOURNAL_BROKEN', message, { cause, hint });
  }
}

/** Bytes of the file's header (sqlite.org/fileformat2.html). */
const HEADER_BYTES = 100;
const WRITE_VERSION_AT = 18;
const WRITE_VERSION_MAX = 2;
const SCHEMA_FORMAT_AT = 44;
const SCHEMA_FORMAT_MAX = 4;

/**
 * What is wrong in the header that SQLite answers as it answers a whole file: a newer write version with READONLY, a
 * newer schema format with ERROR. Before the file is opened: to close a file lets go of all locks on it that this
 * process has. Undefined where nothing is, and where nothing can be read.
 */
export function headerFault(path: string): string | undefined {
  const header = headerOf(path);
  if (header === undefined || !header.toString('latin1').startsWith('SQLite format 3\0')) return undefined;
  const version = header.readUInt8(WRITE_VERSION_AT);
  if (version > WRITE_VERSION_MAX) return `its write version is ${version}; expected at most ${WRITE_VERSION_MAX}`;
  const format = header.readUInt32BE(SCHEMA_FORMAT_AT);
  if (format > SCHEMA_FORMAT_MAX) return `its schema format is ${format}; expected at most ${SCHEMA_FORMAT_MAX}`;
  return undefined;
}

function headerOf(path: string): Buffer | undefined {
  try {
    const file = openSync(path, 'r');
    try {
      const header = Buffer.alloc(HEADER_BYTES);
      return readSync(file, header, 0, HEADER_BYTES, 0) === HEADER_BYTES ? header : undefined;
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}

/** A store that can be made anew holds nothing that this version can read. Never thrown for the journal. */
export class StoreDamaged extends ReeveError {
  constructor(path: string, message: string, options: { readonly cause?: unknown; readonly hint?: string } = {}) {
    super('DERIVED_BROKEN', message, { hint: `Move ${path} away: the next start makes it anew.`, ...options });
  }
}

/** The bytes of the file are not what SQLite and this program wrote: no other program, and no disk that gives none. */
export class JournalDamaged extends ReeveError {
  constructor(path: string, message: string, cause?: unknown) {
    const hint = `Keep ${path}, restore it from a backup or move it away, then look at every channel by hand.`;
    super('JOURNAL_BROKEN', message, { cause, hint });
  }
}
