/** Searches for thousands of literals by groups of three bytes. */
import { KEY_BYTES, KEYS, keyAt, LiteralIndex, type Range } from './literal_index.ts';
import { ORDINARY_TEXT } from './ordinary_text.ts';
import type { Hits, Literal, Prefilter } from './prefilter.ts';

/** Four bytes of a literal: two trigrams, of which one is met by every walk in steps of two. */
const WINDOW_BYTES = KEY_BYTES;
const SLOT_BITS = 16;
const SLOTS = 1 << SLOT_BITS;
/** Makes capitals and small letters alike. Other bytes fall together too: a slot only rules out. */
const FOLDED = 0x20202020;
const SPREAD = 0x9e3779b1;
/** What it costs to stop at a trigram, and to compare a literal with what stands there, counted in steps. */
const STOP_COST = 12;
const COMPARE_COST = 8;

/** Of the last three of the four bytes that end at `at`. */
const slotAt = (view: DataView, at: number): number =>
  Math.imul((view.getInt32(at - 3, true) | FOLDED) >>> 8, SPREAD) >>> (32 - SLOT_BITS);

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/**
 * Finds every occurrence of literals of at least four bytes; a shorter one is a `RangeError`. Each is known by two
 * trigrams that follow each other, and every other trigram of the text is looked at: one of the two always is. With
 * thousands of literals Wu and Manber's search skips no further than that, and its next place hangs on what the last
 * one held; here the processor reads ahead.
 */
export function trigramSearch(literals: readonly Literal[], sample: Uint8Array = ORDINARY_TEXT): Prefilter {
  const shortest = Math.min(...literals.map(({ text }) => text.length));
  if (shortest < WINDOW_BYTES) throw new RangeError(`a literal has ${shortest} bytes, not ${WINDOW_BYTES}`);
  const needles = new LiteralIndex(literals);
  const stops = stopsOf(literals, needles, sample);
  return { scan: (bytes, start, end, hits) => walk({ bytes, start, end }, stops, needles, hits) };
}

/** By slot: 1 where the walk must stop. Of each literal the four bytes that such text holds least are looked for. */
function stopsOf(literals: readonly Literal[], needles: LiteralIndex, sample: Uint8Array): Uint8Array {
  const { slots, keys } = countsIn(sample);
  const stops = new Uint8Array(SLOTS);
  const costOf = (slot: number): number => (stops[slot] === 1 ? 0 : STOP_COST * slots[slot]! + 0.001);
  // Those without a choice go first.
  const order = literals.map((_, at) => at).sort((a, b) => literals[a]!.text.length - literals[b]!.text.length);
  for (const literal of order) {
    // One byte ahead, so that the first trigram has one before it.
    const bytes = Buffer.concat([Buffer.alloc(1), needles.bytesOf(literal)]);
    const view = viewOf(bytes);
    let [best, least] = [0, Number.POSITIVE_INFINITY];
    for (let end = WINDOW_BYTES; end < bytes.length; end += 1) {
      const cost = costOf(slotAt(view, end - 1)) + costOf(slotAt(view, end)) + COMPARE_COST * keys[keyAt(bytes, end)]!;
      if (cost < least) [best, least] = [end, cost];
    }
    stops[slotAt(view, best - 1)] = 1;
    stops[slotAt(view, best)] = 1;
    needles.place(literal, best - 1);
  }
  return stops;
}

/** How often slots and keys occur. */
function countsIn(sample: Uint8Array): { readonly slots: Uint32Array; readonly keys: Uint32Array } {
  const slots = new Uint32Array(SLOTS);
  const keys = new Uint32Array(KEYS);
  const view = viewOf(sample);
  for (let at = KEY_BYTES - 1; at < sample.length; at += 1) {
    slots[slotAt(view, at)]! += 1;
    keys[keyAt(sample, at)]! += 1;
  }
  return { slots, keys };
}

function walk(range: Range, stops: Uint8Array, needles: LiteralIndex, hits: Hits): void {
  const { bytes, start, end } = range;
  const view = viewOf(bytes);
  let at = start + 3;
  for (; at + 6 < end; at += 8) {
    const one = stops[slotAt(view, at)]!;
    const two = stops[slotAt(view, at + 2)]!;
    const three = stops[slotAt(view, at + 4)]!;
    const four = stops[slotAt(view, at + 6)]!;
    if ((one | two | three | four) === 0) continue;
    if (one !== 0) collect(range, at, needles, hits);
    if (two !== 0) collect(range, at + 2, needles, hits);
    if (three !== 0) collect(range, at + 4, needles, hits);
    if (four !== 0) collect(range, at + 6, needles, hits);
  }
  for (; at < end; at += 2) if (stops[slotAt(view, at)] !== 0) collect(range, at, needles, hits);
}

/** The trigram that ends at `at` is the second of a window, or the first of one that ends a byte later. */
function collect(range: Range, at: number, needles: LiteralIndex, hits: Hits): void {
  needles.collect(range, at, hits);
  if (at + 1 < range.end) needles.collect(range, at + 1, hits);
}
