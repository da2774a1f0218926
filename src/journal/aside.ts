/** Puts a store aside that is damaged and can be made anew. Never the journal: `damage.ts` has its rules. */
import { lstatSync, renameSync, rmSync } from 'node:fs';
import { basename } from 'node:path';
import { StoreDamaged } from './sqlite_faults.ts';

/**
 * What `open` gives. Where it throws StoreDamaged, or where something stands at the path that is no file, that is kept
 * as `….broken`, in place of what was kept before, and `open` is asked once more; `onAside` hears half a sentence.
 * Throws what `open` throws for everything else, and what the file system throws where nothing can be put aside.
 */
export function openOrBeginAnew<T>(path: string, open: () => T, onAside: (because: string) => void): T {
  try {
    refuseNoFile(path);
    return open();
  } catch (thrown) {
    if (!(thrown instanceof StoreDamaged)) throw thrown;
    // Its log goes first: a new file must not find that of the old one beside it.
    for (const rest of ['-wal', '-shm']) rmSync(`${path}${rest}`, { force: true });
    renameSync(path, `${path}.broken`);
    onAside(`${thrown.code}: ${thrown.message}; it was put aside as ${basename(path)}.broken`);
    return open();
  }
}

/** A link is left to `open`, which follows none: whoever made it meant something. */
function refuseNoFile(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isFile() || found.isSymbolicLink()) return;
  const what = found.isDirectory() ? 'a directory' : 'no regular file';
  throw new StoreDamaged(path, `${path} is ${what}; expected a file`);
}
