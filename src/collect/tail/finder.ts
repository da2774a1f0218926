/** Finds the files of one log source. */
import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { isGlob, parseGlob, walk } from './glob.ts';
import { type Look, look, type Opened, openFile } from './identity.ts';
import type { Interest } from '../directory_watch.ts';

export type Found = Extract<Look, { kind: 'file' }>;

export interface Trouble {
  readonly path: string;
  readonly kind: 'missing' | 'refused' | 'unreadable' | 'too_many_files';
  readonly because: string;
}

/** What stands at a source's path now. */
export interface Sighting {
  readonly files: readonly Found[];
  readonly troubles: readonly Trouble[];
  /** Where a change would show that there is more to see. The same list object while nothing changed. */
  readonly interests: readonly Interest[];
  /** One file, and no other name leads to it: whatever happens to it happens in the directory of its path. */
  readonly isDirect: boolean;
  /** False when not even the directory is there: what turns up in it later may be old. */
  readonly isReachable: boolean;
}

/** Looks for the files of one source, and opens one of them. */
export interface Finder {
  readonly isPattern: boolean;
  /** The path, or the folder that a pattern is looked for in. */
  readonly base: string;
  look(): Sighting;
  open(path: string): Opened;
  /** Something with this name may be, or lead to, a file of the source. */
  concerns(name: string): boolean;
}

/** Throws `CONFIG_INVALID` for a pattern that cannot be read. */
export const finderOf = (path: string, matchesMax: number): Finder =>
  isGlob(path) ? patternFinder(path, matchesMax) : exactFinder(path);

const interestIn = (path: string): Interest => ({ directory: dirname(path), name: basename(path) });

/** The path was written down by an operator, so a link at its end is meant. */
function exactFinder(path: string): Finder {
  const plain = [interestIn(path)];
  let linked: readonly Interest[] = plain;
  let seen = path;
  /** Appends to a linked file are heard in the directory that it really lies in. */
  const interestsTo = (real: string): readonly Interest[] => {
    if (real === seen) return linked;
    seen = real;
    linked = real === path ? plain : [...plain, interestIn(real)];
    return linked;
  };
  const isReachable = (): boolean => existsSync(dirname(path));
  return {
    isPattern: false,
    base: path,
    look: () => {
      const there = look(path, true);
      if (there.kind === 'file') {
        const real = isLink(path) ? realPathOf(path) : path;
        const isDirect = real === path && there.stat.nlink === 1n;
        return { files: [there], troubles: [], interests: interestsTo(real), isDirect, isReachable: true };
      }
      const because = there.kind === 'missing' ? 'there is no such file' : there.because;
      const troubles = [{ path, kind: there.kind === 'directory' ? 'refused' : there.kind, because }];
      return { files: [], troubles, interests: linked, isDirect: false, isReachable: isReachable() };
    },
    open: () => openFile(path, undefined),
    concerns: () => true,
  };
}

function patternFinder(pattern: string, matchesMax: number): Finder {
  const glob = parseGlob(pattern);
  let interests: readonly Interest[] = [];
  const interestsIn = (directories: readonly string[]): readonly Interest[] => {
    const same = directories.length === interests.length;
    if (same && directories.every((directory, at) => interests[at]?.directory === directory)) return interests;
    interests = directories.map((directory) => ({ directory, name: undefined }));
    return interests;
  };
  return {
    isPattern: true,
    base: glob.base,
    look: () => {
      const { paths, directories, hasBase, isCut } = walk(glob, matchesMax);
      const looks = paths.map((path) => ({ path, there: look(path, false) }));
      const files = looks.flatMap(({ there }) => (there.kind === 'file' ? [there] : []));
      const troubles: Trouble[] = looks.flatMap(({ path, there }) =>
        there.kind === 'file' || there.kind === 'missing' || there.kind === 'directory' ? [] : [{ path, ...there }],
      );
      const cut = `only the first ${matchesMax} files that match are read`;
      if (isCut) troubles.push({ path: pattern, kind: 'too_many_files', because: cut });
      if (files.length === 0) troubles.push({ path: pattern, kind: 'missing', because: 'no file matches' });
      return { files, troubles, interests: interestsIn(directories), isDirect: false, isReachable: hasBase };
    },
    open: (path) => openFile(path, join(realPathOf(glob.base), relative(glob.base, path))),
    concerns: (name) => glob.segments.some((segment) => segment.test(name)),
  };
}

/** Opens a file that was found beside a followed one, and nothing that a link leads to. */
export const openBeside = (path: string): Opened => openFile(path, join(realPathOf(dirname(path)), basename(path)));

/** Where a path really leads; the path itself where that is not known. */
export function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  } catch {
    return false;
  }
}
