/** Stores how far log files were read. */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Checkpoint, CheckpointStore } from '../core/chunk.ts';
import { messageOf, ReeveError } from '../core/errors.ts';
import { fromWire, toWire } from '../core/wire.ts';
import { prepareFile } from './files.ts';
import { applySettings, RELAXED } from './settings.ts';

/** A last bound, far above the files that may be followed at once: of more, the ones saved longest ago go. */
export const FILES_PER_SOURCE_MAX = 8_192;
/** And that is looked after when so many rows of a source were saved: most are saved again and again. */
const SAVED_UNTRIMMED_MAX = 256;

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS checkpoint (
    saved INTEGER PRIMARY KEY AUTOINCREMENT,
    source TEXT NOT NULL,
    device TEXT NOT NULL,
    inode TEXT NOT NULL,
    body TEXT NOT NULL,
    UNIQUE (source, device, inode)
  ) STRICT`;

/**
 * Checkpoints in a SQLite file of their own. A file is known by source, device and inode, so a renamed file stays the
 * same one. `synchronous=NORMAL`: after a power cut the last saves may be gone; then lines are read again, and
 * their counts with them, because both are in the same row.
 */
export class SqliteCheckpoints implements CheckpointStore, Disposable {
  readonly #path: string;
  readonly #db: DatabaseSync;
  readonly #replacing: StatementSync;
  readonly #trimming: StatementSync;
  /** Rows of each source that were saved since it was trimmed since the start. */
  readonly #untrimmed = new Map<string, number>();

  /** Throws JOURNAL_UNWRITABLE when the place is unsafe or the file cannot be opened. */
  constructor(path: string) {
    prepareFile(path);
    this.#path = path;
    this.#db = this.#try('open', () => new DatabaseSync(path, { timeout: 5_000 }));
    this.#try('open', () => {
      applySettings(this.#db, RELAXED);
      this.#db.exec(SCHEMA);
    });
    this.#replacing = this.#db.prepare(
      'INSERT OR REPLACE INTO checkpoint (source, device, inode, body) VALUES (?, ?, ?, ?)',
    );
    this.#trimming = this.#db.prepare(`DELETE FROM checkpoint WHERE source = ? AND saved NOT IN
      (SELECT saved FROM checkpoint WHERE source = ? ORDER BY saved DESC LIMIT ?)`);
  }

  /** Oldest saved first. */
  load(source: string): readonly Checkpoint[] {
    const sql = 'SELECT body FROM checkpoint WHERE source = ? ORDER BY saved';
    const rows = this.#try('read', () => this.#db.prepare(sql).all(source));
    return rows.map((row) => fromWire<Checkpoint>(JSON.parse(String(row.body))));
  }

  save(checkpoints: readonly Checkpoint[]): void {
    this.#try('write', () => {
      this.#db.exec('BEGIN IMMEDIATE');
      try {
        for (const checkpoint of checkpoints) this.#replace(checkpoint);
        for (const [source, rows] of Map.groupBy(checkpoints, (row) => row.source)) this.#trim(source, rows.length);
        this.#db.exec('COMMIT');
      } catch (thrown) {
        if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
        throw thrown;
      }
    });
  }

  forget(source: string, files: readonly Pick<Checkpoint, 'device' | 'inode'>[]): void {
    if (files.length === 0) return;
    this.#try('write', () => {
      const forget = this.#db.prepare('DELETE FROM checkpoint WHERE source = ? AND device = ? AND inode = ?');
      for (const { device, inode } of files) forget.run(source, device, inode);
    });
  }

  [Symbol.dispose](): void {
    if (this.#db.isOpen) this.#db.close();
  }

  #replace(checkpoint: Checkpoint): void {
    const { source, device, inode } = checkpoint;
    this.#replacing.run(source, device, inode, JSON.stringify(toWire(checkpoint)));
  }

  #trim(source: string, rows: number): void {
    const untrimmed = (this.#untrimmed.get(source) ?? SAVED_UNTRIMMED_MAX) + rows;
    if (untrimmed >= SAVED_UNTRIMMED_MAX) this.#trimming.run(source, source, FILES_PER_SOURCE_MAX);
    this.#untrimmed.set(source, untrimmed >= SAVED_UNTRIMMED_MAX ? 0 : untrimmed);
  }

  #try<T>(what: string, work: () => T): T {
    try {
      return work();
    } catch (thrown) {
      if (thrown instanceof ReeveError) throw thrown;
      throw new ReeveError('JOURNAL_UNWRITABLE', `cannot ${what} ${this.#path}: ${messageOf(thrown)}`, {
        cause: thrown,
        hint: 'Is the disk full or failing? How far logs were read is kept there.',
      });
    }
  }
}

/** Checkpoints that end with the process: for tests and simulation. */
export function memoryCheckpoints(): CheckpointStore {
  let all: readonly Checkpoint[] = [];
  const sameFile = (a: Pick<Checkpoint, 'device' | 'inode'>, b: Pick<Checkpoint, 'device' | 'inode'>): boolean =>
    a.device === b.device && a.inode === b.inode;
  const same = (a: Checkpoint, b: Checkpoint): boolean => a.source === b.source && sameFile(a, b);
  return {
    load: (source) => all.filter((checkpoint) => checkpoint.source === source),
    save: (checkpoints) => {
      all = [...all.filter((old) => !checkpoints.some((checkpoint) => same(old, checkpoint))), ...checkpoints];
    },
    forget: (source, files) => {
      all = all.filter((old) => old.source !== source || !files.some((file) => sameFile(old, file)));
    },
  };
}
