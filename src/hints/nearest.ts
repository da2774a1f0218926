/** The cluster of hints that is most like a text: exact search in memory over hashed n-grams, without a database. */
import { type TextVector, vectorOf } from '../core/similarity.ts';
import { type Priority, priorityOf } from './maturity.ts';

/** Troubles of one kind, with the hints that belong to it. */
export interface Cluster {
  readonly id: string;
  readonly standardName: string;
  /** How the trouble is described; each is compared by itself, so that a long list does not blur a good fit. */
  readonly patterns: readonly string[];
  readonly keywords: readonly string[];
  /** Ids of its hints, best first. */
  readonly associatedPatterns: readonly string[];
  readonly priority: Priority | undefined;
}

/** The cluster that was found. */
export interface Nearest {
  readonly cluster: Cluster;
  /** The description that fits best. */
  readonly matched: string;
  /** Cosine, 0 to 1. */
  readonly similarity: number;
  readonly isStaging: boolean;
}

/** An index that does not change: a new bundle makes a new one. */
export interface HintIndex {
  /** Clusters in it, the demoted ones left out. */
  readonly clusterCount: number;
  /** The best cluster at or above `floor` (0 to 1); of equally good ones that of the lowest id. */
  nearest(text: string, floor: number): Nearest | undefined;
}

/**
 * Builds the index. Demoted clusters (priority -1) are left out, so no text can find them. `vector` may remember what
 * it has worked out.
 */
export function createHintIndex(clusters: readonly Cluster[], vector = vectorOf): HintIndex {
  const alive = clusters.filter(({ priority }) => priorityOf(priority) >= 0);
  const rows = alive
    .toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))
    .flatMap((cluster) => describedBy(cluster).map((matched) => ({ cluster, matched })));
  const postings = postingsOf(rows.map(({ matched }) => vector(matched)));
  return {
    clusterCount: alive.length,
    nearest: (text, floor) => bestOf(rows, cosinesOf(vectorOf(text), postings, rows.length), floor),
  };
}

interface IndexRow {
  readonly cluster: Cluster;
  readonly matched: string;
}

/** The rows that have a slot of the vectors, and with which weight. */
interface Postings {
  readonly rows: number[];
  readonly weights: number[];
}

const describedBy = ({ standardName, patterns, keywords }: Cluster): readonly string[] =>
  [standardName, ...patterns, keywords.join(' ')].filter((text) => text !== '');

function postingsOf(vectors: readonly TextVector[]): ReadonlyMap<number, Postings> {
  const postings = new Map<number, Postings>();
  for (const [row, { slots, weights }] of vectors.entries()) {
    for (const [at, slot] of slots.entries()) {
      const own = postings.get(slot) ?? { rows: [], weights: [] };
      own.rows.push(row);
      own.weights.push(weights[at] as number);
      postings.set(slot, own);
    }
  }
  return postings;
}

/** The cosine of a text with every row, slot by slot: rows that share nothing with it cost nothing. */
function cosinesOf({ slots, weights }: TextVector, postings: ReadonlyMap<number, Postings>, count: number) {
  const sums = new Float64Array(count);
  for (let at = 0; at < slots.length; at += 1) {
    const own = postings.get(slots[at] as number);
    if (own === undefined) continue;
    const weight = weights[at] as number;
    for (let each = 0; each < own.rows.length; each += 1) {
      const row = own.rows[each] as number;
      sums[row] = (sums[row] as number) + weight * (own.weights[each] as number);
    }
  }
  return sums;
}

function bestOf(rows: readonly IndexRow[], cosines: Float64Array, floor: number): Nearest | undefined {
  let best: number | undefined;
  let similarity = 0;
  for (let row = 0; row < cosines.length; row += 1) {
    const found = Math.min(1, cosines[row] as number);
    if (found <= similarity) continue;
    similarity = found;
    best = row;
  }
  const row = best === undefined ? undefined : rows[best];
  if (row === undefined || similarity < floor) return undefined;
  return { ...row, similarity, isStaging: priorityOf(row.cluster.priority) === 0 };
}
