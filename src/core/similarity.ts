/** How alike two texts are: hashed n-gram vectors with cosine, and a BM25 index. Pure and deterministic. */

/** Text that is looked at beyond this many characters is cut: a long paste must not cost more than a log excerpt. */
const SIMILARITY_CHARS_MAX = 4_096;

/** A sparse vector of unit length: slots in rising order, one weight each. Empty where the text has no words. */
export interface TextVector {
  readonly slots: Uint32Array;
  readonly weights: Float64Array;
}

/** Words of letters and digits in lower case, in the order of the text. At most 64 characters of each count. */
export function tokensOf(text: string): readonly string[] {
  const found = text
    .slice(0, SIMILARITY_CHARS_MAX)
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu);
  return (found ?? []).map((token) => token.slice(0, TOKEN_CHARS));
}

/**
 * Words, pairs of neighbouring words and character trigrams within words (with their edges marked), each hashed into
 * one of 2^18 slots, weighted by the square root of their count and scaled to unit length.
 */
export function vectorOf(text: string): TextVector {
  const counts = new Map<number, number>();
  const count = (gram: string, weight: number): void => {
    const slot = hashOf(gram) & SLOT_MASK;
    counts.set(slot, (counts.get(slot) ?? 0) + weight);
  };
  let before: string | undefined;
  for (const token of tokensOf(text)) {
    count(`w ${token}`, WORD_WEIGHT);
    if (before !== undefined) count(`p ${before} ${token}`, PAIR_WEIGHT);
    const marked = `^${token}$`;
    for (let at = 0; at + GRAM_CHARS <= marked.length; at += 1) count(marked.slice(at, at + GRAM_CHARS), 1);
    before = token;
  }
  const slots = Uint32Array.from([...counts.keys()].sort((a, b) => a - b));
  const weights = Float64Array.from(slots, (slot) => Math.sqrt(counts.get(slot) ?? 0));
  const length = Math.sqrt(weights.reduce((sum, weight) => sum + weight * weight, 0));
  return { slots, weights: length === 0 ? weights : weights.map((weight) => weight / length) };
}

/** Cosine of two texts' vectors, 0 (nothing in common) to 1 (the same words in the same order). 0 for an empty one. */
export function cosine(a: TextVector, b: TextVector): number {
  let sum = 0;
  let atA = 0;
  let atB = 0;
  while (atA < a.slots.length && atB < b.slots.length) {
    const slotA = a.slots[atA] as number;
    const slotB = b.slots[atB] as number;
    if (slotA === slotB) {
      sum += (a.weights[atA] as number) * (b.weights[atB] as number);
      atA += 1;
      atB += 1;
    } else if (slotA < slotB) atA += 1;
    else atB += 1;
  }
  return Math.min(1, sum);
}

/** How alike two texts are, 0 to 1, by their n-gram vectors. */
export const similarity = (a: string, b: string): number => cosine(vectorOf(a), vectorOf(b));

/** A document that an index found, best first; equal scores stand in the order of their ids. */
export interface Ranked {
  readonly id: string;
  /** BM25: above 0, without an upper end; only scores of one query compare. */
  readonly score: number;
}

/** A bounded in-memory BM25 index over words. Results depend on its documents only, not on how they came there. */
export interface TextIndex {
  readonly size: number;
  /** Adds a document or puts it in the place of the one of that id. False when the index is full: nothing changes. */
  add(id: string, text: string): boolean;
  /** False when there was none of that id. */
  remove(id: string): boolean;
  has(id: string): boolean;
  /** The best `limit` documents that share a word with the query and that `admits`, where given, lets through. */
  query(text: string, limit: number, admits?: (id: string) => boolean): readonly Ranked[];
}

/** An empty index for at most `documentsMax` documents (at least 1). Robertson and Zaragoza 2009, k1 1.2, b 0.75. */
export function createTextIndex(documentsMax: number): TextIndex {
  return new Bm25(documentsMax);
}

const TOKEN_CHARS = 64;
const GRAM_CHARS = 3;
const WORD_WEIGHT = 4;
const PAIR_WEIGHT = 2;
const SLOT_MASK = 2 ** 18 - 1;
const K1 = 1.2;
const B = 0.75;
/** A query looks at this many different words, rarest first, and at this many postings: what bounds its time. */
const QUERY_TOKENS_MAX = 48;
const QUERY_POSTINGS_MAX = 60_000;

/** FNV-1a over UTF-16 units, 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}

/** A document's own row; rows of removed documents are used again. */
interface Row {
  readonly id: string;
  readonly length: number;
  readonly tokens: readonly string[];
}

/** The documents that hold one word, as numbers of their rows, with how often they hold it. */
interface Postings {
  readonly rows: number[];
  readonly counts: number[];
}

