/** The cluster of hints that is most like a text: exact search in memory over hashed n-grams, without a database. */
import { cosine, type TextVector, vectorOf } from '../core/similarity.ts';
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
    .flatMap((cluster) => describedBy(cluster).map((matched) => ({ cluster, matched, vector: vector(matched) })));
  return { clusterCount: alive.length, nearest: (text, floor) => bestOf(rows, vectorOf(text), floor) };
}

interface IndexRow {
  readonly cluster: Cluster;
  readonly matched: string;
  readonly vector: TextVector;
}

const describedBy = ({ standardName, patterns, keywords }: Cluster): readonly string[] =>
  [standardName, ...patterns, keywords.join(' ')].filter((text) => text !== '');

function bestOf(rows: readonly IndexRow[], query: TextVector, floor: number): Nearest | undefined {
  let best: IndexRow | undefined;
  let similarity = 0;
  for (const row of rows) {
    const found = cosine(query, row.vector);
    if (found <= similarity) continue;
    similarity = found;
    best = row;
  }
  if (best === undefined || similarity < floor) return undefined;
  const { cluster, matched } = best;
  return { cluster, matched, similarity, isStaging: priorityOf(cluster.priority) === 0 };
}
