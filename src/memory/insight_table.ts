/** Insights in the memory's file: added by the fold, merged by facts, read by strength. */
import type { ConceptPair, MemoryFact } from '../core/memory.ts';
import type { DerivedStore, Row } from '../journal/derived.ts';
import { contradicts, type Insight } from './insight.ts';

export interface InsightQuery {
  /** 1 active, 0 archived; undefined: both. */
  readonly state?: 0 | 1 | undefined;
  /** A concept or the part of one after the colon: `error:http_403`, `http_403`. */
  readonly concept?: string | undefined;
  readonly limit: number;
  readonly offset?: number;
}

type InsightWorded = Extract<MemoryFact, { type: 'insight.worded' }>;
type Merged = Extract<MemoryFact, { type: 'insight.merged' }>;

export class InsightTable {
  readonly #store: DerivedStore;

  constructor(store: DerivedStore) {
    this.#store = store;
  }

  /** Within `advance`. One that is there already stays as it is: the journal may be read again. */
  add(insight: Insight): void {
    const { id, pair, subject, verdict, text, strength, state, bornSeq, at } = insight;
    const { origin = null, mergedInto = null, wordedBy = null } = insight;
    const values = [id, ...pair, subject, verdict, text, strength, state, bornSeq, at, origin, mergedInto, wordedBy];
    const changed = this.#store.run(
      `INSERT OR IGNORE INTO insight (id, a, b, subject, verdict, text, strength, state, born, at, origin, merged_into,
       worded_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...values,
    );
    if (changed > 0) this.#index(id, text, pair);
  }

  /** Within `advance`. It takes the place of every active one of its claim that was born up to `throughSeq`. */
  merge(fact: Merged, born: Pick<Insight, 'bornSeq' | 'at'>): void {
    const { insight: id, pair, subject, verdict, text, strength, throughSeq } = fact;
    const known = this.#store.get('SELECT 1 FROM insight WHERE id = ?', id) !== undefined;
    if (known) return;
    this.#store.run(
      `UPDATE insight SET state = 0, merged_into = ?
       WHERE state = 1 AND a = ? AND b = ? AND subject = ? AND verdict = ? AND born <= ?`,
      ...[id, ...pair, subject, verdict, throughSeq],
    );
    const fresh = { state: 1 as const, origin: undefined, mergedInto: undefined, wordedBy: undefined };
    this.add({ id, pair, subject, verdict, text, strength, ...born, ...fresh });
  }

  /** Within `advance`. */
  reword({ insight, text, model }: InsightWorded): void {
    this.#store.run('UPDATE insight SET text = ?, worded_by = ? WHERE id = ?', text, model, insight);
    const found = this.get(insight);
    if (found !== undefined) this.#index(insight, text, found.pair);
  }

  get(id: string): Insight | undefined {
    const row = this.#store.get('SELECT * FROM insight WHERE id = ?', id);
    return row === undefined ? undefined : insightOf(row);
  }

  ofOrigin(incident: string): Insight | undefined {
    const row = this.#store.get('SELECT * FROM insight WHERE origin = ?', incident);
    return row === undefined ? undefined : insightOf(row);
  }

  /** Active before archived, then by strength, then newest first. */
  list({ state, concept, limit, offset = 0 }: InsightQuery): readonly Insight[] {
    const conditions: string[] = [];
    const values: (string | number)[] = [];
    if (state !== undefined) {
      conditions.push('state = ?');
      values.push(state);
    }
    if (concept !== undefined) {
      const suffix = `%:${concept.replace(/[\\%_]/g, '\\$&')}`;
      conditions.push("(a = ? OR b = ? OR a LIKE ? ESCAPE '\\' OR b LIKE ? ESCAPE '\\')");
      values.push(concept, concept, suffix, suffix);
    }
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
    const sql = `SELECT * FROM insight ${where} ORDER BY state DESC, strength DESC, born DESC, id LIMIT ? OFFSET ?`;
    return this.#store.all(sql, ...values, limit, offset).map(insightOf);
  }

  /** Active ones born up to `throughSeq`, in the order of their claims, after `last`: a page for reflection. */
  inClaimOrder(last: Insight | undefined, throughSeq: number, limit: number): readonly Insight[] {
    const after = last === undefined ? '' : 'AND (a, b, subject, verdict, born, id) > (?, ?, ?, ?, ?, ?)';
    const place = last === undefined ? [] : [...last.pair, last.subject, last.verdict, last.bornSeq, last.id];
    const sql = `SELECT * FROM insight WHERE state = 1 ${after} AND born <= ?
      ORDER BY a, b, subject, verdict, born, id LIMIT ?`;
    return this.#store.all(sql, ...place, throughSeq, limit).map(insightOf);
  }

  /** Active ones about exactly these two, strongest first. */
  ofPair(pair: ConceptPair, limit: number): readonly Insight[] {
    const sql = `SELECT * FROM insight INDEXED BY insight_by_pair
      WHERE state = 1 AND a = ? AND b = ? ORDER BY strength DESC, id LIMIT ?`;
    return this.#store.all(sql, ...pair, limit).map(insightOf);
  }

  /** Active ones about this concept, in either place, strongest first. */
  ofConcept(concept: string, limit: number): readonly Insight[] {
    const second = 'SELECT * FROM insight WHERE state = 1 AND b = ? ORDER BY strength DESC, id LIMIT ?';
    const first = 'SELECT * FROM insight INDEXED BY insight_by_pair WHERE state = 1 AND a = ? LIMIT ?';
    const found = [...this.#store.all(second, concept, limit), ...this.#store.all(first, concept, limit * 8)];
    return found
      .map(insightOf)
      .sort((one, other) => other.strength - one.strength || (one.id < other.id ? -1 : 1))
      .slice(0, limit);
  }

  /** Whether any claim is made by more than one active insight. */
  hasTwins(): boolean {
    const sql = 'SELECT 1 FROM insight WHERE state = 1 GROUP BY a, b, subject, verdict HAVING count(*) > 1 LIMIT 1';
    return this.#store.get(sql) !== undefined;
  }

  /** Active ones that say the opposite. */
  against(insight: Insight): readonly Insight[] {
    const sql =
      'SELECT * FROM insight WHERE state = 1 AND a = ? AND b = ? AND subject = ? AND verdict <> ? ORDER BY id';
    const rows = this.#store.all(sql, ...insight.pair, insight.subject, insight.verdict);
    return rows.map(insightOf).filter((other) => contradicts(insight, other));
  }

  /** Those that became this one. */
  parents(id: string, limit: number): readonly Insight[] {
    const sql = 'SELECT * FROM insight WHERE merged_into = ? ORDER BY strength DESC, born DESC, id LIMIT ?';
    return this.#store.all(sql, id, limit).map(insightOf);
  }

  ofNumber(number: number): Insight | undefined {
    const row = this.#store.get('SELECT * FROM insight WHERE number = ?', number);
    return row === undefined ? undefined : insightOf(row);
  }

  /** Within `advance`. The number of rows that went. */
  pruneArchived(firstSeq: number, rowsMax: number): number {
    const rows = this.#store.all('SELECT number FROM insight WHERE state = 0 AND born < ? LIMIT ?', firstSeq, rowsMax);
    for (const { number } of rows) {
      this.#store.run('DELETE FROM doc WHERE rowid = ?', -Number(number));
      this.#store.run('DELETE FROM insight WHERE number = ?', Number(number));
    }
    return rows.length;
  }

  /** No insight is born after this number. Within `advance`. */
  bornBy(highestSeq: number): void {
    this.#store.run('UPDATE insight SET born = ? WHERE born > ?', highestSeq, highestSeq);
  }

  /** Copies what another file holds: insights outlive the journal that they came from. Within `advance`. */
  adopt(others: readonly Insight[]): void {
    for (const insight of others) this.add(insight);
  }

  #index(id: string, text: string, pair: readonly string[]): void {
    const number = Number(this.#store.get('SELECT number FROM insight WHERE id = ?', id)?.number);
    const concepts = pair.map((concept) => concept.slice(concept.indexOf(':') + 1));
    this.#store.run('INSERT OR REPLACE INTO doc (rowid, body) VALUES (?, ?)', -number, `${text} ${concepts.join(' ')}`);
  }
}

const textOf = (value: unknown): string | undefined => (value === null ? undefined : String(value));

const insightOf = (row: Row): Insight => ({
  id: String(row.id),
  pair: [String(row.a), String(row.b)],
  subject: String(row.subject),
  verdict: row.verdict as Insight['verdict'],
  text: String(row.text),
  strength: Number(row.strength),
  state: row.state === 1 ? 1 : 0,
  bornSeq: Number(row.born),
  at: Number(row.at),
  origin: textOf(row.origin),
  mergedInto: textOf(row.merged_into),
  wordedBy: textOf(row.worded_by),
});
