/** Indexes literals by their last bytes. */
import { type Hits, type Literal, LOWER } from './prefilter.ts';

/** How many bytes at the end of a window distinguish its literals from nearly everything else. */
export const KEY_BYTES = 4;
export const KEYS = 65_536;
/** Makes capitals and small letters alike. Other bytes fall together too: a key only rules out. */
const FOLDED = 0x20202020;
const SPREAD = 0x9e3779b1;

export interface Range {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
}

/** Of the four bytes that end at `at`. */
export const keyAt = (bytes: Uint8Array, at: number): number =>
  Math.imul(bytes[at - 3]! | (bytes[at - 2]! << 8) | (bytes[at - 1]! << 16) | (bytes[at]! << 24) | FOLDED, SPREAD) >>>
  16;

/**
 * The literals of a search, by the last bytes of their windows. Most places where the search stops hold none of them,
 * and one look into eight kilobytes says so; all there is lies in flat arrays, so that the rest takes few loads.
 */
export class LiteralIndex {
  readonly #bytes: Uint8Array;
  readonly #starts: Int32Array;
  readonly #foldsCase: Uint8Array;
  /** By literal: the end of its window, from its first byte. */
  readonly #windowEnds: Int32Array;
  readonly #filter = new Uint8Array(KEYS / 8);
  /** By key: the first literal, plus one; and from literal to literal of the same key. Narrow, to stay in the cache. */
  readonly #first: Uint16Array | Uint32Array;
  readonly #next: Uint16Array | Uint32Array;

  constructor(literals: readonly Literal[]) {
    const count = literals.length;
    this.#starts = new Int32Array(count + 1);
    this.#foldsCase = new Uint8Array(count);
    this.#windowEnds = new Int32Array(count);
    const Links = count < 65_535 ? Uint16Array : Uint32Array;
    this.#first = new Links(KEYS);
    this.#next = new Links(count);
    this.#bytes = Buffer.from(literals.map(({ text }) => text).join(''), 'latin1');
    literals.forEach(({ text, ignoreCase }, at) => {
      const start = this.#starts[at]!;
      this.#starts[at + 1] = start + text.length;
      if (!ignoreCase) return;
      this.#foldsCase[at] = 1;
      for (let byte = start; byte < start + text.length; byte += 1) this.#bytes[byte] = LOWER[this.#bytes[byte]!]!;
    });
  }

  /** The literal's bytes, in lower case where case is ignored. */
  bytesOf(literal: number): Uint8Array {
    return this.#bytes.subarray(this.#starts[literal], this.#starts[literal + 1]);
  }

  /** Says where the window of a literal ends. */
  place(literal: number, windowEnd: number): void {
    this.#windowEnds[literal] = windowEnd;
    const key = keyAt(this.#bytes, this.#starts[literal]! + windowEnd);
    this.#filter[key >> 3]! |= 1 << (key & 7);
    this.#next[literal] = this.#first[key]!;
    this.#first[key] = literal + 1;
  }

  /** Adds the literals whose window ends at `at`. */
  collect(range: Range, at: number, hits: Hits): void {
    const key = keyAt(range.bytes, at);
    if (((this.#filter[key >> 3]! >> (key & 7)) & 1) === 1) this.#compare(range, at, key, hits);
  }

  #compare({ bytes, start, end }: Range, at: number, key: number, hits: Hits): void {
    for (let link = this.#first[key]!; link !== 0; link = this.#next[link - 1]!) {
      const literal = link - 1;
      const from = at - this.#windowEnds[literal]!;
      const needle = this.#starts[literal]!;
      const length = this.#starts[literal + 1]! - needle;
      if (from < start || from + length > end) continue;
      if (this.#isAt(bytes, from, needle, { length, folds: this.#foldsCase[literal] === 1 })) hits.add(from, literal);
    }
  }

  #isAt(bytes: Uint8Array, from: number, needle: number, how: { length: number; folds: boolean }): boolean {
    for (let at = 0; at < how.length; at += 1) {
      const byte = bytes[from + at]!;
      if ((how.folds ? LOWER[byte] : byte) !== this.#bytes[needle + at]) return false;
    }
    return true;
  }
}
