/** Stores how far log files were read. */
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Checkpoint, CheckpointStore } from '../core/chunk.ts';
import { messageOf, ReeveError } from '../core/errors.ts';
import { fromWire, toWire } from '../core/wire.ts';
import { openOrBeginAnew } from './aside.ts';
import { prepareFile } from './files.ts';
import { applySettings, RELAXED } from './settings.ts';
import { headerFault, hintFor, isDamage, StoreDamaged } from './sqlite_faults.ts';

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
const COLUMNS = 'saved, source, device, inode, body';

export interface OpenedCheckpoints {
  readonly store: CheckpointStore & Disposable;
  /** What a person has to know: the file was damaged, or cannot be used. */
  readonly trouble: string | undefined;
}

/**
 * Opens or creates the file. No log is worth a Reeve that does not start: a damaged file is put aside and begun anew,
 * and where none can be used, how far logs are read is kept until this process ends.
 */
export function openCheckpoints(path: string): OpenedCheckpoints {
  let trouble: string | undefined;
  try {
    const open = () => new SqliteCheckpoints(path);
    const store = openOrBeginAnew(path, open, (because) => {
      trouble = `collect: ${because} and is begun anew: of what logs got meanwhile only their ends are read`;
    });
    return { store, trouble };
  } catch (thrown) {
    const hint = thrown instanceof ReeveError && thrown.hint !== undefined ? ` (${thrown.hint})` : '';
    const because = `${messageOf(thrown)}${hint}`;
    trouble = `collect: how far logs are read is not kept over the next start: ${because}`;
    return { store: { ...memoryCheckpoints(), [Symbol.dispose]: () => undefined }, trouble };
  }
}

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

  /**
   * Throws StoreDamaged when what is there cannot be read, JOURNAL_UNWRITABLE when the place is unsafe or the file
   * cannot be opened.
   */
  constructor(path: string) {
    prepareFile(path);
    const fault = headerFault(path);
    if (fault !== undefined) throw new StoreDamaged(path, `${path} is damaged: ${fault}`);
    this.#path = path;
    using cleanup = new DisposableStack();
    this.#db = cleanup.adopt(
      this.#try('open', () => new DatabaseSync(path, { timeout: 5_000 })),
      (db) => db.close(),
    );
    this.#try('open', () => {
      applySettings(this.#db, RELAXED);
      this.#db.exec(SCHEMA);
      this.#refuseDamage();
    });
    cleanup.move();
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

  /** What is read first when logs are followed, which then must not fail. The file is small. */
  #refuseDamage(): void {
    const columns = this.#db.prepare(`SELECT name FROM pragma_table_info('checkpoint')`).all();
    const found = columns.map(({ name }) => name).join(', ');
    if (found !== COLUMNS) throw this.#damaged(`it has the columns ${found}; expected ${COLUMNS}`);
    const checked = this.#db.prepare('PRAGMA quick_check(1)').get()?.quick_check;
    if (checked !== 'ok') throw this.#damaged(String(checked).replaceAll(/\s+/g, ' '));
    for (const { body } of this.#db.prepare('SELECT body FROM checkpoint').iterate())
      if (!isCheckpoint(String(body))) throw this.#damaged('a row of it is no checkpoint');
  }

  #damaged(because: string): StoreDamaged {
    return new StoreDamaged(this.#path, `${this.#path} is damaged: ${because}`);
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
      const message = `cannot ${what} ${this.#path}: ${messageOf(thrown)}`;
      if (isDamage(thrown)) throw new StoreDamaged(this.#path, message, { cause: thrown });
      throw new ReeveError('JOURNAL_UNWRITABLE', message, { cause: thrown, hint: hintFor(thrown, this.#path) });
    }
  }
}

const NUMBERS = ['head_bytes', 'offset', 'lines', 'matched', 'unmatched'] as const;

/** As far as following a log relies on it: a count of nonsense would end the process. */
function isCheckpoint(body: string): boolean {
  try {
    const row = JSON.parse(body) as Record<string, unknown>;
    const counts = NUMBERS.map((name) => row[name]);
    const { dropped } = row;
    if (!Array.isArray(dropped)) return false;
    counts.push(...dropped.map((each) => each?.lines));
    const ids = [row.device, row.inode];
    return (
      counts.every((count) => Number.isSafeInteger(count) && Number(count) >= 0) &&
      ids.every((id) => typeof id === 'string' && /^\d*$/.test(id)) &&
      typeof row.path === 'string'
    );
  } catch {
    return false;
  }
}

/** Checkpoints that end with the process: for tests, simulation, and where no file can be used. */
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
