/** The journal store in SQLite. */
import { statSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { messageOf, ReeveError } from '../core/errors.ts';
import type { JournalQuery } from '../core/journal.ts';
import { readFrom } from './at_rest.ts';
import { placeOf, prepareFile } from './files.ts';
import { takeLock } from './lock.ts';
import { selectRows } from './query.ts';
import { applySettings, DURABLE, READING } from './settings.ts';
import { headerFault, hintFor, isDamage, JournalDamaged, refuseMissing } from './sqlite_faults.ts';
import type { JournalStore, StoredEntry } from './store.ts';

/** "Reev" in the file's header, so that a wrong file is not taken for a journal. */
const APPLICATION_ID = 0x52656576;
const SCHEMA_VERSION = 1;

/** AUTOINCREMENT remembers the highest seq in a table of its own, so that a cut tail is found. */
const SCHEMA = `
  CREATE TABLE entry (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    mono_ms INTEGER NOT NULL,
    boot TEXT NOT NULL,
    channel TEXT,
    incident TEXT,
    run TEXT,
    type TEXT NOT NULL,
    body TEXT NOT NULL,
    hash TEXT NOT NULL
  ) STRICT;
  CREATE INDEX entry_by_type ON entry (type, seq);
  CREATE INDEX entry_by_channel ON entry (channel, seq) WHERE channel IS NOT NULL;
  CREATE INDEX entry_by_incident ON entry (incident, seq) WHERE incident IS NOT NULL;
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${SCHEMA_VERSION};`;

const COLUMNS = {
  entry: 'seq, at, mono_ms, boot, channel, incident, run, type, body, hash',
  sqlite_sequence: 'name, seq',
} as const;

/** Rows per query while reading: appends may come in between, and memory stays bounded. */
const PAGE_ROWS = 500;

/** So long a write waits for another process that holds the file; then it has failed. */
export const LOCK_PATIENCE_MS = 5_000;

const TAKEN_AWAY = 'it was deleted, moved or replaced while it was open. Put it back, or start Reeve again';

/** A quick check reads every page, at 1 GB/s from memory and far slower from a cold disk. */
const QUICK_CHECK_BYTES_MAX = 512 * 1024 * 1024;

export interface SqliteOptions {
  /** Above this size the check of the pages at start is left out; the hash chain is still checked. */
  readonly quickCheckBytesMax?: number;
  /** For tests: the statfs type of the directory. */
  readonly fileSystemTypeOf?: (directory: string) => number;
}

/** The journal in one SQLite file: WAL, synchronous=FULL, one writer. */
export class SqliteStore implements JournalStore {
  readonly #db: DatabaseSync;
  readonly #path: string;
  readonly #lock: Disposable | undefined;
  readonly #statements = new Map<string, StatementSync>();
  /** False when the file was too large to check its pages in bounded time. */
  readonly pagesChecked: boolean;
  readonly #place: string;
  #refusal: string | undefined;

  private constructor(path: string, db: DatabaseSync, opened: { lock?: Disposable; pagesChecked: boolean }) {
    this.#path = path;
    this.#db = db;
    this.#place = placeOf(path);
    this.#lock = opened.lock;
    this.pagesChecked = opened.pagesChecked;
    if (opened.lock === undefined) this.#refusal = 'it was opened for reading only';
  }

  /**
   * Opens or creates the journal for writing. Throws JOURNAL_UNWRITABLE when another process writes it, the place or
   * the settings are unsafe; JOURNAL_BROKEN when the file is damaged or is not a journal.
   */
  static open(path: string, options: SqliteOptions = {}): SqliteStore {
    prepareFile(path, options.fileSystemTypeOf);
    using cleanup = new DisposableStack();
    const lock = cleanup.use(takeLock(path));
    const db = cleanup.adopt(openFile(path, false), (opened) => opened.close());
    const pagesChecked = brokenUnless(path, () => {
      applySettings(db, DURABLE);
      prepareSchema(path, db);
      // A file or a disk that is read-only says so at the first write.
      db.exec('DELETE FROM entry WHERE false');
      return quickCheck(path, db, options.quickCheckBytesMax ?? QUICK_CHECK_BYTES_MAX);
    });
    cleanup.move();
    return new SqliteStore(path, db, { lock, pagesChecked });
  }

  /** Opens an existing journal for reading, also while a daemon writes it. Throws JOURNAL_BROKEN. */
  static openForReading(path: string): SqliteStore {
    refuseMissing(path);
    using cleanup = new DisposableStack();
    const db = cleanup.adopt(openFile(path, true), (opened) => opened.close());
    brokenUnless(path, () => {
      applySettings(db, READING);
      refuseStranger(path, db);
    });
    cleanup.move();
    return new SqliteStore(path, db, { pagesChecked: false });
  }

  append(rows: readonly StoredEntry[]): void {
    this.#write(() => {
      const insert = this.#prepare('INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
      for (const row of rows) {
        const about = [row.channel ?? null, row.incident ?? null, row.run ?? null];
        insert.run(row.seq, row.at, row.monoMs, row.boot, ...about, row.type, row.body, row.hash);
      }
    });
  }

  *read(query: JournalQuery): Iterable<StoredEntry> {
    let left = query.limit ?? Number.POSITIVE_INFINITY;
    let since = query.sinceSeq ?? 0;
    let through = Math.min(query.throughSeq ?? Number.MAX_SAFE_INTEGER, this.last()?.seq ?? 0);
    while (left > 0 && since <= through) {
      const size = Math.min(left, PAGE_ROWS);
      const { sql, values } = selectRows({ ...query, sinceSeq: since, throughSeq: through }, size);
      const rows = brokenUnless(this.#path, () => this.#prepare(sql).all(...values));
      for (const row of rows) yield entryOf(row, this.#path);
      if (rows.length < size) return;
      left -= rows.length;
      const end = Number(rows.at(-1)?.seq);
      if (query.newestFirst === true) through = end - 1;
      else since = end + 1;
    }
  }

  /** Everything that `work` reads is of one moment, whatever another process writes meanwhile. For readers. */
  consistently<T>(work: () => T): T {
    brokenUnless(this.#path, () => this.#db.exec('BEGIN'));
    try {
      return work();
    } finally {
      this.#rollBack();
    }
  }

  last(): StoredEntry | undefined {
    const sql = 'SELECT * FROM entry ORDER BY seq DESC LIMIT 1';
    const row = brokenUnless(this.#path, () => this.#prepare(sql).get());
    return row === undefined ? undefined : entryOf(row, this.#path);
  }

  highestSeq(): number {
    const sql = "SELECT seq FROM sqlite_sequence WHERE name = 'entry'";
    return brokenUnless(this.#path, () => Number(this.#prepare(sql).get()?.seq ?? 0));
  }

  deleteThrough(seq: number): void {
    this.#write(() => this.#prepare('DELETE FROM entry WHERE seq <= ?').run(seq));
  }

  /** What is written into a file that was taken away is lost with this process. */
  checkPlace(): void {
    if (placeOf(this.#path) !== this.#place) this.#refusal ??= TAKEN_AWAY;
    if (this.#refusal !== undefined) throw this.#unwritable(this.#refusal);
  }

  close(): void {
    this.#refusal ??= 'it is closed';
    if (this.#db.isOpen) this.#db.close();
    this.#lock?.[Symbol.dispose]();
  }

  #write(change: () => void): void {
    this.checkPlace();
    try {
      this.#db.exec('BEGIN IMMEDIATE');
      change();
      this.#db.exec('COMMIT');
    } catch (thrown) {
      this.#refusal = `a write failed before (${messageOf(thrown)})`;
      this.#rollBack();
      throw this.#unwritable(messageOf(thrown), thrown);
    }
  }

  #rollBack(): void {
    try {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
    } catch {
      // Nothing is written from here on, so nothing can be committed by accident.
    }
  }

  #unwritable(because: string, cause?: unknown): ReeveError {
    return new ReeveError('JOURNAL_UNWRITABLE', `cannot write ${this.#path}: ${because}`, {
      cause,
      hint: `Is the disk full or failing? Try: df -h ${this.#path}. It is opened anew when three probes have passed.`,
    });
  }

  #prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#db.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

function openFile(path: string, readOnly: boolean): DatabaseSync {
  const fault = headerFault(path);
  if (fault !== undefined) throw new JournalDamaged(path, `${path} is damaged: ${fault}`);
  const place = readOnly ? readFrom(path) : path;
  return brokenUnless(path, () => new DatabaseSync(place, { readOnly, timeout: LOCK_PATIENCE_MS }));
}

function prepareSchema(path: string, db: DatabaseSync): void {
  const tables = Number(db.prepare('SELECT count(*) AS tables FROM sqlite_schema').get()?.tables);
  if (tables === 0) db.exec(`BEGIN IMMEDIATE; ${SCHEMA} COMMIT`);
  refuseStranger(path, db);
}

function refuseStranger(path: string, db: DatabaseSync): void {
  const applicationId = db.prepare('PRAGMA application_id').get()?.application_id;
  if (applicationId !== APPLICATION_ID && hasOwnTable(db))
    throw new JournalDamaged(path, `${path} is damaged: its application id is ${applicationId}`);
  if (applicationId !== APPLICATION_ID)
    throw new ReeveError('JOURNAL_BROKEN', `${path} is not a journal of Reeve`, { hint: 'Check --state.' });
  const version = Number(db.prepare('PRAGMA user_version').get()?.user_version);
  if (version !== SCHEMA_VERSION)
    throw new ReeveError('JOURNAL_BROKEN', `${path} has version ${version}; expected ${SCHEMA_VERSION}`, {
      hint: 'It was written by another version of Reeve. Use that one, or begin with a new --state.',
    });
  refuseOtherTables(path, db);
}

/** No other program has such a table. */
const hasOwnTable = (db: DatabaseSync): boolean =>
  db.prepare(`SELECT name FROM pragma_table_info('entry') WHERE name IN ('seq', 'mono_ms', 'hash')`).all().length === 3;

/** By the very name, for a name of SQLite's own in other letters is another table to it. */
const COLUMNS_OF = `SELECT found.name FROM sqlite_schema AS own, pragma_table_info(own.name) AS found
  WHERE own.type = 'table' AND own.name = ? ORDER BY found.cid`;

/** For a statement about a column that is missing, SQLite has the code of a statement that is wrong. */
function refuseOtherTables(path: string, db: DatabaseSync): void {
  for (const [table, expected] of Object.entries(COLUMNS)) {
    const columns = db.prepare(COLUMNS_OF).all(table);
    const found = columns.map(({ name }) => name).join(', ');
    if (found === expected) continue;
    const what = found === '' ? 'is missing' : `has the columns ${found}; expected ${expected}`;
    throw new JournalDamaged(path, `${path} is damaged: its table ${table} ${what}`);
  }
}

function quickCheck(path: string, db: DatabaseSync, bytesMax: number): boolean {
  if (statSync(path).size > bytesMax) return false;
  const found = db.prepare('PRAGMA quick_check(1)').get()?.quick_check;
  if (found === 'ok') return true;
  throw new JournalDamaged(path, `${path} is damaged: ${String(found).replaceAll(/\s+/g, ' ')}`);
}

/** What SQLite throws while reading means that the file cannot be trusted, and only some of it that it is damaged. */
function brokenUnless<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof ReeveError) throw thrown;
    const message = `cannot read ${path}: ${messageOf(thrown)}`;
    if (isDamage(thrown)) throw new JournalDamaged(path, message, thrown);
    throw new ReeveError('JOURNAL_BROKEN', message, { cause: thrown, hint: hintFor(thrown, path) });
  }
}

/** A column that is missing, or a time that is no number, would make a clock of nonsense. */
function entryOf(row: Record<string, unknown>, path: string): StoredEntry {
  const text = (name: string): string | undefined => (row[name] === null ? undefined : String(row[name]));
  const number = (name: string): number => {
    const value = Number(row[name]);
    if (Number.isSafeInteger(value)) return value;
    throw new JournalDamaged(path, `cannot read ${path}: a record has no whole number as its ${name}`);
  };
  return {
    seq: number('seq'),
    at: number('at'),
    monoMs: number('mono_ms'),
    boot: String(row.boot),
    channel: text('channel'),
    incident: text('incident'),
    run: text('run'),
    type: String(row.type),
    body: String(row.body),
    hash: String(row.hash),
  };
}
