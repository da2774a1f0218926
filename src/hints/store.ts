/** The hints' own file: what was sent and what came of it, how far each is trusted, and the clusters as last loaded. */
import { HINT_FACTS, type HintFact } from '../core/hints.ts';
import type { JournalEntry } from '../core/journal.ts';
import type { DerivedSchema, DerivedStore, Row } from '../journal/derived.ts';
import type { Priority } from './maturity.ts';
import { deltaScore, type Outcome } from './outcomes.ts';

/** Outcomes that are kept; of more, the oldest go. As many as an export may hold. */
const OUTCOMES_MAX = 100_000;
const SPOTS_MAX = 10_000;
const PRUNE_EVERY = 1_000;

/** Since which record of the journal a hint is judged that a person took back. Files of earlier versions lack it. */
const BACK = 'CREATE TABLE IF NOT EXISTS back (cluster TEXT PRIMARY KEY, seq INTEGER NOT NULL) STRICT, WITHOUT ROWID';

/** `outcome`, `priority` and `spot` follow from the journal and outlive it; `cluster` and `pattern` from the bundle. */
export const HINTS_SCHEMA: DerivedSchema = {
  name: 'store of hints',
  version: 1,
  tables: `
    CREATE TABLE outcome (
      seq INTEGER PRIMARY KEY, injection TEXT NOT NULL UNIQUE, at INTEGER NOT NULL, pattern TEXT NOT NULL,
      cluster TEXT NOT NULL, symptom TEXT NOT NULL, matched TEXT NOT NULL, similarity REAL NOT NULL,
      staging INTEGER NOT NULL, iteration INTEGER NOT NULL, pre REAL NOT NULL, asker TEXT NOT NULL, who TEXT NOT NULL,
      incident TEXT, post REAL, delta REAL, iterations INTEGER, notes TEXT, scored_at INTEGER
    ) STRICT;
    CREATE INDEX outcome_by_at ON outcome (at);
    CREATE INDEX outcome_by_pattern ON outcome (pattern) WHERE post IS NOT NULL;
    CREATE TABLE priority (cluster TEXT PRIMARY KEY, stated INTEGER, priority INTEGER NOT NULL) STRICT, WITHOUT ROWID;
    ${BACK};
    CREATE TABLE spot (
      seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, hash TEXT NOT NULL, count INTEGER NOT NULL,
      first_seen INTEGER NOT NULL, last_seen INTEGER NOT NULL, excerpt TEXT NOT NULL
    ) STRICT;
    CREATE TABLE cluster (id TEXT PRIMARY KEY, sha256 TEXT NOT NULL, document TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE pattern (id TEXT PRIMARY KEY, sha256 TEXT NOT NULL, document TEXT NOT NULL) STRICT, WITHOUT ROWID`,
};

type ReadMissed = (query: { readonly sinceSeq: number; readonly types: readonly string[] }) => Iterable<JournalEntry>;

/** A hint that was sent, and its outcome where one was reported. */
export interface OutcomeRow {
  readonly injection: string;
  readonly at: number;
  readonly pattern: string;
  readonly cluster: string;
  readonly symptom: string;
  readonly matched: string;
  readonly similarity: number;
  readonly staging: boolean;
  readonly iteration: number;
  readonly preScore: number;
  readonly postScore: number | null;
  readonly deltaScore: number | null;
  readonly iterationsToResolve: number | null;
  readonly notes: string | null;
  readonly asker: string;
  readonly who: string;
  readonly incident: string | null;
  readonly scoredAt: number | null;
}

/** The priority that a person (or a fallen record) set for a cluster, and what its bundle stated then. */
export interface PrioritySet {
  readonly stated: Priority | undefined;
  readonly priority: Priority;
}

/** A row of the bundle as it was last loaded. */
export interface LoadedRow {
  readonly id: string;
  readonly sha256: string;
  readonly document: string;
}

