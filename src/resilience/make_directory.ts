/** Creates directories without waiting for ever. */
import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Creates what is missing of a path, from the top, with the mode; what is there stays as it is. Throws what the system
 * said. Node's own recursive mkdir begins again for ever where a parent is there and the kernel lets nobody create
 * anything in it (/proc, a directory that was removed).
 */
export function makeDirectory(path: string, mode = 0o777): void {
  const missing: string[] = [];
  for (let each = resolve(path); !isThere(each); each = dirname(each)) missing.unshift(each);
  if (missing.length === 0) return refuseFile(path);
  for (const each of missing) makeOne(each, mode);
}

/** Another process may have been quicker. */
function makeOne(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode });
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST' || !isDirectory(path)) throw thrown;
  }
}

/** In the words of the system. */
function refuseFile(path: string): void {
  if (!isDirectory(path)) mkdirSync(path);
}

/** What cannot be looked at counts as missing: creating it says why it cannot be. */
function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined || dirname(path) === path;
  } catch {
    return false;
  }
}

const isDirectory = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
