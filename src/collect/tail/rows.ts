import { dirname } from 'node:path';
import type { Checkpoint, CheckpointStore } from '../../core/chunk.ts';
import type { LogFile } from './log_file.ts';
import type { Tally } from './tally.ts';

/** The row that holds a source's counts. All rows of a save become durable together, so no row can be ahead of it. */
const COUNTS_PATH = '';

/** Files that went away and may come back are remembered up to this many. */
const REMEMBERED_MAX = 64;

/** Rotated files are kept under a name of their own, because another file has taken their path. */
export const rowPathOf = (file: LogFile): string => (file.replaced ? `${file.path}#${file.key}` : file.path);

/** The path a row is about: without what `rowPathOf` added. */
export const pathOfRow = (path: string): string => path.replace(/#\d+:\d+$/, '');

/** One source's rows in the checkpoint store: its counts, the files it follows, and files it may see again. */
export class Rows {
  readonly #source: string;
  readonly #store: CheckpointStore;
  /** By the row's path: read from the store or put aside, and belonging to no open file. */
  readonly #remembered = new Map<string, Checkpoint>();
  /** Paths whose rows in the store are out of date and belong to no file any more. */
  readonly #stale = new Set<string>();
  /** What the store was last told of each open file. */
  #saved = new Map<string, string>();
  /** The paths that earlier runs followed, and their directories. */
  readonly #history = new Set<string>();

  constructor(source: string, store: CheckpointStore) {
    this.#source = source;
    this.#store = store;
  }

  /** Takes the counts of earlier runs. */
  load(tally: Tally): void {
    for (const row of this.#store.load(this.#source)) {
      tally.restore(row);
      if (row.inode === '') continue;
      this.#remembered.set(row.path, row);
      this.#history.add(pathOfRow(row.path)).add(dirname(row.path));
    }
  }

  /** An earlier run followed this path, or a file in this directory: what is new there was written since. */
  knew(path: string): boolean {
    return this.#history.has(path);
  }

  get remembered(): readonly Checkpoint[] {
    return [...this.#remembered.values()];
  }

  at(path: string): Checkpoint | undefined {
    return this.#remembered.get(path);
  }

  /** The row now belongs to an open file, or to nothing. */
  release(row: Checkpoint): void {
    this.#remembered.delete(row.path);
    this.#stale.add(row.path);
  }

  /** Keeps where a file was left, in case it comes back. The oldest of too many goes. */
  remember(row: Checkpoint): void {
    this.#remembered.set(row.path, row);
    if (this.#remembered.size <= REMEMBERED_MAX) return;
    const [oldest] = this.#remembered.values();
    if (oldest !== undefined) this.release(oldest);
  }

  /** What the store has to be told; empty when it knows everything. Nothing changes until `saved` is called. */
  batch(files: readonly LogFile[], tally: Tally): RowBatch {
    const rows = new Map<string, Checkpoint>();
    for (const row of this.#remembered.values()) rows.set(row.path, row);
    for (const file of files) rows.set(rowPathOf(file), file.checkpoint(this.#source, rowPathOf(file)));
    const stale = [...new Set([...this.#stale, ...this.#saved.keys()])].filter(
      (path) => path !== COUNTS_PATH && !rows.has(path),
    );
    for (const path of stale) rows.set(path, this.#blank(path));
    const { progress: _, ...counts } = tally.counts;
    rows.set(COUNTS_PATH, { ...this.#blank(COUNTS_PATH), ...counts });

    const told = new Map([...rows].map(([path, row]) => [path, JSON.stringify(row)]));
    const changed = [...rows].filter(([path]) => told.get(path) !== this.#saved.get(path)).map(([, row]) => row);
    return { changed, stale, told };
  }

  saved({ stale, told }: RowBatch): void {
    this.#store.forget?.(this.#source, stale);
    for (const path of stale) told.delete(path);
    this.#saved = told;
    this.#stale.clear();
  }

  #blank(path: string): Checkpoint {
    const counts = { lines: 0, matched: 0, unmatched: 0, dropped: [] };
    return { source: this.#source, path, device: '', inode: '', headHash: '', headBytes: 0, offset: 0, ...counts };
  }
}

export interface RowBatch {
  readonly changed: readonly Checkpoint[];
  readonly stale: readonly string[];
  readonly told: Map<string, string>;
}
