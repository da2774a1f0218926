/** Identifies files by device, inode and birth time. */
import { createHash } from 'node:crypto';
import {
  type BigIntStats,
  close,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  statSync,
} from 'node:fs';
import type { Checkpoint } from '../../core/chunk.ts';

/** Names one file on this machine while it exists. After it is deleted another file may get the same. */
export interface FileId {
  readonly device: bigint;
  readonly inode: bigint;
}

export const keyOfId = ({ device, inode }: FileId): string => `${device}:${inode}`;
export const idOf = (stat: BigIntStats): FileId => ({ device: stat.dev, inode: stat.ino });
export const keyOfStat = (stat: BigIntStats): string => `${stat.dev}:${stat.ino}`;

/** What stands at a path. */
export type Look =
  | { readonly kind: 'file'; readonly path: string; readonly stat: BigIntStats }
  | { readonly kind: 'missing' }
  | { readonly kind: 'directory'; readonly because: string }
  | { readonly kind: 'refused'; readonly because: string }
  | { readonly kind: 'unreadable'; readonly because: string };

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? String(error);

/** Never opens anything: opening a pipe or a device has effects of its own. */
export function look(path: string, followLinks: boolean): Look {
  try {
    const stat = (followLinks ? statSync : lstatSync)(path, { bigint: true, throwIfNoEntry: false });
    if (stat === undefined) return { kind: 'missing' };
    if (stat.isFile()) return { kind: 'file', path, stat };
    return { kind: stat.isDirectory() ? 'directory' : 'refused', because: `it is ${kindOf(stat)}` };
  } catch (error) {
    return unreadable(error);
  }
}

/**
 * The path leads to this very file, of this size. In doubles, which cost a fraction of what big integers do: where the
 * file system numbers its inodes beyond them, the answer is false.
 */
export function isStill(path: string, { device, inode }: FileId, size: number): boolean {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined || stat.size !== size || !Number.isSafeInteger(stat.ino)) return false;
    return stat.ino === Number(inode) && stat.dev === Number(device);
  } catch {
    return false;
  }
}

/** Content that is this much older than the name it stands under was written elsewhere or before: backlog. */
const STALE_NS = 60_000_000_000n;

/** Moved or linked here long after it was last written. Both times are the file system's own. */
export function isStale({ path, stat }: Extract<Look, { kind: 'file' }>): boolean {
  const link = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  const named = link !== undefined && link.ctimeNs > stat.ctimeNs ? link.ctimeNs : stat.ctimeNs;
  return named - stat.mtimeNs > STALE_NS;
}

const unreadable = (error: unknown): Extract<Look, { kind: 'missing' | 'unreadable' }> => {
  const code = codeOf(error);
  return code === 'ENOTDIR' || code === 'ENOENT' ? { kind: 'missing' } : { kind: 'unreadable', because: code };
};

function kindOf(stat: BigIntStats): string {
  if (stat.isSymbolicLink()) return 'a symbolic link, and those are followed only where the path is exact';
  if (stat.isDirectory()) return 'a directory';
  if (stat.isFIFO()) return 'a pipe: let a command read it (sources: [{ command: [cat, PATH] }])';
  if (stat.isSocket()) return 'a socket';
  return stat.isBlockDevice() || stat.isCharacterDevice() ? 'a device' : 'not a regular file';
}

const OPEN_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

export type Opened =
  | { readonly kind: 'open'; readonly fd: number; readonly stat: BigIntStats }
  | Exclude<Look, { kind: 'file' }>;

/**
 * Opens a regular file. What is open is looked at again, because the path may have changed in between.
 * `realPath`: where the file must really lie, so that no link on the way leads elsewhere; undefined where links are
 * welcome.
 */
export function openFile(path: string, realPath: string | undefined): Opened {
  let fd: number;
  try {
    fd = openSync(path, OPEN_FLAGS | (realPath === undefined ? 0 : constants.O_NOFOLLOW));
  } catch (error) {
    return codeOf(error) === 'ELOOP' ? { kind: 'refused', because: 'it is a symbolic link' } : unreadable(error);
  }
  const stat = fstatSync(fd, { bigint: true });
  const refused = !stat.isFile() ? `it is ${kindOf(stat)}` : liesElsewhere(fd, realPath);
  const trouble = refused === undefined ? readTrouble(fd) : ({ kind: 'refused', because: refused } as const);
  if (trouble === undefined) return { kind: 'open', fd, stat };
  closeQuietly(fd);
  return trouble;
}

/** What can be opened and not read (a bad block, a file server that is away) is not open: nothing tells what it is. */
function readTrouble(fd: number): Exclude<Look, { kind: 'file' }> | undefined {
  try {
    readSync(fd, Buffer.alloc(1), 0, 1, 0);
    return undefined;
  } catch (error) {
    return unreadable(error);
  }
}

/** Linux shows where an open file lies; elsewhere the check of the directories has to do. */
function liesElsewhere(fd: number, realPath: string | undefined): string | undefined {
  if (realPath === undefined || process.platform !== 'linux') return undefined;
  const lies = readlinkSync(`/proc/self/fd/${fd}`);
  return lies === realPath ? undefined : 'a link on the way leads elsewhere';
}

const HEAD_BYTES_MAX = 256;

/** The first bytes of a file distinguish it from another that got the same inode. */
export interface Head {
  readonly hash: string;
  readonly bytes: number;
}

export function headOf(fd: number, bytesMax = HEAD_BYTES_MAX): Head {
  const first = Buffer.alloc(Math.min(bytesMax, HEAD_BYTES_MAX));
  const bytes = readSync(fd, first, 0, first.length, 0);
  return { hash: createHash('sha256').update(first.subarray(0, bytes)).digest('hex'), bytes };
}

const isWholeHead = (head: Head): boolean => head.bytes === HEAD_BYTES_MAX;

/** The open file still begins with what the checkpoint saw. */
export const beginsAs = (fd: number, checkpoint: Checkpoint): boolean =>
  headOf(fd, checkpoint.headBytes).hash === checkpoint.headHash;

/**
 * The checkpoint is about this file. Device numbers may change with a reboot; then the first bytes must speak for it.
 */
export function isOf(checkpoint: Checkpoint, id: FileId, fd: number): boolean {
  if (checkpoint.inode !== String(id.inode)) return false;
  const sameDevice = checkpoint.device === String(id.device);
  return (sameDevice || checkpoint.headBytes > 0) && beginsAs(fd, checkpoint);
}

/** A descriptor that cannot be closed is gone anyway. */
export function closeQuietly(fd: number, atOnce = true): void {
  try {
    if (atOnce) closeSync(fd);
    else close(fd, () => undefined);
  } catch {
    // Nothing can be done about it, and nothing depends on it.
  }
}

/** A young file's beginning grows. When it cannot be read now, what is known of it still identifies it. */
export function headNow(fd: number, known: Head): Head {
  if (isWholeHead(known)) return known;
  try {
    return headOf(fd);
  } catch {
    // A file that went bad is reported when it is read.
    return known;
  }
}
