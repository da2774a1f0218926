/** Finds out when a journal that could not be written can be written again. */
import { closeSync, existsSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../core/clock.ts';
import { SECOND_MS } from '../core/duration.ts';

/** Why the journal is not to be trusted: it cannot be written, or its chain is broken at `seq`. */
export interface Brokenness {
  readonly kind: 'unwritable' | 'chain';
  readonly because: string;
  readonly seq: number | undefined;
}

export interface JournalRecoveryDeps {
  readonly clock: Clock;
  /** Why the journal is not to be trusted now. */
  readonly broken: () => Brokenness | undefined;
  /** Throws while nothing can be written beside the journal, or while another process holds it. */
  readonly probe: () => void;
  /** Called once: the journal can be opened anew. */
  readonly onWritable: () => void;
}

/** So many good probes in a row, one in each round, before the journal is trusted with writes again. */
const PROBES = 3;
const PROBE_EVERY_MS = 10 * SECOND_MS;

/**
 * After a failed write the open journal takes nothing more, because it is unknown what that write left on the disk. A
 * new start reads what is really there, so this asks for one when the disk has taken three probes, 10 s apart. A
 * broken hash chain does not mend by itself, and is never probed.
 */
export function watchForRecovery({ clock, broken, probe, onWritable }: JournalRecoveryDeps): Disposable {
  let good = 0;
  const watching = clock.every(PROBE_EVERY_MS, () => {
    if (broken()?.kind !== 'unwritable') return;
    good = succeeds(probe) ? good + 1 : 0;
    if (good < PROBES) return;
    watching[Symbol.dispose]();
    onWritable();
  });
  return watching;
}

function succeeds(probe: () => void): boolean {
  try {
    probe();
    return true;
  } catch {
    return false;
  }
}

/** As much as a day of a quiet service writes: a disk with less room is as good as full. */
const PROBE_BYTES = 256 * 1024;

/**
 * Writes and syncs a file beside the journal, removes it, and takes the journal's write lock for a moment. Throws what
 * the file system or SQLite throws.
 */
export function probeJournal(path: string): void {
  const beside = `${path}.probe`;
  try {
    const file = openSync(beside, 'w', 0o600);
    try {
      const bytes = Buffer.alloc(PROBE_BYTES);
      if (writeSync(file, bytes) < bytes.length) throw new Error(`${beside} took fewer than ${PROBE_BYTES} bytes`);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  } finally {
    rmSync(beside, { force: true });
  }
  // One that is gone would be made anew, empty: what a person has to know of would look mended.
  if (!existsSync(path)) throw new Error(`${path} is gone`);
  const db = new DatabaseSync(path, { timeout: 0 });
  try {
    db.exec('BEGIN IMMEDIATE; ROLLBACK');
  } finally {
    db.close();
  }
}
