/** Wu and Manber's multi-string search. */
import { KEY_BYTES, KEYS, keyAt, LiteralIndex, type Range } from './literal_index.ts';
import { ORDINARY_TEXT } from './ordinary_text.ts';
import { Hits, type Literal, type Prefilter } from './prefilter.ts';

/** Literals shorter than this are for another search. */
export const LITERAL_BYTES_MIN = KEY_BYTES;
/** Longer windows skip further, but fewer of them are rare. */
const WIDTH_MAX = 8;
const PAIRS = 65_536;
/** Below this many bytes four cursors are not worth their start. */
const FOUR_CURSORS_BYTES_MIN = 512;
/** What it costs to stop at a byte pair, counted in steps. */
const STOP_COST = 6;
/** And what it costs to compare a literal with what stands there. */
const COMPARE_COST = 4;

/**
 * Wu and Manber's search ("A fast algorithm for multi-pattern searching", 1994) with blocks of two bytes.
 * Four cursors walk four quarters of the chunk at once, so that the processor overlaps their chains of loads.
 * Literals that ignore case only add entries to the shift table: the walk itself costs nothing more.
 */
export function wuManber(literals: readonly Literal[], sample: Uint8Array = ORDINARY_TEXT): Prefilter {
  const shortest = Math.min(...literals.map(({ text }) => text.length));
  if (shortest < LITERAL_BYTES_MIN) throw new RangeError(`a literal has ${shortest} bytes, not ${LITERAL_BYTES_MIN}`);
  const needles = new LiteralIndex(literals);
  const width = Math.min(WIDTH_MAX, shortest);
  const search = new Search(width, shiftsOf(literals, needles, { width, sample }), needles);
  return { scan: (bytes, start, end, hits) => search.scan({ bytes, start, end }, hits) };
}

/**
 * How far the walk may go on from a pair, by pair; 0 where it must stop. Each literal may be looked for by any part of
 * it: the one that adds least to what the ones before already cost on such text. Those without a choice go first.
 */
function shiftsOf(
  literals: readonly Literal[],
  needles: LiteralIndex,
  { width, sample }: { readonly width: number; readonly sample: Uint8Array },
): Uint8Array {
  const counts = countsIn(sample);
  const shifts = new Uint8Array(PAIRS).fill(width - 1);
  const order = literals.map((_, at) => at).sort((a, b) => literals[a]!.text.length - literals[b]!.text.length);
  for (const at of order) {
    const bytes = needles.bytesOf(at);
    const pairs = Array.from({ length: bytes.length - 1 }, (_, left) =>
      pairsOf(bytes[left]!, bytes[left + 1]!, literals[at]!.ignoreCase),
    );
    const window = cheapestWindow({ bytes, pairs }, shifts, { width, counts });
    for (const [offset, variants] of pairs.slice(window, window + width - 1).entries()) {
      for (const pair of variants) shifts[pair] = Math.min(shifts[pair]!, width - 2 - offset);
    }
    needles.place(at, window + width - 1);
  }
  return shifts;
}

/** How often pairs and keys occur. */
interface Counts {
  readonly pairs: Float64Array;
  readonly keys: Float64Array;
}

function countsIn(sample: Uint8Array): Counts {
  const pairs = new Float64Array(PAIRS).fill(0.05);
  const keys = new Float64Array(KEYS);
  for (let at = 1; at < sample.length; at += 1) pairs[(sample[at - 1]! << 8) | sample[at]!]! += 1;
  for (let at = KEY_BYTES - 1; at < sample.length; at += 1) keys[keyAt(sample, at)]! += 1;
  return { pairs, keys };
}

const costOf = (shift: number): number => (shift === 0 ? STOP_COST : 1 / shift);

function cheapestWindow(
  { bytes, pairs }: { readonly bytes: Uint8Array; readonly pairs: readonly (readonly number[])[] },
  shifts: Uint8Array,
  { width, counts }: { readonly width: number; readonly counts: Counts },
): number {
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let from = 0; from + width - 1 <= pairs.length; from += 1) {
    let cost = COMPARE_COST * counts.keys[keyAt(bytes, from + width - 1)]!;
    for (let at = 0; at < width - 1; at += 1) {
      const shift = width - 2 - at;
      for (const pair of pairs[from + at]!) {
        if (shift < shifts[pair]!) cost += counts.pairs[pair]! * (costOf(shift) - costOf(shifts[pair]!));
      }
    }
    if (cost < least) [least, best] = [cost, from];
  }
  return best;
}

function pairsOf(left: number, right: number, ignoreCase: boolean): readonly number[] {
  if (!ignoreCase) return [(left << 8) | right];
  const both = (byte: number): number[] => (byte >= 97 && byte <= 122 ? [byte, byte - 32] : [byte]);
  return both(left).flatMap((first) => both(right).map((second) => (first << 8) | second));
}

class Search {
  readonly #width: number;
  readonly #shifts: Uint8Array;
  readonly #needles: LiteralIndex;
  readonly #quarters = [new Hits(), new Hits(), new Hits()] as const;

  constructor(width: number, shifts: Uint8Array, needles: LiteralIndex) {
    this.#width = width;
    this.#shifts = shifts;
    this.#needles = needles;
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
      const shift = shifts[(bytes[at - 1]! << 8) | bytes[at]!]!;
      if (shift !== 0) at += shift;
      else this.#needles.collect(range, at++, hits);
    }
  }

  #walkFour(range: Range, first: number, hits: Hits): void {
    const { bytes, start, end } = range;
    const shifts = this.#shifts;
    const needles = this.#needles;
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
      const shiftA = shifts[(bytes[a - 1]! << 8) | bytes[a]!]!;
      const shiftB = shifts[(bytes[b - 1]! << 8) | bytes[b]!]!;
      const shiftC = shifts[(bytes[c - 1]! << 8) | bytes[c]!]!;
      const shiftD = shifts[(bytes[d - 1]! << 8) | bytes[d]!]!;
      if (shiftA !== 0) a += shiftA;
      else needles.collect(range, a++, hits);
      if (shiftB !== 0) b += shiftB;
      else needles.collect(range, b++, hitsB);
      if (shiftC !== 0) c += shiftC;
      else needles.collect(range, c++, hitsC);
      if (shiftD !== 0) d += shiftD;
      else needles.collect(range, d++, hitsD);
    }
    this.#walk(range, a, endA, hits);
    this.#walk(range, b, endB, hitsB);
    this.#walk(range, c, endC, hitsC);
    this.#walk(range, d, end, hitsD);
  }
}
