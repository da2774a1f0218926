/** The clusters and hints in use: taken over from a bundle row by row, with each cluster's trust as it is now. */
import { createHash } from 'node:crypto';
import { type TextVector, vectorOf } from '../core/similarity.ts';
import { canonicalJson } from '../core/wire.ts';
import type { Bundle, BundleCluster } from './bundle.ts';
import { type Bucket, bucketOf, type Priority, priorityOf } from './maturity.ts';
import { createHintIndex, type HintIndex, type Nearest } from './nearest.ts';
import type { HintStore, LoadedRow, PrioritySet } from './store.ts';

/** What became of the rows of one kind. */
export interface RowChanges {
  readonly added: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly deleted: number;
}

/** What a reload did. Totals count what is in use; demoted clusters are not. */
export interface Reloaded {
  readonly symptoms: number;
  readonly patterns: number;
  readonly demotedSkipped: number;
  readonly symptomsDetail: RowChanges;
  readonly patternsDetail: RowChanges;
}

/** `store`: rows are kept in the hints' file, and serve when the bundle is gone. `memory`: they are read anew. */
export type RouterBackend = 'store' | 'memory';

interface Held {
  readonly sha256: string;
  readonly cluster: BundleCluster;
}

/** Dimensions of the vectors that texts are compared by. */
export const EMBEDDING_DIMENSIONS = 2 ** 18;

/** One daemon's hints. */
export class HintLibrary {
  readonly #store: HintStore;
  readonly backend: RouterBackend;
  #clusters: ReadonlyMap<string, Held> = new Map();
  #patterns: ReadonlyMap<string, LoadedRow> = new Map();
  #set: ReadonlyMap<string, PrioritySet> = new Map();
  #byPattern: ReadonlyMap<string, BundleCluster> = new Map();
  #vectors = new Map<string, TextVector>();
  #index: HintIndex = createHintIndex([]);
  #encoded = 0;
  writtenAt: number | undefined;

  constructor(store: HintStore, backend: RouterBackend) {
    this.#store = store;
    this.backend = backend;
    if (backend === 'store') this.#restore();
    this.refresh();
  }

