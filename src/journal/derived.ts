/** Stores what is derived from the journal in files of their own. */
import { existsSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { messageOf, ReeveError } from '../core/errors.ts';
import { prepareFile } from './files.ts';
import { takeLock } from './lock.ts';
import { applySettings, READING, RELAXED, type Setting } from './settings.ts';

/** A file that follows from the journal: rows of its own and how far the journal was read, committed together. */
export interface DerivedStore extends Disposable {
  readonly path: string;
  /** The last journal entry whose rows are in the file; 0 in a new one. */
  cursor(): number;
  all(sql: string, ...values: readonly SQLInputValue[]): readonly Row[];
  get(sql: string, ...values: readonly SQLInputValue[]): Row | undefined;
  /** The number of rows that it changed. Only within `advance`. */
  run(sql: string, ...values: readonly SQLInputValue[]): number;
  /** One transaction: what `work` writes and the new cursor, or neither. Throws DERIVED_BROKEN. */
  advance(cursor: number, work: () => void): void;
}

export type Row = Readonly<Record<string, unknown>>;

/** What a derived file is for. `tables` and `readIndexes` create everything; a change of them is a new `version`. */
export interface DerivedSchema {
  readonly name: string;
  readonly version: number;
  readonly tables: string;
  /** Indexes that only readers need: a file that is built from the beginning gets them last, in one pass each. */
  readonly readIndexes?: string;
}

/** "ReeD" in the file's header. */
const APPLICATION_ID = 0x52656544;

/** Pages are kept in memory up to this many KiB: a daemon must stay small. */
const CACHE: Setting = { pragma: 'cache_size', value: -1_000 };
const CACHE_OF_REBUILD: Setting = { pragma: 'cache_size', value: -64_000 };

export interface DerivedOptions {
  /**
   * For the one process that builds the file from the beginning: more memory, no fsync until it is closed, and no
   * `readIndexes` until `finishRebuild`.
   */
  readonly rebuilding?: boolean;
}

/** A derived store in one SQLite file. It may be deleted at any time: it can be built again from the journal. */
export class DerivedFile implements DerivedStore {
  readonly path: string;
  readonly #db: DatabaseSync;
  readonly #lock: Disposable | undefined;
  readonly #statements = new Map<string, StatementSync>();

  private constructor(path: string, db: DatabaseSync, lock?: Disposable) {
    this.path = path;
    this.#db = db;
    this.#lock = lock;
  }

  /** Opens or creates it for writing. Throws JOURNAL_UNWRITABLE: another process writes it, or the place is unsafe. */
  static open(path: string, schema: DerivedSchema, options: DerivedOptions = {}): DerivedFile {
    prepareFile(path);
    using cleanup = new DisposableStack();
    const lock = cleanup.use(takeLock(path));
    const db = cleanup.adopt(opened(path, false), (each) => each.close());
    guarded(path, () => {
      applySettings(db, [...RELAXED, options.rebuilding === true ? CACHE_OF_REBUILD : CACHE]);
      if (options.rebuilding === true) db.exec('PRAGMA synchronous = OFF');
      prepareTables(path, db, schema, options);
    });
    cleanup.move();
    return new DerivedFile(path, db, lock);
  }

  /** Opens an existing one for reading, also while a daemon writes it. Throws DERIVED_BROKEN when there is none. */
  static openForReading(path: string, schema: DerivedSchema): DerivedFile {
    if (!existsSync(path)) throw broken(path, `there is no ${schema.name} at ${path}`);
    using cleanup = new DisposableStack();
    const db = cleanup.adopt(opened(path, true), (each) => each.close());
    guarded(path, () => {
      applySettings(db, READING);
      refuseOther(path, db, schema);
    });
    cleanup.move();
    return new DerivedFile(path, db);
  }

  cursor(): number {
    return Number(this.get('SELECT seq FROM derived_cursor')?.seq ?? 0);
  }

  all(sql: string, ...values: readonly SQLInputValue[]): readonly Row[] {
    return guarded(this.path, () => this.#prepare(sql).all(...values));
  }

  get(sql: string, ...values: readonly SQLInputValue[]): Row | undefined {
    return guarded(this.path, () => this.#prepare(sql).get(...values));
  }

  run(sql: string, ...values: readonly SQLInputValue[]): number {
    return guarded(this.path, () => Number(this.#prepare(sql).run(...values).changes));
  }

  advance(cursor: number, work: () => void): void {
    guarded(this.path, () => {
      this.#db.exec('BEGIN IMMEDIATE');
      try {
        work();
        this.#prepare('UPDATE derived_cursor SET seq = ?').run(cursor);
        this.#db.exec('COMMIT');
      } catch (thrown) {
        if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
        throw thrown;
      }
    });
  }

  /** Everything that `work` reads is of one moment, whatever another process writes meanwhile. For readers. */
  consistently<T>(work: () => T): T {
    guarded(this.path, () => this.#db.exec('BEGIN'));
    try {
      return work();
    } finally {
      guarded(this.path, () => this.#db.exec('ROLLBACK'));
    }
  }

  /** Adds the `readIndexes` of a file that was opened for rebuilding. Once, after the last row. */
  finishRebuild(schema: DerivedSchema): void {
    guarded(this.path, () => this.#db.exec(schema.readIndexes ?? ''));
  }

  [Symbol.dispose](): void {
    this.#statements.clear();
    if (this.#db.isOpen) this.#db.close();
    this.#lock?.[Symbol.dispose]();
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#db.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

const opened = (path: string, readOnly: boolean): DatabaseSync =>
  guarded(path, () => new DatabaseSync(path, { readOnly, timeout: 5_000 }));

function prepareTables(path: string, db: DatabaseSync, schema: DerivedSchema, { rebuilding }: DerivedOptions): void {
  const tables = Number(db.prepare('SELECT count(*) AS tables FROM sqlite_schema').get()?.tables);
  if (tables === 0) {
    const readIndexes = rebuilding === true ? '' : (schema.readIndexes ?? '');
    db.exec(`BEGIN IMMEDIATE; ${schema.tables}; ${readIndexes};
      CREATE TABLE derived_cursor (seq INTEGER NOT NULL) STRICT; INSERT INTO derived_cursor VALUES (0);
      PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${schema.version}; COMMIT`);
  }
  refuseOther(path, db, schema);
}

function refuseOther(path: string, db: DatabaseSync, schema: DerivedSchema): void {
  if (db.prepare('PRAGMA application_id').get()?.application_id !== APPLICATION_ID)
    throw broken(path, `${path} is not a ${schema.name} of Reeve`);
  const version = Number(db.prepare('PRAGMA user_version').get()?.user_version);
  if (version !== schema.version) throw broken(path, `${path} has version ${version}; expected ${schema.version}`);
}

const broken = (path: string, because: string, cause?: unknown): ReeveError =>
  new ReeveError('DERIVED_BROKEN', because, {
    cause,
    hint: `It follows from the journal: build it again (reeve memory rebuild), or move ${path} away first.`,
  });

function guarded<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof ReeveError) throw thrown;
    throw broken(path, `${path}: ${messageOf(thrown)}`, thrown);
  }
}
