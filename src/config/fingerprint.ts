/** Tells whether a set of files holds what it held at the last look. */
import { createHash } from 'node:crypto';
import { type BigIntStats, readFileSync, statSync } from 'node:fs';
import type { EpochMs } from '../core/clock.ts';

/** A file that changed this short a time ago may change again without another time of change: clocks have steps. */
const SETTLED_MS = 2_000;

interface Known {
  readonly stamp: string;
  readonly digest: string;
}

/**
 * Names what a set of files holds: the name changes exactly when a file's path or content does. A file of which the
 * kernel says that nobody has written to it since the last look is not read again.
 */
export class Fingerprints {
  readonly #bytesMax: number;
  readonly #read: (path: string) => Buffer;
  #known = new Map<string, Known>();

  /** A file of more than `bytesMax` bytes is not read: it counts by size and time. */
  constructor(bytesMax: number, read: (path: string) => Buffer = readFileSync) {
    this.#bytesMax = bytesMax;
    this.#read = read;
  }

  /** `now`: by the clock that files are stamped with. */
  of(paths: readonly string[], now: EpochMs): string {
    const known = new Map<string, Known>();
    const hash = createHash('sha256');
    for (const path of paths) hash.update(`${path}\n${this.#digestOf(path, now, known)}\n`);
    this.#known = known;
    return hash.digest('hex');
  }

  #digestOf(path: string, now: EpochMs, known: Map<string, Known>): string {
    try {
      const status = statSync(path, { bigint: true });
      if (status.size > this.#bytesMax) return `${status.size} bytes of ${status.mtimeNs}`;
      const stamp = stampOf(status);
      const before = this.#known.get(path);
      const digest = before?.stamp === stamp ? before.digest : sha256(this.#read(path));
      if (Number(status.ctimeMs) + SETTLED_MS < now) known.set(path, { stamp, digest });
      return digest;
    } catch {
      return 'unreadable';
    }
  }
}

/** Whatever writes to a file, replaces it or sets its times back leaves another time of change. */
const stampOf = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string =>
  `${dev}:${ino}:${size}:${mtimeNs}:${ctimeNs}`;

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
