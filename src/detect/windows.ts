/** Counts events in sliding windows. */
import type { MonoMs } from '../core/clock.ts';
import { MINUTE_MS } from '../core/duration.ts';

/** Sliding windows of counts: 60 buckets of one second. */
export const WINDOW_MS = MINUTE_MS;
const BUCKETS = 60;
const BUCKET_MS = WINDOW_MS / BUCKETS;
const COUNT_MAX = 65_535;

/**
 * How often something happened in the last minute, for many (row, column) pairs of which few are active.
 * A pair takes memory (about 140 bytes) when it first counts; a quiet pair's slot is given to the next.
 * Time is monotonic and only moves forward: an older reading counts as the newest seen.
 */
export class Windows {
  readonly #columns: number;
  readonly #slotsMax: number;
  /** By row * columns + column: slot + 1, or 0. */
  #slotOf = new Uint32Array(0);
  #keyOf = new Int32Array(64).fill(-1);
  #counts = new Uint16Array(64 * BUCKETS);
  #sums = new Uint32Array(64);
  /** The second in which the slot last counted, since `#epochMs`. */
  #seconds = new Int32Array(64);
  #used = 0;
  #epochMs: MonoMs | undefined;
  #dropped = 0;

  constructor(columns: number, slotsMax = 1_000_000) {
    this.#columns = columns;
    this.#slotsMax = slotsMax;
  }

  /** Events that found no slot free. */
  get dropped(): number {
    return this.#dropped;
  }

  get active(): number {
    return this.#used;
  }

  /** Counts one event and returns how many lie in the window, this one included. */
  add(row: number, column: number, nowMs: MonoMs): number {
    const slot = this.#slotFor(row, column, nowMs);
    if (slot === undefined) {
      this.#dropped += 1;
      return 1;
    }
    const second = this.#advance(slot, nowMs);
    const cell = slot * BUCKETS + (second % BUCKETS);
    if (this.#counts[cell]! < COUNT_MAX) {
      this.#counts[cell]! += 1;
      this.#sums[slot]! += 1;
    }
    return this.#sums[slot]!;
  }

  /** How many lie in the window that ends now. */
  count(row: number, column: number, nowMs: MonoMs): number {
    const slot = (this.#slotOf[row * this.#columns + column] ?? 0) - 1;
    if (slot < 0) return 0;
    this.#advance(slot, nowMs);
    return this.#sums[slot]!;
  }

  #secondOf(nowMs: MonoMs): number {
    this.#epochMs ??= nowMs - BUCKET_MS;
    return Math.max(0, Math.floor((nowMs - this.#epochMs) / BUCKET_MS));
  }

  /** Forgets the seconds that left the window. */
  #advance(slot: number, nowMs: MonoMs): number {
    const second = Math.max(this.#secondOf(nowMs), this.#seconds[slot]!);
    const passed = Math.min(BUCKETS, second - this.#seconds[slot]!);
    for (let step = 1; step <= passed; step += 1) {
      const cell = slot * BUCKETS + ((second - passed + step) % BUCKETS);
      this.#sums[slot]! -= this.#counts[cell]!;
      this.#counts[cell] = 0;
    }
    this.#seconds[slot] = second;
    return second;
  }

  #slotFor(row: number, column: number, nowMs: MonoMs): number | undefined {
    const key = row * this.#columns + column;
    if (key >= this.#slotOf.length) this.#growRows(key);
    const known = this.#slotOf[key]! - 1;
    if (known >= 0) return known;
    const slot = this.#freeSlot(nowMs);
    if (slot === undefined) return undefined;
    this.#slotOf[key] = slot + 1;
    this.#keyOf[slot] = key;
    this.#seconds[slot] = this.#secondOf(nowMs);
    return slot;
  }

  #freeSlot(nowMs: MonoMs): number | undefined {
    if (this.#used < this.#keyOf.length) return this.#used++;
    this.#release(nowMs);
    if (this.#used < this.#keyOf.length) return this.#used++;
    if (this.#keyOf.length >= this.#slotsMax) return undefined;
    this.#growSlots(Math.min(this.#slotsMax, this.#keyOf.length * 2));
    return this.#used++;
  }

  /** Moves the live slots together, so that the quiet ones are free at the end. */
  #release(nowMs: MonoMs): void {
    let live = 0;
    for (let slot = 0; slot < this.#used; slot += 1) {
      this.#advance(slot, nowMs);
      const key = this.#keyOf[slot]!;
      if (this.#sums[slot] === 0) {
        this.#slotOf[key] = 0;
        continue;
      }
      if (live !== slot) this.#move(slot, live);
      this.#slotOf[key] = live + 1;
      live += 1;
    }
    this.#counts.fill(0, live * BUCKETS, this.#used * BUCKETS);
    this.#sums.fill(0, live, this.#used);
    this.#keyOf.fill(-1, live, this.#used);
    this.#used = live;
  }

  #move(from: number, to: number): void {
    this.#counts.copyWithin(to * BUCKETS, from * BUCKETS, (from + 1) * BUCKETS);
    this.#sums[to] = this.#sums[from]!;
    this.#seconds[to] = this.#seconds[from]!;
    this.#keyOf[to] = this.#keyOf[from]!;
  }

  #growRows(key: number): void {
    const rows = Math.ceil((key + 1) / this.#columns);
    const grown = new Uint32Array(Math.max(64, rows + (rows >> 1)) * this.#columns);
    grown.set(this.#slotOf);
    this.#slotOf = grown;
  }

  #growSlots(size: number): void {
    const extend = <T extends Int32Array | Uint16Array | Uint32Array>(old: T, grown: T): T => {
      grown.set(old);
      return grown;
    };
    this.#counts = extend(this.#counts, new Uint16Array(size * BUCKETS));
    this.#sums = extend(this.#sums, new Uint32Array(size));
    this.#seconds = extend(this.#seconds, new Int32Array(size));
    this.#keyOf = extend(this.#keyOf, new Int32Array(size).fill(-1));
  }
}
