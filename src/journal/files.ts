/** Prepares the journal's files and checks their file system. */
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  statfsSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { messageOf, ReeveError } from '../core/errors.ts';
import { makeDirectory } from '../resilience/make_directory.ts';

/** File systems whose locks or fsync cannot be trusted, by the magic number of statfs(2) on Linux. */
const NETWORK_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, 'nfs'],
  [0x517b, 'smb'],
  [0xff534d42, 'cifs'],
  [0xfe534d42, 'smb2'],
  [0x01021997, '9p'],
  [0x5346414f, 'afs'],
  [0x6b414653, 'afs'],
  [0x73757245, 'coda'],
  [0x00c36400, 'ceph'],
  [0x0bd00bd0, 'lustre'],
  [0x7461636f, 'ocfs2'],
  [0x01161970, 'gfs2'],
  [0x47504653, 'gpfs'],
  [0x564c, 'ncp'],
  [0x786f4256, 'vboxsf'],
  [0xbacbacbc, 'vmhgfs'],
  [0x65735546, 'fuse'],
]);

/** The name of the file system when it is one that a journal must not lie on; undefined when it is fine. */
export const networkFileSystem = (type: number): string | undefined => NETWORK_FILE_SYSTEMS.get(type >>> 0);

const GROUP_OR_OTHERS_WRITE = 0o022;
const FILE_MODE = 0o600;

/**
 * Makes sure that `path` lies in a directory that only its owner writes to, on a local disk, and is a regular file
 * that only its owner can read. New directories get 0700, new files 0600. A directory that was there keeps its mode:
 * it may be somebody else's. Throws JOURNAL_UNWRITABLE.
 */
export function prepareFile(path: string, fileSystemTypeOf: (directory: string) => number = typeOf): void {
  const directory = dirname(path);
  try {
    makeDirectory(directory, 0o700);
    refuseNetwork(directory, fileSystemTypeOf(directory));
    refuseSharedDirectory(directory);
    createPrivately(path);
  } catch (thrown) {
    throw thrown instanceof ReeveError ? thrown : notMade(path, thrown);
  }
}

/** Why a file or directory of the state could be neither opened nor created. */
export function notMade(path: string, thrown: unknown): ReeveError {
  const readOnly = readOnlyPlace(dirname(path));
  const because = readOnly === undefined ? messageOf(thrown) : `the file system of ${readOnly} is read-only`;
  return new ReeveError('JOURNAL_UNWRITABLE', `cannot open or create ${path}: ${because}`, {
    cause: thrown,
    hint: hintOf((thrown as NodeJS.ErrnoException).code ?? '', path, readOnly),
  });
}

function hintOf(code: string, path: string, readOnly: string | undefined): string {
  if (readOnly !== undefined) {
    const look = `Try: findmnt -T ${readOnly}; dmesg. Then mount it writable, or give Reeve another --state.`;
    return `The kernel does this to a disk that fails. ${look}`;
  }
  if (['EACCES', 'EPERM'].includes(code)) {
    return `It must belong to the user that runs Reeve. Try: ls -l ${path}; chown. Or give Reeve another --state.`;
  }
  return 'Give Reeve a directory of its own with --state.';
}

/** The nearest directory that exists, if its file system takes no writes: to make one there fails with other codes. */
function readOnlyPlace(directory: string): string | undefined {
  try {
    accessSync(directory, constants.W_OK);
    return undefined;
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'EROFS') return directory;
    return code === 'ENOENT' && dirname(directory) !== directory ? readOnlyPlace(dirname(directory)) : undefined;
  }
}

const typeOf = (directory: string): number => (process.platform === 'linux' ? statfsSync(directory).type : 0);

function refuseNetwork(directory: string, type: number): void {
  const name = networkFileSystem(type);
  if (name === undefined) return;
  throw new ReeveError('JOURNAL_UNWRITABLE', `${directory} is on ${name}; expected a local disk`, {
    hint: 'Locks and fsync of network and user-space file systems cannot be trusted. Choose another --state.',
  });
}

function refuseSharedDirectory(directory: string): void {
  const mode = statSync(directory).mode & 0o777;
  if ((mode & GROUP_OR_OTHERS_WRITE) === 0) return;
  throw new ReeveError('JOURNAL_UNWRITABLE', `${directory} has mode ${mode.toString(8)}; others may write to it`, {
    hint: `Use a directory of Reeve's own: --state DIRECTORY. If ${directory} is that: chmod go-w ${directory}`,
  });
}

/** Which file stands at a path now. Another or none, where the one that is open was deleted, moved or replaced. */
export function placeOf(path: string): string {
  try {
    const { dev, ino } = statSync(path);
    return `${dev}:${ino}`;
  } catch {
    return 'nothing that can be looked at';
  }
}

/** A file of its owner that lost its mode, as a copy may, gets it back. */
function openedAsOwner(path: string): number {
  const flags = constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  try {
    return openSync(path, flags, FILE_MODE);
  } catch (thrown) {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found?.isFile() !== true || found.uid !== process.geteuid?.()) throw thrown;
    chmodSync(path, FILE_MODE);
    return openSync(path, flags, FILE_MODE);
  }
}

/** Created before SQLite opens it, so that it (and -wal and -shm, which copy its mode) is never readable by others. */
function createPrivately(path: string): void {
  const file = openedAsOwner(path);
  try {
    const status = fstatSync(file);
    if (!status.isFile()) throw new ReeveError('JOURNAL_UNWRITABLE', `${path} is not a regular file`);
    if ((status.mode & 0o777) !== FILE_MODE) fchmodSync(file, FILE_MODE);
  } finally {
    closeSync(file);
  }
  const directory = openSync(dirname(path), constants.O_RDONLY);
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