class Bm25 implements TextIndex {
  readonly #documentsMax: number;
  readonly #rowOf = new Map<string, number>();
  readonly #rows: (Row | undefined)[] = [];
  readonly #freeRows: number[] = [];
  readonly #postings = new Map<string, Postings>();
  #scores = new Float64Array(64);
  #lengths = 0;

  constructor(documentsMax: number) {
    this.#documentsMax = Math.max(1, Math.floor(documentsMax));
  }

  get size(): number {
    return this.#rowOf.size;
  }

  has(id: string): boolean {
    return this.#rowOf.has(id);
  }

  add(id: string, text: string): boolean {
    if (!this.has(id) && this.size >= this.#documentsMax) return false;
    this.remove(id);
    const tokens = tokensOf(text);
    const counts = countsOf(tokens);
    const row = this.#freeRows.pop() ?? this.#rows.length;
    this.#rows[row] = { id, length: tokens.length, tokens: [...counts.keys()] };
    this.#rowOf.set(id, row);
    this.#lengths += tokens.length;
    for (const [token, count] of counts) {
      const postings = this.#postings.get(token) ?? { rows: [], counts: [] };
      postings.rows.push(row);
      postings.counts.push(count);
      this.#postings.set(token, postings);
    }
    return true;
  }

  remove(id: string): boolean {
    const row = this.#rowOf.get(id);
    const gone = row === undefined ? undefined : this.#rows[row];
    if (row === undefined || gone === undefined) return false;
    this.#rowOf.delete(id);
    this.#rows[row] = undefined;
    this.#freeRows.push(row);
    this.#lengths -= gone.length;
    for (const token of gone.tokens) this.#forget(token, row);
    return true;
  }

  #forget(token: string, row: number): void {
    const postings = this.#postings.get(token);
    const at = postings?.rows.indexOf(row) ?? -1;
    if (postings === undefined || at < 0) return;
    postings.rows.splice(at, 1);
    postings.counts.splice(at, 1);
    if (postings.rows.length === 0) this.#postings.delete(token);
  }

  query(text: string, limit: number, admits?: (id: string) => boolean): readonly Ranked[] {
    const scores = this.#emptyScores();
    const mean = this.#lengths / Math.max(1, this.size);
    for (const { rows, counts } of this.#rarestFirst(text)) {
      const rarity = Math.log(1 + (this.size - rows.length + 0.5) / (rows.length + 0.5));
      for (let at = 0; at < rows.length; at += 1) {
        const row = rows[at] as number;
        const count = counts[at] as number;
        const length = 1 - B + (B * (this.#rows[row] as Row).length) / mean;
        scores[row] = (scores[row] as number) + (rarity * count * (K1 + 1)) / (count + K1 * length);
      }
    }
    return this.#best(scores, Math.max(0, Math.floor(limit)), admits);
  }

  #emptyScores(): Float64Array {
    if (this.#scores.length < this.#rows.length) this.#scores = new Float64Array(this.#rows.length * 2);
    return this.#scores.fill(0);
  }

  /** The postings of the query's words, fewest documents first, as far as the bounds of one query reach. */
  #rarestFirst(text: string): readonly Postings[] {
    const known = [...new Set(tokensOf(text))].sort().flatMap((token) => this.#postings.get(token) ?? []);
    const chosen: Postings[] = [];
    let visited = 0;
    for (const postings of known.sort((a, b) => a.rows.length - b.rows.length).slice(0, QUERY_TOKENS_MAX)) {
      visited += postings.rows.length;
      if (visited > QUERY_POSTINGS_MAX && chosen.length > 0) break;
      chosen.push(postings);
    }
    return chosen;
  }

  /** Keeps a short sorted list while going through all, for `limit` is small and the documents are many. */
  #best(scores: Float64Array, limit: number, admits?: (id: string) => boolean): Ranked[] {
    const best: Ranked[] = [];
    if (limit === 0) return best;
    let least = 0;
    for (let row = 0; row < this.#rows.length; row += 1) {
      const score = scores[row] as number;
      if (score === 0 || score < least) continue;
      const { id } = this.#rows[row] as Row;
      if (admits !== undefined && !admits(id)) continue;
      const at = best.findIndex((one) => better(one, { id, score }) > 0);
      best.splice(at < 0 ? best.length : at, 0, { id, score });
      if (best.length > limit) best.pop();
      if (best.length === limit) least = (best[limit - 1] as Ranked).score;
    }
    return best;
  }
}

function countsOf(tokens: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const token of tokens) counts.set(token, (counts.get(token) ?? 0) + 1);
  return counts;
}

const better = (a: Ranked, b: Ranked): number => b.score - a.score || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
