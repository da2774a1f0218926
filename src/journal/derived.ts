/** Stores what is derived from the journal in files of their own. */
import { existsSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { messageOf, ReeveError } from '../core/errors.ts';
import { readFrom } from './at_rest.ts';
import { prepareFile } from './files.ts';
import { takeLock } from './lock.ts';
import { applySettings, READING, RELAXED, type Setting } from './settings.ts';
import { headerFault, hintFor, isDamage, StoreDamaged } from './sqlite_faults.ts';
import type { JournalStore } from './store.ts';

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

/** The journal as a derived file compares it with what it has read. */
export type JournalRows = Pick<JournalStore, 'highestSeq' | 'read'>;

/** The hash of the entry at some cursor. In files of earlier versions it is missing. */
const ANCHOR = 'CREATE TABLE IF NOT EXISTS derived_anchor (seq INTEGER NOT NULL, hash TEXT NOT NULL) STRICT';

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
  /** What the file is derived from. Without it the file does not know one journal from another. */
  readonly journal?: JournalRows;
}

/** A derived store in one SQLite file. It may be deleted at any time: it can be built again from the journal. */
export class DerivedFile implements DerivedStore {
  readonly path: string;
  readonly #db: DatabaseSync;
  readonly #lock: Disposable | undefined;
  readonly #journal: JournalRows | undefined;
  readonly #statements = new Map<string, StatementSync>();

  private constructor(path: string, db: DatabaseSync, lock?: Disposable, journal?: JournalRows) {
    this.path = path;
    this.#db = db;
    this.#lock = lock;
    this.#journal = journal;
  }

  /**
   * Opens or creates it for writing. Throws StoreDamaged where it has to be built again, JOURNAL_UNWRITABLE where
   * another process writes it or the place is unsafe, DERIVED_BROKEN for the rest.
   */
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
    return new DerivedFile(path, db, lock, options.journal);
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
        if (cursor !== this.cursor()) this.#move(cursor);
        this.#db.exec('COMMIT');
      } catch (thrown) {
        if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
        throw thrown;
      }
    });
  }

  /**
   * Why the journal is not the one that was read so far: a new one, or an older copy. Undefined: it is, or retention
   * has deleted what would show it. Before the first `advance`. Whoever goes on reading from the cursor passes over
   * everything until the journal is longer than it was.
   */
  otherJournal(): string | undefined {
    const highest = this.#journal?.highestSeq() ?? Number.POSITIVE_INFINITY;
    const cursor = this.cursor();
    if (highest < cursor) return `the journal ends at record ${highest}, and ${this.path} has read ${cursor}`;
    const anchor = this.get('SELECT seq, hash FROM derived_anchor');
    const found = anchor && this.#hashAt(Number(anchor.seq));
    if (found === undefined || found === anchor?.hash) return undefined;
    return `record ${anchor?.seq} of the journal is not the one that ${this.path} has read`;
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

  #move(cursor: number): void {
    this.#prepare('UPDATE derived_cursor SET seq = ?').run(cursor);
    if (this.#journal === undefined) return;
    const hash = this.#hashAt(cursor);
    this.#prepare('DELETE FROM derived_anchor').run();
    if (hash !== undefined) this.#prepare('INSERT INTO derived_anchor VALUES (?, ?)').run(cursor, hash);
  }

  #hashAt(seq: number): string | undefined {
    const [row] = this.#journal?.read({ sinceSeq: seq, throughSeq: seq, limit: 1 }) ?? [];
    return row?.hash;
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#db.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

function opened(path: string, readOnly: boolean): DatabaseSync {
  const fault = headerFault(path);
  if (fault !== undefined) throw useless(path, `${path} is damaged: ${fault}`);
  return guarded(path, () => new DatabaseSync(readOnly ? readFrom(path) : path, { readOnly, timeout: 5_000 }));
}

function prepareTables(path: string, db: DatabaseSync, schema: DerivedSchema, { rebuilding }: DerivedOptions): void {
  const tables = Number(db.prepare('SELECT count(*) AS tables FROM sqlite_schema').get()?.tables);
  if (tables === 0) {
    const readIndexes = rebuilding === true ? '' : (schema.readIndexes ?? '');
    db.exec(`BEGIN IMMEDIATE; ${schema.tables}; ${readIndexes};
      CREATE TABLE derived_cursor (seq INTEGER NOT NULL) STRICT; INSERT INTO derived_cursor VALUES (0);
      PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${schema.version}; COMMIT`);
  }
  refuseOther(path, db, schema);
  db.exec(ANCHOR);
}

function refuseOther(path: string, db: DatabaseSync, schema: DerivedSchema): void {
  if (db.prepare('PRAGMA application_id').get()?.application_id !== APPLICATION_ID)
    throw useless(path, `${path} is not a ${schema.name} of Reeve`);
  const version = Number(db.prepare('PRAGMA user_version').get()?.user_version);
  if (version !== schema.version) throw useless(path, `${path} has version ${version}; expected ${schema.version}`);
}

const rebuildHint = (path: string): string =>
  `It follows from the journal: build it again (reeve memory rebuild), or move ${path} away first.`;

const broken = (path: string, because: string): ReeveError =>
  new ReeveError('DERIVED_BROKEN', because, { hint: rebuildHint(path) });

const useless = (path: string, because: string, cause?: unknown): StoreDamaged =>
  new StoreDamaged(path, because, { cause, hint: rebuildHint(path) });

/** Only damage is a reason to build the file again: for the rest a whole one may not be given up. */
function guarded<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof ReeveError) throw thrown;
    const because = `${path}: ${messageOf(thrown)}`;
    if (isDamage(thrown)) throw useless(path, because, thrown);
    throw new ReeveError('DERIVED_BROKEN', because, { cause: thrown, hint: hintFor(thrown, path) });
  }
}
