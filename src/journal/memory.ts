/** A journal store in memory. */
import { ReeveError } from '../core/errors.ts';
import type { JournalQuery } from '../core/journal.ts';
import type { JournalStore, StoredEntry } from './store.ts';

/** Where an append stands. A test throws from `onStep` to stop it there, as a crash does. */
export type AppendStep = 'writing' | 'written' | 'synced';

export interface MemoryStoreOptions {
  readonly rows?: readonly StoredEntry[];
  readonly highestSeq?: number;
  readonly onStep?: (step: AppendStep) => void;
  /** What retention deletes. */
  readonly onDeleted?: (rows: readonly StoredEntry[]) => void;
  /** Appends return before they are durable, until `sync`: what a weak setting would do. */
  readonly lazy?: boolean;
}

/** The journal's rows in memory: for tests, backtests and simulation. Keeps the same promises as the file. */
export class MemoryStore implements JournalStore {
  #rows: StoredEntry[];
  /** Appends that a crash may lose, oldest first. */
  #unsynced: (readonly StoredEntry[])[] = [];
  #highestSeq: number;
  #failed: string | undefined;
  readonly #options: MemoryStoreOptions;

  constructor(options: MemoryStoreOptions = {}) {
    this.#options = options;
    this.#rows = [...(options.rows ?? [])];
    this.#highestSeq = Math.max(options.highestSeq ?? 0, this.#rows.at(-1)?.seq ?? 0);
  }

  append(rows: readonly StoredEntry[]): void {
    this.#refuseAfterFailure();
    const expected = this.#highestSeq + 1;
    if (rows.some((row, index) => row.seq !== expected + index)) {
      this.failWrites(`expected entries from ${expected}, got ${rows.map((row) => row.seq).join(', ')}`);
      this.#refuseAfterFailure();
    }
    this.#step('writing');
    this.#unsynced.push(rows);
    this.#step('written');
    if (this.#options.lazy !== true) this.#unsynced.pop();
    this.#rows.push(...rows);
    this.#highestSeq = this.#rows.at(-1)?.seq ?? this.#highestSeq;
    this.#step('synced');
  }

  *read(query: JournalQuery): Iterable<StoredEntry> {
    const rows = this.#rows.slice(this.#indexOf(query.sinceSeq ?? 0));
    if (query.newestFirst === true) rows.reverse();
    let left = query.limit ?? Number.POSITIVE_INFINITY;
    for (const row of rows) {
      if (left <= 0) return;
      if (!matches(row, query)) continue;
      left -= 1;
      yield row;
    }
  }

  last(): StoredEntry | undefined {
    return this.#rows.at(-1);
  }

  highestSeq(): number {
    return this.#highestSeq;
  }

  deleteThrough(seq: number): void {
    this.#refuseAfterFailure();
    const from = this.#indexOf(seq + 1);
    this.#options.onDeleted?.(this.#rows.slice(0, from));
    this.#rows = this.#rows.slice(from);
  }

  /** The disk has something else in the place of this record, which nobody wrote. */
  alter(row: StoredEntry): void {
    this.#rows = this.#rows.map((old) => (old.seq === row.seq ? row : old));
  }

  close(): void {
    this.failWrites('the store is closed');
  }

  /** Makes everything so far durable, where the store is lazy. */
  sync(): void {
    this.#unsynced = [];
  }

  /** From now on the disk takes nothing. */
  failWrites(because: string): void {
    this.#failed ??= because;
  }

  /**
   * What is found after a crash: the durable rows, and of the appends that were not synced yet the first `survivors`.
   * This store takes nothing more.
   */
  crash(survivors = 0, options: Pick<MemoryStoreOptions, 'onStep' | 'onDeleted' | 'lazy'> = {}): MemoryStore {
    this.failWrites('the process is gone');
    const lost = new Set(this.#unsynced.slice(survivors).flat());
    const kept = new Map(this.#rows.filter((row) => !lost.has(row)).map((row) => [row.seq, row]));
    for (const row of this.#unsynced.slice(0, survivors).flat()) kept.set(row.seq, row);
    return new MemoryStore({ ...options, rows: [...kept.values()] });
  }

  #indexOf(seq: number): number {
    const first = this.#rows[0]?.seq ?? 0;
    return Math.min(Math.max(0, seq - first), this.#rows.length);
  }

  #step(step: AppendStep): void {
    try {
      this.#options.onStep?.(step);
    } catch (thrown) {
      this.failWrites(`stopped while ${step}`);
      throw thrown;
    }
  }

  #refuseAfterFailure(): void {
    if (this.#failed === undefined) return;
    throw new ReeveError('JOURNAL_UNWRITABLE', `the journal takes no more entries: ${this.#failed}`);
  }
}

function matches(row: StoredEntry, query: JournalQuery): boolean {
  return (
    row.seq <= (query.throughSeq ?? Number.POSITIVE_INFINITY) &&
    (query.types === undefined || query.types.includes(row.type)) &&
    (query.channel === undefined || query.channel === row.channel) &&
    (query.incident === undefined || query.incident === row.incident)
  );
}
