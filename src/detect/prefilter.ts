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

export interface Literal {
  readonly text: string;
  readonly ignoreCase: boolean;
}

/** ASCII lower case of every byte, and every byte itself. */
export const LOWER = Uint8Array.from({ length: 256 }, (_, code) => (code >= 65 && code <= 90 ? code + 32 : code));
export const SAME = Uint8Array.from({ length: 256 }, (_, code) => code);