const INSERT_OUTCOME = `INSERT OR IGNORE INTO outcome
  (seq, injection, at, pattern, cluster, symptom, matched, similarity, staging, iteration, pre, asker, who, incident)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const KINDS: ReadonlySet<string> = new Set(HINT_FACTS);

/** Reads and writes the file. Facts of the journal are taken in their order, each once. */
export class HintStore {
  readonly #file: DerivedStore;
  readonly #read: ReadMissed;
  #taken = 0;
  #isBehind = false;

  /** `read` gives entries of the journal from a number on, for what could not be taken when it came. */
  constructor(file: DerivedStore, read: ReadMissed = () => []) {
    this.#file = file;
    this.#read = read;
  }

  /** The last journal entry that was taken. */
  cursor(): number {
    return this.#file.cursor();
  }

  /**
   * Takes one entry; other facts than those of hints are left alone. True where it was one. Throws where the file
   * cannot be written; what was missed is then read with the next one.
   */
  take(entry: JournalEntry): boolean {
    if (!KINDS.has(entry.fact.type) || entry.seq <= this.cursor()) return false;
    const missed = this.#isBehind ? [...this.#read({ sinceSeq: this.cursor() + 1, types: HINT_FACTS })] : [];
    this.#isBehind = true;
    for (const one of missed.filter(({ seq }) => seq < entry.seq)) this.#takeOne(one);
    this.#takeOne(entry);
    this.#isBehind = false;
    return true;
  }

  #takeOne(entry: JournalEntry): void {
    this.#file.advance(entry.seq, () => this.#write(entry, entry.fact as HintFact));
    this.#taken += 1;
    if (this.#taken % PRUNE_EVERY === 0) this.prune();
  }

  /**
   * The journal is another one than was read, and begins with this number: what it tells itself is forgotten, to be
   * read anew. What is older than it stays, and so does the trust that people gave.
   */
  startOver(firstSeq: number): void {
    this.#file.advance(firstSeq - 1, () => {
      for (const table of ['outcome', 'spot']) this.#file.run(`DELETE FROM ${table} WHERE seq >= ?`, firstSeq);
      this.#file.run(BACK);
      this.#file.run('UPDATE back SET seq = ? WHERE seq >= ?', firstSeq - 1, firstSeq);
    });
  }

  /** Forgets the oldest beyond the bounds. */
  prune(outcomesMax: number = OUTCOMES_MAX): void {
    this.#file.advance(this.cursor(), () => {
      const older = (table: string) =>
        `DELETE FROM ${table} WHERE seq <= (SELECT seq FROM ${table} ORDER BY seq DESC LIMIT 1 OFFSET ?)`;
      this.#file.run(older('outcome'), outcomesMax);
      this.#file.run(older('spot'), SPOTS_MAX);
    });
  }

  outcome(injection: string): OutcomeRow | undefined {
    const row = this.#file.get('SELECT * FROM outcome WHERE injection = ?', injection);
    return row && outcomeOf(row);
  }

  /** Oldest first, those still pending too. `since` in milliseconds since 1970, inclusive. */
  outcomes(since: number, limit: number): readonly OutcomeRow[] {
    const sql = 'SELECT * FROM outcome WHERE at >= ? ORDER BY seq LIMIT ?';
    return this.#file.all(sql, since, Math.min(limit, OUTCOMES_MAX)).map(outcomeOf);
  }

  /** Those that feedback came for; of one hint, or of all. */
  scored(pattern?: string): readonly Outcome[] {
    return this.#outcomesSince(0, pattern);
  }

  /** Those of one hint that was sent since a person last took its cluster back. */
  judged(pattern: string, cluster: string): readonly Outcome[] {
    return this.#outcomesSince(this.#backSince(cluster), pattern);
  }

  /** The planner's newest hint about one incident that no score came for. */
  pendingOf(incident: string): OutcomeRow | undefined {
    const own = "incident = ? AND asker = 'planner' AND post IS NULL";
    const sql = `SELECT * FROM outcome WHERE ${own} ORDER BY seq DESC LIMIT 1`;
    const row = this.#file.get(sql, incident);
    return row && outcomeOf(row);
  }

  priorities(): ReadonlyMap<string, PrioritySet> {
    return new Map(
      this.#file.all('SELECT cluster, stated, priority FROM priority').map((row) => {
        const stated = row.stated === null ? undefined : (Number(row.stated) as Priority);
        return [String(row.cluster), { stated, priority: Number(row.priority) as Priority }];
      }),
    );
  }

  /** The last time that each beginning crossed the threshold, for those after `since`. */
  crossings(since: number): ReadonlyMap<string, number> {
    const rows = this.#file.all(
      'SELECT hash, max(last_seen) AS last FROM spot WHERE last_seen > ? GROUP BY hash',
      since,
    );
    return new Map(rows.map((row) => [String(row.hash), Number(row.last)]));
  }

  /** Rows of the bundle as it was last loaded; empty where the index is kept in memory alone. */
  loaded(table: 'cluster' | 'pattern'): readonly LoadedRow[] {
    return this.#file
      .all(`SELECT id, sha256, document FROM ${table}`)
      .map((row) => ({ id: String(row.id), sha256: String(row.sha256), document: String(row.document) }));
  }

  /** Writes rows and deletes others, all or nothing. */
  load(changes: Readonly<Record<'cluster' | 'pattern', { put: readonly LoadedRow[]; gone: readonly string[] }>>): void {
    this.#file.advance(this.cursor(), () => {
      for (const table of ['cluster', 'pattern'] as const) {
        for (const id of changes[table].gone) this.#file.run(`DELETE FROM ${table} WHERE id = ?`, id);
        for (const { id, sha256, document } of changes[table].put)
          this.#file.run(`INSERT OR REPLACE INTO ${table} VALUES (?, ?, ?)`, id, sha256, document);
      }
    });
  }

  #backSince(cluster: string): number {
    const isKept = this.#file.get("SELECT 1 FROM sqlite_schema WHERE name = 'back'") !== undefined;
    return isKept ? Number(this.#file.get('SELECT seq FROM back WHERE cluster = ?', cluster)?.seq ?? 0) : 0;
  }

  #outcomesSince(seq: number, pattern: string | undefined): readonly Outcome[] {
    const sql = 'SELECT pattern, pre, post, scored_at FROM outcome WHERE post IS NOT NULL AND seq > ?';
    const rows =
      pattern === undefined ? this.#file.all(sql, seq) : this.#file.all(`${sql} AND pattern = ?`, seq, pattern);
    return rows.map((row) => ({
      ...{ patternId: String(row.pattern), preScore: Number(row.pre), postScore: Number(row.post) },
      atMs: Number(row.scored_at),
    }));
  }

  #write({ seq, at, incident }: JournalEntry, fact: HintFact): void {
    const file = this.#file;
    switch (fact.type) {
      case 'hint.injected': {
        const { injection, pattern, cluster, symptom, matched, similarity, staging, iteration, scores } = fact;
        const about = [seq, injection, at, pattern, cluster, symptom, matched, similarity, Number(staging), iteration];
        const asked = [scores.at(-1) ?? 0, fact.asker, fact.who, incident ?? null];
        file.run(INSERT_OUTCOME, ...about, ...asked);
        return;
      }
      case 'hint.scored': {
        const pre = file.get('SELECT pre FROM outcome WHERE injection = ?', fact.injection)?.pre;
        const delta = deltaScore({ preScore: Number(pre ?? 0), postScore: fact.postScore });
        const sql =
          'UPDATE outcome SET post = ?, delta = ?, iterations = ?, notes = ?, scored_at = ? WHERE injection = ?';
        file.run(sql, fact.postScore, delta, fact.iterations ?? null, fact.notes ?? null, at, fact.injection);
        return;
      }
      case 'hint.priority_set':
        file.run('INSERT OR REPLACE INTO priority VALUES (?, ?, ?)', fact.cluster, fact.stated ?? null, fact.to);
        if (fact.from >= 0 || fact.to < 0) return;
        file.run(BACK);
        file.run('INSERT OR REPLACE INTO back VALUES (?, ?)', fact.cluster, seq);
        return;
      case 'hint.blind_spot': {
        const { prefixHash, count, firstSeenMs, lastSeenMs, excerpt } = fact;
        const values = [seq, at, prefixHash, count, Math.round(firstSeenMs), Math.round(lastSeenMs), excerpt];
        file.run('INSERT OR REPLACE INTO spot VALUES (?, ?, ?, ?, ?, ?, ?)', ...values);
      }
    }
  }
}

const numberOf = (value: unknown): number | null => (value === null ? null : Number(value));
const textOf = (value: unknown): string | null => (value === null ? null : String(value));

const outcomeOf = (row: Row): OutcomeRow => ({
  injection: String(row.injection),
  at: Number(row.at),
  pattern: String(row.pattern),
  cluster: String(row.cluster),
  symptom: String(row.symptom),
  matched: String(row.matched),
  similarity: Number(row.similarity),
  staging: row.staging === 1,
  iteration: Number(row.iteration),
  preScore: Number(row.pre),
  postScore: numberOf(row.post),
  deltaScore: numberOf(row.delta),
  iterationsToResolve: numberOf(row.iterations),
  notes: textOf(row.notes),
  asker: String(row.asker),
  who: String(row.who),
  incident: textOf(row.incident),
  scoredAt: numberOf(row.scored_at),
});
