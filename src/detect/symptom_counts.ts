/** Counts symptoms by channel and pattern since the start. */

/** Totals since start, by channel and pattern: what the store and the metrics read. */
export interface TallyRow {
  readonly channel: number;
  readonly pattern: number;
  readonly count: number;
}

const SLOTS = 256;
const SPREAD = 0x9e3779b1;

/**
 * Counts (channel, pattern) pairs; a pair takes memory when it first counts. Bounded: a pair too many is only
 * counted. In a storm each line counts here: flat arrays and open addressing, half full at most, take a third of the
 * time of a `Map`.
 */
export class SymptomCounts {
  readonly #patterns: number;
  readonly #pairsMax: number;
  /** Slot + 1 by hash, or 0. */
  #table = new Int32Array(2 * SLOTS);
  #keys = new Float64Array(SLOTS);
  #counts = new Float64Array(SLOTS);
  #used = 0;
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
    const place = this.#placeOf(key);
    const slot = this.#table[place]! - 1;
    if (slot >= 0) this.#counts[slot]! += 1;
    else if (this.#used >= this.#pairsMax) this.#dropped += 1;
    else this.#begin(key, place);
  }

  /** In the order in which the pairs first counted. */
  rows(): readonly TallyRow[] {
    return Array.from(this.#keys.subarray(0, this.#used), (key, slot) => ({
      channel: Math.floor(key / this.#patterns),
      pattern: key % this.#patterns,
      count: this.#counts[slot]!,
    }));
  }

  /** Where the key stands in the table, or where it would. */
  #placeOf(key: number): number {
    const last = this.#table.length - 1;
    let place = (Math.imul(key, SPREAD) >>> 7) & last;
    for (;;) {
      const slot = this.#table[place]! - 1;
      if (slot < 0 || this.#keys[slot] === key) return place;
      place = (place + 1) & last;
    }
  }

  #begin(key: number, place: number): void {
    this.#keys[this.#used] = key;
    this.#counts[this.#used] = 1;
    this.#used += 1;
    this.#table[place] = this.#used;
    if (this.#used === this.#keys.length) this.#grow();
  }

  #grow(): void {
    const size = this.#used * 2;
    const [keys, counts] = [new Float64Array(size), new Float64Array(size)];
    keys.set(this.#keys);
    counts.set(this.#counts);
    this.#keys = keys;
    this.#counts = counts;
    this.#table = new Int32Array(2 * size);
    for (let slot = 0; slot < this.#used; slot += 1) this.#table[this.#placeOf(keys[slot]!)] = slot + 1;
  }
}
