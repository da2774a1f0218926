/** Files of rules as they lie in a folder. */
import { type Stats, statSync } from 'node:fs';
import { messageOf, type Problem } from '../core/errors.ts';

/** Numbers, and not one text of them: with ten thousand files, writing the texts would cost as much as asking. */
export type Stamp = Pick<Stats, 'size' | 'mtimeMs' | 'ctimeMs' | 'ino'>;

export const isSame = (a: Stamp | undefined, b: Stamp): boolean =>
  a !== undefined && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs && a.size === b.size && a.ino === b.ino;

/** Throws for what is no regular file: a pipe would be waited for. */
export function stampOf(path: string): Stamp {
  const status = statSync(path);
  if (!status.isFile()) throw new Error('it is no regular file');
  return status;
}

/** What the file system refuses is a problem of that file alone. Undefined: there is one. */
export function readOr<Read>(file: string, problems: Problem[], read: () => Read): Read | undefined {
  try {
    return read();
  } catch (thrown) {
    problems.push({ file, line: 1, column: 1, path: '', message: `cannot be read: ${messageOf(thrown)}` });
    return undefined;
  }
}
