/** Keeps where literals stand in a chunk, record by record. */

/** Where literals stand in a chunk, record by record. Reused from chunk to chunk. */
export class Hits {
  #offsets = new Int32Array(1024);
  #literals = new Int32Array(1024);
  length = 0;

  add(offset: number, literal: number): void {
    if (this.length === this.#offsets.length) this.#grow();
    this.#offsets[this.length] = offset;
    this.#literals[this.length] = literal;
    this.length += 1;
  }

  offsetAt(at: number): number {
    return this.#offsets[at]!;
  }

  literalAt(at: number): number {
    return this.#literals[at]!;
  }

  #grow(): void {
    const offsets = new Int32Array(this.length * 2);
    const literals = new Int32Array(this.length * 2);
    offsets.set(this.#offsets);
    literals.set(this.#literals);
    this.#offsets = offsets;
    this.#literals = literals;
  }
}

/** Finds every occurrence of a fixed set of literals in bytes. */
export interface Prefilter {
  /** Appends the offset of the first byte of each literal in [start, end); hits of a later line never come first. */
  scan(bytes: Uint8Array, start: number, end: number, hits: Hits): void;
}

/** Two searches over one chunk, their hits in one order. */
export function bothOf(one: Prefilter, other: Prefilter): Prefilter {
  const [left, right] = [new Hits(), new Hits()];
  return {
    scan(bytes, start, end, hits) {
      left.length = 0;
      right.length = 0;
      one.scan(bytes, start, end, left);
      other.scan(bytes, start, end, right);
      let at = 0;
      for (let next = 0; next < left.length; next += 1) {
        const offset = left.offsetAt(next);
        for (; at < right.length && right.offsetAt(at) < offset; at += 1) {
          hits.add(right.offsetAt(at), right.literalAt(at));
        }
        hits.add(offset, left.literalAt(next));
      }
      for (; at < right.length; at += 1) hits.add(right.offsetAt(at), right.literalAt(at));
    },
  };
}

/** The hits of a search over some of the literals, numbered as in the whole set. */
export function renumbered(search: Prefilter, numbers: readonly number[]): Prefilter {
  const own = new Hits();
  return {
    scan(bytes, start, end, hits) {
      own.length = 0;
      search.scan(bytes, start, end, own);
      for (let at = 0; at < own.length; at += 1) hits.add(own.offsetAt(at), numbers[own.literalAt(at)]!);
    },
  };
}

export interface Literal {
  readonly text: string;
  readonly ignoreCase: boolean;
}

/** ASCII lower case of every byte. */
export const LOWER = Uint8Array.from({ length: 256 }, (_, code) => (code >= 65 && code <= 90 ? code + 32 : code));
