/** Totals since start, by channel and pattern: what the store and the metrics read. */
export interface TallyRow {
  readonly channel: number;
  readonly pattern: number;
  readonly count: number;
}

/**
 * Counts (channel, pattern) pairs; a pair takes memory when it first counts. Bounded: a pair too many is only
 * counted.
 */
export class Tally {
  readonly #patterns: number;
  readonly #pairsMax: number;
  readonly #slotOf = new Map<number, number>();
  #counts = new Float64Array(256);
  #dropped = 0;

  constructor(patterns: number, pairsMax = 1_000_000) {
    this.#patterns = Math.max(1, patterns);
    this.#pairsMax = pairsMax;
  }

  /** Events of pairs for which there was no room. */
  get dropped(): number {
    return this.#dropped;
  }

  add(channel: number, pattern: number): void {
    const key = channel * this.#patterns + pattern;
    const slot = this.#slotOf.get(key) ?? this.#newSlot(key);
    if (slot < 0) this.#dropped += 1;
    else this.#counts[slot]! += 1;
  }

  rows(): readonly TallyRow[] {
    return [...this.#slotOf].map(([key, slot]) => ({
      channel: Math.floor(key / this.#patterns),
      pattern: key % this.#patterns,
      count: this.#counts[slot]!,
    }));
  }

  #newSlot(key: number): number {
    const slot = this.#slotOf.size;
    if (slot >= this.#pairsMax) return -1;
    if (slot === this.#counts.length) {
      const grown = new Float64Array(slot * 2);
      grown.set(this.#counts);
      this.#counts = grown;
    }
    this.#slotOf.set(key, slot);
    return slot;
  }
}
