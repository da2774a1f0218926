/** Matches paths with patterns. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ReeveError } from '../../core/errors.ts';

/** A path with patterns, cut at its first pattern: the part before it is taken as it is, links included. */
export interface Glob {
  readonly base: string;
  readonly segments: readonly RegExp[];
}

const WILD = /[*?[{]/;

export const isGlob = (path: string): boolean => WILD.test(path);

/** Throws `CONFIG_INVALID` for `**`, for brackets that do not close, and for a range that ends before it begins. */
export function parseGlob(path: string): Glob {
  if (path.includes('**')) throw wrong(path, 'uses **', 'Name each level: /var/log/*/*.log');
  const parts = path.split('/');
  const first = parts.findIndex((part) => WILD.test(part));
  const base = parts.slice(0, first).join('/');
  return { base: base === '' ? (path.startsWith('/') ? '/' : '.') : base, segments: parts.slice(first).map(segmentOf) };
}

const wrong = (path: string, what: string, hint: string) =>
  new ReeveError('CONFIG_INVALID', `the log path ${path} ${what}`, { hint });

function segmentOf(segment: string): RegExp {
  let depth = 0;
  const source = segment.replace(/\*+|\?|\[[^\]/]+\]|[{},]|[^\w]/g, (part) => {
    if (part.startsWith('*')) return '[^/]*';
    if (part === '?') return '[^/]';
    if (part.length > 1) return part.replace(/^\[!/, '[^').replace(/\\/g, '\\\\');
    if (part === '{') depth += 1;
    if (part === '}') depth -= 1;
    if (part === '{') return '(?:';
    if (part === '}') return ')';
    return part === ',' && depth > 0 ? '|' : `\\${part}`;
  });
  if (depth !== 0 || /\\\[/.test(source)) throw wrong(segment, 'has a bracket that does not close', 'Close it.');
  try {
    // A name that begins with a dot is meant only by a pattern that does so too.
    return new RegExp(`^${segment.startsWith('.') ? '' : '(?!\\.)'}${source}$`, 's');
  } catch {
    throw wrong(segment, 'has a range that ends before it begins', 'Turn it round: [0-9].');
  }
}

/** Whether one of these paths, or a pattern among them, leads to a file. Throws as `parseGlob` does. */
export function anyOf(paths: readonly string[]): (file: string) => boolean {
  const exact = new Set(paths.filter((path) => !isGlob(path)));
  const globs = paths.filter(isGlob).map(parseGlob);
  return (file) => exact.has(file) || globs.some((glob) => matches(glob, file));
}

function matches({ base, segments }: Glob, file: string): boolean {
  const start = base === '.' ? '' : base.endsWith('/') ? base : `${base}/`;
  const names = file.slice(start.length).split('/');
  const isBelow = file.startsWith(start) && names.length === segments.length;
  return isBelow && names.every((name, at) => segments[at]!.test(name));
}

export interface Walked {
  /** Every directory that was looked into, whether it could be read or not. */
  readonly directories: readonly string[];
  /** Names that match; what they are is not known yet. */
  readonly paths: readonly string[];
  /** False when the base itself is not there. */
  readonly hasBase: boolean;
  /** There is more than was looked for. */
  readonly isCut: boolean;
}

/** What rotation packs holds no lines, and years of it would leave no room for the log itself. */
const PACKED = /\.(?:gz|bz2|xz|zst|Z)$/;

/**
 * Looks through real directories only: a symbolic link below the base is never followed. Packed logs are left out. At
 * most `pathsMax` paths.
 */
export function walk({ base, segments }: Glob, pathsMax: number): Walked {
  const directories: string[] = [];
  const paths: string[] = [];
  let hasBase = true;
  let isCut = false;
  const visit = (directory: string, depth: number): void => {
    directories.push(directory);
    const entries = entriesOf(directory);
    if (entries === undefined && depth === 0) hasBase = false;
    for (const entry of entries ?? []) {
      if (!segments[depth]!.test(entry.name)) continue;
      const path = join(directory, entry.name);
      const isLast = depth === segments.length - 1;
      if (isLast && PACKED.test(entry.name)) continue;
      if ((isLast ? paths : directories).length >= pathsMax) isCut ||= isLast || entry.isDirectory();
      else if (isLast) paths.push(path);
      else if (entry.isDirectory()) visit(path, depth + 1);
    }
  };
  visit(base, 0);
  return { directories, paths, hasBase, isCut };
}

function entriesOf(directory: string) {
  try {
    return readdirSync(directory, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return undefined;
  }
}
