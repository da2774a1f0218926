// What may stand at the first places of whatever an expression matches: it distinguishes two ways without trying them.
import type { CodeSet, RegexNode } from './regex.ts';

/**
 * For each of the first places the codes that any way may have there, as bits. A place that some way never comes to
 * holds every code.
 */
export type Head = Uint32Array;

/** Two ways are distinguished within so many characters, or not at all. */
const LOOK_AHEAD = 12;
const BEYOND = 2 ** LOOK_AHEAD - 1;
/** Words of 32 codes. */
const WORDS = 8;

const known = new WeakMap<CodeSet, Uint32Array>();

function wordsOf(codes: CodeSet): Uint32Array {
  const before = known.get(codes);
  if (before !== undefined) return before;
  const words = new Uint32Array(WORDS);
  for (let code = codes.indexOf(1); code >= 0; code = codes.indexOf(1, code + 1)) words[code >> 5]! |= 1 << (code & 31);
  known.set(codes, words);
  return words;
}

/** The head of what stands in line. Behind its end anything may come. */
export function headOf(items: readonly RegexNode[]): Head {
  const head = new Uint32Array(LOOK_AHEAD * WORDS);
  const ends = placesAfter(items, 1, head);
  return head.fill(0xffffffff, lowest(ends) * WORDS);
}

/** Places are bits: where a node may begin, and where what comes after it may. */
function placesAfter(items: readonly RegexNode[], from: number, head: Head): number {
  let places = from;
  for (const item of items) {
    if (places === 0) break;
    places = placesAfterOne(item, places, head);
  }
  return places;
}

function placesAfterOne(item: RegexNode, from: number, head: Head): number {
  switch (item.kind) {
    case 'edge':
      return from;
    case 'set':
      return placesAfterSet(wordsOf(item.codes), from, head);
    case 'sequence':
      return placesAfter(item.items, from, head);
    case 'choice':
      return item.items.reduce((ends, each) => ends | placesAfterOne(each, from, head), 0);
    case 'repeat':
      return placesAfterRepeat(item, from, head);
  }
}

function placesAfterSet(words: Uint32Array, from: number, head: Head): number {
  for (let left = from; left !== 0; left &= left - 1) {
    const place = lowest(left) * WORDS;
    for (let word = 0; word < WORDS; word += 1) head[place + word]! |= words[word]!;
  }
  return (from << 1) & BEYOND;
}

type Repeat = Extract<RegexNode, { kind: 'repeat' }>;

/** More rounds than there are places, or one that leads nowhere new, add nothing. */
function placesAfterRepeat({ item, min, max }: Repeat, from: number, head: Head): number {
  let [ends, places] = [min === 0 ? from : 0, from];
  for (let round = 1; round <= Math.min(max, min + LOOK_AHEAD) && places !== 0; round += 1) {
    places = placesAfterOne(item, places, head);
    if (round < min) continue;
    if ((places & ~ends) === 0) break;
    ends |= places;
  }
  return ends;
}

/** The lowest bit; `LOOK_AHEAD` when there is none. */
const lowest = (bits: number): number => (bits === 0 ? LOOK_AHEAD : 31 - Math.clz32(bits & -bits));

/** No text can begin in both ways. */
export function areApart(one: Head, other: Head): boolean {
  for (let place = 0; place < LOOK_AHEAD * WORDS; place += WORDS)
    if (!haveCommon(one, place, other, place)) return true;
  return false;
}

/** No code is in both. */
export const areDisjoint = (one: CodeSet, other: CodeSet): boolean => !haveCommon(wordsOf(one), 0, wordsOf(other), 0);

function haveCommon(one: Uint32Array, at: number, other: Uint32Array, otherAt: number): boolean {
  for (let word = 0; word < WORDS; word += 1) if ((one[at + word]! & other[otherAt + word]!) !== 0) return true;
  return false;
}

/** How many characters after one beginning the next can stand at the soonest. */
export function periodOf(head: Head): number {
  for (let shift = 1; shift < LOOK_AHEAD; shift += 1) if (canFollow(head, shift)) return shift;
  return LOOK_AHEAD;
}

function canFollow(head: Head, shift: number): boolean {
  for (let place = 0; place < LOOK_AHEAD - shift; place += 1) {
    if (!haveCommon(head, (place + shift) * WORDS, head, place * WORDS)) return false;
  }
  return true;
}
