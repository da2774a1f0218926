/** Groups log lines by shape. */
import { isVariable, tokensOf } from './template_tokens.ts';

/** One shape of message, as far as it is known: fixed words, and `<kind>` or `<*>` where lines differ. */
export interface Template {
  readonly id: number;
  readonly text: string;
  /** The catalogue pattern whose example has this shape; undefined for a shape without a name. */
  readonly like: string | undefined;
}

interface Cluster {
  readonly id: number;
  tokens: string[];
  readonly like: string | undefined;
  /** Rank of the last use: the least recently used goes first. */
  usedAt: number;
  readonly leaf: string;
}

export interface MinerLimits {
  /** Of lines; those with a name come on top. */
  readonly clustersMax: number;
  /** 0 to 1: the share of equal words from which two lines have one shape. */
  readonly similarity: number;
}

const LIMITS: MinerLimits = { clustersMax: 1000, similarity: 0.5 };
/** How many leading words lead to a leaf of the tree. */
const LEADING_WORDS = 2;

/**
 * Groups lines by shape, in the manner of Drain ("An online log parsing approach with fixed depth tree", 2017):
 * first by length and leading words, then by the share of equal words. Memory is bounded; what goes is counted.
 */
export class TemplateMiner {
  readonly #limits: MinerLimits;
  readonly #leaves = new Map<string, Cluster[]>();
  readonly #clusters = new Map<number, Cluster>();
  /** How many have a name: as many as the catalogue has, and they stay. */
  #named = 0;
  #lastId = 0;
  #uses = 0;
  #evicted = 0;

  constructor(limits: Partial<MinerLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits };
  }

  /** Shapes that were forgotten to make room. */
  get evicted(): number {
    return this.#evicted;
  }

  get size(): number {
    return this.#clusters.size;
  }

  /** Makes a shape known by its name, so that near variants of it are recognised as such. */
  seed(example: string, like: string): void {
    this.#learn(example, like);
  }

  /** The shape of a line; `isNew` when no line of it was seen before. */
  learn(line: string): { readonly template: Template; readonly isNew: boolean } {
    return this.#learn(line, undefined);
  }

  #learn(line: string, like: string | undefined): { readonly template: Template; readonly isNew: boolean } {
    const tokens = [...tokensOf(line)];
    const leaf = leafOf(tokens);
    const known = this.#nearest(leaf, tokens);
    const cluster = known ?? this.#create(tokens, leaf, like);
    if (known !== undefined) generalise(known.tokens, tokens);
    this.#uses += 1;
    cluster.usedAt = this.#uses;
    const { id } = cluster;
    return { template: { id, text: cluster.tokens.join(' '), like: cluster.like }, isNew: known === undefined };
  }

  #nearest(leaf: string, tokens: readonly string[]): Cluster | undefined {
    let best: Cluster | undefined;
    let most = this.#limits.similarity;
    for (const cluster of this.#leaves.get(leaf) ?? []) {
      const share = sameShare(cluster.tokens, tokens);
      if (share >= most) [most, best] = [share, cluster];
    }
    return best;
  }

  #create(tokens: string[], leaf: string, like: string | undefined): Cluster {
    if (like !== undefined) this.#named += 1;
    else if (this.#clusters.size - this.#named >= this.#limits.clustersMax) this.#evict();
    this.#lastId += 1;
    const cluster = { id: this.#lastId, tokens, like, usedAt: 0, leaf };
    this.#clusters.set(cluster.id, cluster);
    this.#leaves.set(leaf, [...(this.#leaves.get(leaf) ?? []), cluster]);
    return cluster;
  }

  /** The least recently used tenth goes at once, so that a flood of new shapes does not sort on every line. */
  #evict(): void {
    const nameless = [...this.#clusters.values()].filter(({ like }) => like === undefined);
    const byUse = nameless.sort((a, b) => a.usedAt - b.usedAt);
    for (const cluster of byUse.slice(0, Math.ceil(this.#limits.clustersMax / 10))) {
      this.#clusters.delete(cluster.id);
      const rest = (this.#leaves.get(cluster.leaf) ?? []).filter(({ id }) => id !== cluster.id);
      if (rest.length === 0) this.#leaves.delete(cluster.leaf);
      else this.#leaves.set(cluster.leaf, rest);
      this.#evicted += 1;
    }
  }
}

function leafOf(tokens: readonly string[]): string {
  const leading = tokens.filter((token) => !isVariable(token) && !/\d/.test(token)).slice(0, LEADING_WORDS);
  return `${tokens.length}|${leading.join('|')}`;
}

function sameShare(known: readonly string[], tokens: readonly string[]): number {
  if (tokens.length === 0) return 1;
  let same = 0;
  for (let at = 0; at < tokens.length; at += 1) same += known[at] === tokens[at] ? 1 : 0;
  return same / tokens.length;
}

function generalise(known: string[], tokens: readonly string[]): void {
  for (let at = 0; at < known.length; at += 1) {
    if (known[at] !== tokens[at]) known[at] = '<*>';
  }
}
