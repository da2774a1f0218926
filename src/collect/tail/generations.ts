/** Recognises rotated generations of a file. */
import { type BigIntStats, lstatSync, readdirSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { realPathOf } from './finder.ts';
import { keyOfStat } from './identity.ts';

/** A file beside a followed one. */
export interface Sibling {
  readonly path: string;
  readonly stat: BigIntStats;
}

/** Names in one directory that are looked at: a directory of log files has far fewer. */
const SIBLINGS_MAX = 4_096;

/** What rotation appends: `.1`, `-20260101`, `.2026-01-01_00`, `.old`. Never compressed. */
const ROTATED = /^(?:[._-]\d[\dT_.:-]*|[._-](?:old|prev))$/;
/** And what it puts before the extension. There a short number is a channel's: `news-2.log`, `cam_12.log`. */
const ROTATED_WITHIN = /^(?:\.\d{1,4}|[._-]\d{4}[\dT_.:-]*|[._-](?:old|prev))$/;

/** True for the names that rotation gives to earlier generations of `base`. */
export function isRotatedName(name: string, base: string): boolean {
  if (name.startsWith(base) && ROTATED.test(name.slice(base.length))) return true;
  const extension = extname(base);
  const stem = base.slice(0, base.length - extension.length);
  if (extension === '' || !name.startsWith(stem) || !name.endsWith(extension)) return false;
  return ROTATED_WITHIN.test(name.slice(stem.length, name.length - extension.length));
}

/** Where a file is now that was at `path` before: beside it, or beside what a link at `path` points to. */
export function findMoved(path: string, inode: bigint): Sibling | undefined {
  const directories = new Set([dirname(path), dirname(realPathOf(path))]);
  for (const directory of directories) {
    const found = siblingsIn(directory, () => true).find(({ stat }) => stat.ino === inode);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Generations of `path` that came and went between the one in `last` and the present one, oldest first. They were
 * created after it and written after its last line; a copy that copytruncate made is older than that line.
 */
export function generationsAfter(path: string, last: BigIntStats, isKnown: (key: string) => boolean): Sibling[] {
  const base = basename(path);
  return siblingsIn(dirname(path), (name) => isRotatedName(name, base))
    .filter(({ stat }) => isLater(stat, last) && !isKnown(keyOfStat(stat)))
    .sort((a, b) => Number(a.stat.birthtimeNs - b.stat.birthtimeNs) || Number(a.stat.mtimeNs - b.stat.mtimeNs));
}

/**
 * File systems store times in steps of some milliseconds, so a line and the next generation may have the same. But the
 * truncated original of a copy is empty when it is as old as the copy.
 */
function isLater(stat: BigIntStats, last: BigIntStats): boolean {
  if (stat.birthtimeNs < last.birthtimeNs || stat.mtimeNs < last.mtimeNs) return false;
  return stat.mtimeNs > last.mtimeNs || (stat.birthtimeNs > last.birthtimeNs && last.size > 0n);
}

function siblingsIn(directory: string, matches: (name: string) => boolean): Sibling[] {
  const siblings: Sibling[] = [];
  for (const name of namesIn(directory)) {
    if (siblings.length >= SIBLINGS_MAX) break;
    if (!matches(name)) continue;
    const path = join(directory, name);
    const stat = statOf(path);
    if (stat?.isFile()) siblings.push({ path, stat });
  }
  return siblings;
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function statOf(path: string): BigIntStats | undefined {
  try {
    return lstatSync(path, { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
