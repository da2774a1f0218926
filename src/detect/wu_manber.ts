import { Hits, type Literal, LOWER, type Prefilter, SAME } from './prefilter.ts';

/** One literal as the scan compares it. `window` is where in it the window of `width` bytes stands. */
interface Needle {
  readonly bytes: Uint8Array;
  readonly fold: Uint8Array;
  readonly window: number;
  readonly literal: number;
}

/** Below this many bytes four cursors are not worth their start. */
const FOUR_CURSORS_BYTES_MIN = 512;
/** Text that programs write; only the rarity of its byte pairs is used, to choose where in a literal to look. */
const ORDINARY =
  ' [info] [error] [warn] INFO ERROR WARN DEBUG time= frame= fps= size= bitrate= speed= error failed connection ' +
  '2026-11-21T20:58:36.351Z "level":30,"msg":"time":"pid":"hostname":"channel":"GET /live/ HTTP/1.1" 200 Mozilla/5.0 ' +
  'Opening for writing request response stream segment playlist client server upstream code status started ended ';

/**
 * Wu and Manber's search ("A fast algorithm for multi-pattern searching", 1994) with blocks of two bytes.
 * Four cursors walk four quarters of the chunk at once, so that the processor overlaps their chains of loads.
 * Literals that ignore case only add entries to the shift table: the walk itself costs nothing more.
 */
export function wuManber(literals: readonly Literal[], sample: Uint8Array = Buffer.from(ORDINARY)): Prefilter {
  const width = Math.min(8, ...literals.map(({ text }) => text.length));
  const table = new Table(width, pairCounts(sample));
  for (const [at, literal] of literals.entries()) table.add(literal, at);
  return { scan: (bytes, start, end, hits) => table.scan({ bytes, start, end }, hits) };
}

interface Range {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
}

function pairCounts(sample: Uint8Array): Float64Array {
  const counts = new Float64Array(65_536).fill(0.05);
  for (let at = 1; at < sample.length; at += 1) counts[(sample[at - 1]! << 8) | sample[at]!]! += 1;
  return counts;
}

class Table {
  readonly #width: number;
  readonly #pairs: Float64Array;
  readonly #shifts: Uint8Array;
  /** By byte pair: the first link of the chain of needles whose window ends in it, or -1. */
  readonly #chains = new Int32Array(65_536).fill(-1);
  readonly #links: { readonly needle: Needle; readonly next: number }[] = [];
  readonly #quarters = [new Hits(), new Hits(), new Hits()] as const;

  constructor(width: number, pairs: Float64Array) {
    this.#width = width;
    this.#pairs = pairs;
    this.#shifts = new Uint8Array(65_536).fill(width - 1);
  }

  add({ text, ignoreCase }: Literal, literal: number): void {
    const fold = ignoreCase ? LOWER : SAME;
    const bytes = Buffer.from(text, 'latin1').map((byte) => fold[byte]!);
    const window = this.#rarestWindow(bytes);
    const needle = { bytes, fold, window, literal };
    for (let at = 1; at < this.#width; at += 1) {
      const left = bytes[window + at - 1]!;
      const right = bytes[window + at]!;
      for (const pair of pairsOf(left, right, ignoreCase)) {
        const shift = this.#width - 1 - at;
        if (shift < this.#shifts[pair]!) this.#shifts[pair] = shift;
        if (shift !== 0) continue;
        this.#links.push({ needle, next: this.#chains[pair]! });
        this.#chains[pair] = this.#links.length - 1;
      }
    }
  }

  /** The last pair stops the walk, so it weighs most; the others shorten its steps. */
  #rarestWindow(bytes: Uint8Array): number {
    let best = 0;
    let least = Number.POSITIVE_INFINITY;
    for (let from = 0; from + this.#width <= bytes.length; from += 1) {
      let cost = 0;
      for (let at = 1; at < this.#width; at += 1) {
        const weight = at === this.#width - 1 ? 12 : this.#width - at;
        cost += this.#pairs[(bytes[from + at - 1]! << 8) | bytes[from + at]!]! * weight;
      }
      if (cost < least) [least, best] = [cost, from];
    }
    return best;
  }

  scan(range: Range, hits: Hits): void {
    const { start, end } = range;
    const first = start + this.#width - 1;
    if (end - start < FOUR_CURSORS_BYTES_MIN) {
      this.#walk(range, first, end, hits);
      return;
    }
    this.#walkFour(range, first, hits);
    for (const quarter of this.#quarters) {
      for (let at = 0; at < quarter.length; at += 1) hits.add(quarter.offsetAt(at), quarter.literalAt(at));
      quarter.length = 0;
    }
  }

  #walk(range: Range, from: number, to: number, hits: Hits): void {
    const { bytes } = range;
    const shifts = this.#shifts;
    let at = from;
    while (at < to) {
      const pair = (bytes[at - 1]! << 8) | bytes[at]!;
      const shift = shifts[pair]!;
      if (shift !== 0) at += shift;
      else this.#verify(range, at++, pair, hits);
    }
  }

  #walkFour(range: Range, first: number, hits: Hits): void {
    const { bytes, start, end } = range;
    const shifts = this.#shifts;
    const [hitsB, hitsC, hitsD] = this.#quarters;
    const quarter = (end - start) >> 2;
    const endA = start + quarter;
    const endB = endA + quarter;
    const endC = endB + quarter;
    let a = first;
    let b = endA;
    let c = endB;
    let d = endC;
    while (a < endA && b < endB && c < endC && d < end) {
      const pairA = (bytes[a - 1]! << 8) | bytes[a]!;
      const pairB = (bytes[b - 1]! << 8) | bytes[b]!;
      const pairC = (bytes[c - 1]! << 8) | bytes[c]!;
      const pairD = (bytes[d - 1]! << 8) | bytes[d]!;
      const shiftA = shifts[pairA]!;
      const shiftB = shifts[pairB]!;
      const shiftC = shifts[pairC]!;
      const shiftD = shifts[pairD]!;
      if (shiftA !== 0) a += shiftA;
      else this.#verify(range, a++, pairA, hits);
      if (shiftB !== 0) b += shiftB;
      else this.#verify(range, b++, pairB, hitsB);
      if (shiftC !== 0) c += shiftC;
      else this.#verify(range, c++, pairC, hitsC);
      if (shiftD !== 0) d += shiftD;
      else this.#verify(range, d++, pairD, hitsD);
    }
    this.#walk(range, a, endA, hits);
    this.#walk(range, b, endB, hitsB);
    this.#walk(range, c, endC, hitsC);
    this.#walk(range, d, end, hitsD);
  }

  #verify({ bytes, start, end }: Range, at: number, pair: number, hits: Hits): void {
    for (let link = this.#chains[pair]!; link >= 0; ) {
      const { needle, next } = this.#links[link]!;
      link = next;
      const from = at - this.#width + 1 - needle.window;
      const length = needle.bytes.length;
      // The first byte tells most of them apart.
      if (from < start || from + length > end || needle.fold[bytes[from]!] !== needle.bytes[0]) continue;
      let same = 1;
      while (same < length && needle.fold[bytes[from + same]!] === needle.bytes[same]) same += 1;
      if (same === length) hits.add(from, needle.literal);
    }
  }
}

function pairsOf(left: number, right: number, ignoreCase: boolean): readonly number[] {
  if (!ignoreCase) return [(left << 8) | right];
  const both = (byte: number): number[] => (byte >= 97 && byte <= 122 ? [byte, byte - 32] : [byte]);
  return both(left).flatMap((first) => both(right).map((second) => (first << 8) | second));
}