  /** Takes a bundle over: only rows whose content changed are worked out anew. `rebuild`: all of them are. */
  sync(bundle: Bundle, rebuild = false): Reloaded {
    const set = this.#store.priorities();
    const clusters = new Map(
      bundle.clusters.map((cluster) => [cluster.id, { sha256: fingerprintOf(cluster), cluster }] as const),
    );
    const patterns = new Map(
      [...bundle.patterns].map(([id, document]) => [id, { id, sha256: sha(document), document }] as const),
    );
    const alive = livingOf(clusters, set);
    const changes = {
      symptomsDetail: changesOf(rebuild ? new Map() : livingOf(this.#clusters, this.#set), alive),
      patternsDetail: changesOf(rebuild ? new Map() : this.#patterns, patterns),
    };
    if (rebuild) this.#vectors.clear();
    if (this.backend === 'store') this.#persist(clusters, patterns);
    this.#clusters = clusters;
    this.#patterns = patterns;
    this.writtenAt = bundle.writtenAt;
    this.refresh();
    return {
      ...{ symptoms: alive.size, patterns: patterns.size, demotedSkipped: clusters.size - alive.size },
      ...changes,
    };
  }

  /** Hears of priorities that were set meanwhile. */
  refresh(): void {
    this.#set = this.#store.priorities();
    const clusters = [...this.#clusters.values()].map(({ cluster }) => this.#now(cluster));
    this.#byPattern = new Map(
      clusters.toReversed().flatMap((cluster) => cluster.associatedPatterns.map((id) => [id, cluster] as const)),
    );
    const used = new Map<string, TextVector>();
    const vector = (text: string): TextVector => {
      const known = this.#vectors.get(text) ?? this.#encode(text);
      used.set(text, known);
      return known;
    };
    this.#index = createHintIndex(clusters, vector);
    this.#vectors = used;
  }

  get clusterCount(): number {
    return this.#index.clusterCount;
  }

  /** Descriptions that were turned into vectors since the start: unchanged rows are not. */
  get encoded(): number {
    return this.#encoded;
  }

  /** Every cluster with its trust as it is now, the demoted ones too. */
  clusters(): readonly BundleCluster[] {
    return [...this.#clusters.values()].map(({ cluster }) => this.#now(cluster));
  }

  /** What the bundle itself states of a cluster's trust. */
  statedOf(cluster: string): Priority | undefined {
    return this.#clusters.get(cluster)?.cluster.priority;
  }

  /** The best cluster for any of these texts at or above `floor`, 0 to 1. */
  nearest(texts: readonly string[], floor: number): (Nearest & { readonly cluster: BundleCluster }) | undefined {
    const found = texts.flatMap((text) => this.#index.nearest(text, floor) ?? []);
    const [best] = found.sort((a, b) => b.similarity - a.similarity);
    const cluster = best && this.#clusters.get(best.cluster.id);
    return best && cluster && { ...best, cluster: this.#now(cluster.cluster) };
  }

  /** The cluster that a hint belongs to, its priority as it is now. */
  ownerOf(pattern: string): BundleCluster | undefined {
    return this.#byPattern.get(pattern);
  }

  bucketOf(pattern: string): Bucket | undefined {
    const owner = this.ownerOf(pattern);
    return owner && bucketOf(owner.priority);
  }

  /** The text of a hint. A file may leave out the prefix that ids have. */
  bodyOf(pattern: string): string | undefined {
    const row = this.#patterns.get(pattern) ?? this.#patterns.get(pattern.replace(/^pattern_/, ''));
    return row?.document;
  }

  #now(cluster: BundleCluster): BundleCluster {
    return { ...cluster, priority: effective(cluster, this.#set) };
  }

  #encode(text: string): TextVector {
    this.#encoded += 1;
    return vectorOf(text);
  }

  #restore(): void {
    this.#patterns = new Map(this.#store.loaded('pattern').map((row) => [row.id, row]));
    this.#clusters = new Map(
      this.#store.loaded('cluster').map(({ id, sha256, document }) => {
        return [id, { sha256, cluster: JSON.parse(document) as BundleCluster }];
      }),
    );
  }

  #persist(clusters: ReadonlyMap<string, Held>, patterns: ReadonlyMap<string, LoadedRow>): void {
    const rows = [...clusters].map(
      ([id, { sha256, cluster }]) => [id, { id, sha256, document: JSON.stringify(cluster) }] as const,
    );
    this.#store.load({
      cluster: delta(new Map(this.#store.loaded('cluster').map((row) => [row.id, row])), new Map(rows)),
      pattern: delta(new Map(this.#store.loaded('pattern').map((row) => [row.id, row])), patterns),
    });
  }
}

/** What a person set holds as long as the bundle states what it stated then. */
function effective(cluster: BundleCluster, set: ReadonlyMap<string, PrioritySet>): Priority | undefined {
  const setByPerson = set.get(cluster.id);
  return setByPerson !== undefined && setByPerson.stated === cluster.priority ? setByPerson.priority : cluster.priority;
}

const livingOf = (held: ReadonlyMap<string, Held>, set: ReadonlyMap<string, PrioritySet>): ReadonlyMap<string, Held> =>
  new Map([...held].filter(([, { cluster }]) => priorityOf(effective(cluster, set)) >= 0));

const sha = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Over everything that decides what is found and what is sent; the order of lists of keywords does not count. */
function fingerprintOf({
  standardName,
  domain,
  patterns,
  keywords,
  associatedPatterns,
  analogies,
  priority,
}: BundleCluster) {
  const sorted = { patterns: patterns.toSorted(), keywords: keywords.toSorted() };
  return sha(
    canonicalJson({ standardName, domain, ...sorted, associatedPatterns, analogies, priority: priority ?? null }),
  );
}

type Rows<T> = ReadonlyMap<string, T>;

function changesOf<T extends { readonly sha256: string }>(before: Rows<T>, after: Rows<T>): RowChanges {
  const ids = [...after.keys()];
  const added = ids.filter((id) => !before.has(id)).length;
  const unchanged = ids.filter((id) => before.get(id)?.sha256 === after.get(id)?.sha256).length;
  const deleted = [...before.keys()].filter((id) => !after.has(id)).length;
  return { added, updated: ids.length - added - unchanged, unchanged, deleted };
}

function delta(before: Rows<LoadedRow>, after: Rows<LoadedRow>) {
  return {
    put: [...after.values()].filter(({ id, sha256 }) => before.get(id)?.sha256 !== sha256),
    gone: [...before.keys()].filter((id) => !after.has(id)),
  };
}
