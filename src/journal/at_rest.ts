/** Where a store is read from that lies where nothing can be written: a backup, or the disk of another machine. */
import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * To read a file in WAL mode SQLite makes two others beside it. Where it may not, and neither is there, nobody has the
 * file open and all that was written is in it: it is read as one that does not change (sqlite.org/wal.html).
 */
export function readFrom(path: string): string | URL {
  const isOpen = existsSync(`${path}-wal`) || existsSync(`${path}-shm`);
  if (isOpen || takesWrites(dirname(path))) return path;
  const url = pathToFileURL(path);
  url.searchParams.set('immutable', '1');
  return url;
}

/** Whether this process may make files in the directory. */
export function takesWrites(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
