/** Similarity over the bounded texts: the newest documents for each word, ranked among themselves by BM25. */
import { createTextIndex, tokensOf } from '../core/similarity.ts';
import type { DerivedStore } from '../journal/derived.ts';

export interface Found {
  /** A row of the searchable texts: the number of an event, or below zero of an insight. */
  readonly row: number;
  /** Higher is more alike; comparable within one answer only. */
  readonly score: number;
}

/** Bounds of one search, so that its time does not grow with the memory. */
const TERMS_MAX = 10;
const NEWEST_PER_TERM = 32;
/** Words that say nothing of what is meant. */
const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    'the a an and or of to in on at is was were are it its did does do not why what when who how which has have ' +
    'had that this for with from'
  ).split(' '),
);

/** The words that are searched for: lower case, each once, at most ten, in the order of the text. */
export const termsOf = (text: string): readonly string[] =>
  [...new Set(tokensOf(text).filter((word) => !STOP_WORDS.has(word)))].slice(0, TERMS_MAX);

export class Search {
  readonly #store: DerivedStore;

  constructor(store: DerivedStore) {
    this.#store = store;
  }

  textOf(row: number): string | undefined {
    const found = this.#store.get('SELECT body FROM doc WHERE rowid = ?', row);
    return found === undefined ? undefined : String(found.body);
  }

  /**
   * The best of the newest, at most `limit`. For each word the 32 newest documents are candidates, so a word that
   * every document has costs no more than a rare one. Insights have rows below zero, the lowest the newest.
   */
  find(text: string, limit: number, only: 'insights' | 'events' | 'all' = 'all'): readonly Found[] {
    const index = createTextIndex(TERMS_MAX * NEWEST_PER_TERM);
    const range = only === 'insights' ? 'AND rowid < 0' : only === 'events' ? 'AND rowid > 0' : '';
    const order = only === 'insights' ? 'ASC' : 'DESC';
    const sql = `SELECT rowid, body FROM doc WHERE doc MATCH ? ${range} ORDER BY rowid ${order} LIMIT ?`;
    const terms = termsOf(text);
    for (const term of terms) {
      for (const { rowid, body } of this.#store.all(sql, `"${term}"`, NEWEST_PER_TERM)) {
        const id = String(rowid);
        if (!index.has(id)) index.add(id, String(body));
      }
    }
    return index.query(terms.join(' '), limit).map(({ id, score }) => ({ row: Number(id), score }));
  }
}
