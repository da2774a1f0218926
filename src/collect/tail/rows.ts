/** The rows of one source in the checkpoint store. */
import type { Checkpoint, CheckpointStore } from '../../core/chunk.ts';
import { type FileId, isOf, keyOfId } from './identity.ts';
import type { LogFile } from './log_file.ts';
import type { LineCounts } from './line_counts.ts';
import { DEFAULT_TAIL_LIMITS } from './types.ts';

/**
 * Files that went away and may come back are remembered up to this many: as many as a pattern may match, for a file
 * server that is away for a moment takes all of them along.
 */
const REMEMBERED_MAX = DEFAULT_TAIL_LIMITS.matchesMax;

/** The row that holds a source's counts is about no file. All rows of a save become durable together. */
const NO_FILE = { device: '', inode: '', headHash: '', headBytes: 0, offset: 0 };

/** A rotated file's row says so in its path, because another file stands there. */
export const rowPathOf = (file: LogFile): string => (file.replaced ? `${file.path}#${file.key}` : file.path);

/** The path a row is about: without what `rowPathOf` added. */
export const pathOfRow = (path: string): string => path.replace(/#\d+:\d+$/, '');

const keyOfRow = ({ device, inode }: Checkpoint): string => `${device}:${inode}`;

/** One source's rows in the checkpoint store: its counts, the files it follows, and files it may see again. */
export class Rows {
  readonly #source: string;
  readonly #store: CheckpointStore;
  /** Read from the store or put aside, and belonging to no open file. */
  readonly #remembered = new Map<string, Checkpoint>();
  /** Rows that the store has and that are about nothing any more. */
  readonly #gone = new Map<string, Checkpoint>();
  /** What was last written to the store, as text. */
  #saved: ReadonlyMap<string, string> = new Map();
  readonly #path: string;
  #wasFollowed = false;

  /** `path` as configured. */
  constructor(source: string, path: string, store: CheckpointStore) {
    this.#source = source;
    this.#path = path;
    this.#store = store;
  }

  /** Takes the counts of earlier runs. */
  load(tally: LineCounts): void {
    for (const row of this.#store.load(this.#source)) {
      tally.restore(row);
      if (row.inode !== '') this.#remembered.set(keyOfRow(row), row);
      else this.#wasFollowed = row.path === this.#path;
    }
  }

  /** An earlier run followed the same path: a file there that it did not know was made since. */
  get wasFollowed(): boolean {
    return this.#wasFollowed;
  }

  get remembered(): readonly Checkpoint[] {
    return [...this.#remembered.values()];
  }

  /** The row of the file that stood at the path when it was last seen. */
  at(path: string): Checkpoint | undefined {
    return this.remembered.find((row) => row.path === path);
  }

  /** The row about this very file, by its inode and its first bytes. */
  of(id: FileId, fd: number): Checkpoint | undefined {
    const inode = String(id.inode);
    for (const row of this.#remembered.values()) if (row.inode === inode && isOf(row, id, fd)) return row;
    return undefined;
  }

  /** The row about a file that once had this inode, whatever it holds now. */
  formerOf(id: FileId): Checkpoint | undefined {
    return this.#remembered.get(keyOfId(id));
  }

  /** The row now belongs to an open file, or to nothing. */
  release(row: Checkpoint): void {
    this.#remembered.delete(keyOfRow(row));
    this.#gone.set(keyOfRow(row), row);
  }

  /** Keeps where a file was left, in case it comes back. The oldest of too many goes. */
  remember(row: Checkpoint): void {
    this.#remembered.set(keyOfRow(row), row);
    const [oldest] = this.#remembered.values();
    if (this.#remembered.size > REMEMBERED_MAX && oldest !== undefined) this.release(oldest);
  }

  /** The same of an open file that is let go of. */
  leave(file: LogFile): void {
    this.remember(file.checkpoint(this.#source, rowPathOf(file)));
  }

  /** The file was read to its end and is gone for good. */
  retire(file: LogFile): void {
    this.release(file.checkpoint(this.#source, file.path));
  }

  /**
   * What has to be written to the store. Nothing changes until `saved` is called. `isReadable`: the files may be asked
   * what they begin with by now; else what is known of that has to do.
   */
  batch(files: readonly LogFile[], tally: LineCounts, isReadable = true): RowBatch {
    const rows = new Map(this.#remembered);
    for (const file of files) {
      rows.set(file.key, file.checkpoint(this.#source, rowPathOf(file), isReadable));
    }
    const gone = [...this.#gone.values()].filter((row) => !rows.has(keyOfRow(row)));
    const { progress: _, ...counts } = tally.counts;
    rows.set('', { source: this.#source, path: this.#path, ...NO_FILE, ...counts });
    const written = new Map([...rows].map(([key, row]) => [key, JSON.stringify(row)]));
    const changed = [...rows].filter(([key]) => written.get(key) !== this.#saved.get(key)).map(([, row]) => row);
    return { changed, gone, written };
  }

  /** Forgetting comes last: a crash before it leaves rows too many, which are about files that are not there. */
  saved({ gone, written }: RowBatch): void {
    if (gone.length > 0) this.#store.forget(this.#source, gone);
    this.#saved = written;
    this.#gone.clear();
  }
}

export interface RowBatch {
  readonly changed: readonly Checkpoint[];
  readonly gone: readonly Checkpoint[];
  readonly written: ReadonlyMap<string, string>;
}
