/** Tells the copies that copytruncate makes from logs of their own. */
import { basename, dirname } from 'node:path';
import type { Checkpoint } from '../../core/chunk.ts';
import type { MonoMs } from '../../core/clock.ts';
import { SECOND_MS } from '../../core/duration.ts';
import type { Found } from './finder.ts';
import { isRotatedName } from './generations.ts';
import { keyOfStat } from './identity.ts';
import type { LogFile } from './log_file.ts';

/** A copy is made in one go: what is smaller than what it would be of for longer is a log of its own. */
const COPY_MS = 10 * SECOND_MS;

/** What a new file may be a copy of, and how far that was read when the copy was begun. */
export interface CopyOf {
  readonly original: Checkpoint;
  /** It holds less yet than was read of the other. */
  readonly isUnderWay: boolean;
}

/**
 * A rotated name that nothing was renamed to is mostly a copy. A pattern may lead to both files, and then the whole
 * generation would be read a second time, as if it had just been written.
 */
export class Copies {
  readonly #begun = new Map<string, { readonly original: Checkpoint; readonly sinceMs: MonoMs }>();

  /** Asked of each new file at each look until it is taken. Undefined: of none of these. */
  of({ path, stat }: Found, files: readonly LogFile[], nowMs: MonoMs): CopyOf | undefined {
    const key = keyOfStat(stat);
    const begun = this.#begun.get(key) ?? beginOf(path, files, nowMs);
    if (begun === undefined) return undefined;
    const { original, sinceMs } = begun;
    const isUnderWay = Number(stat.size) < original.offset && nowMs - sinceMs < COPY_MS;
    if (isUnderWay) this.#begun.set(key, begun);
    else this.#begun.delete(key);
    return { original, isUnderWay };
  }
}

function beginOf(path: string, files: readonly LogFile[], nowMs: MonoMs) {
  const isOriginal = (file: LogFile): boolean =>
    !file.isDetached && dirname(file.path) === dirname(path) && isRotatedName(basename(path), basename(file.path));
  const original = files.find(isOriginal)?.checkpoint('', path, false);
  // Without a beginning, or with nothing read, it cannot be known again.
  return original === undefined || original.headBytes === 0 || original.offset === 0
    ? undefined
    : { original, sinceMs: nowMs };
}
