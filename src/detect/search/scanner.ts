/** Finds the records of a chunk that fit a pattern. */
import { ahoCorasick } from './aho_corasick.ts';
import type { Catalogue, Pattern } from '../patterns/catalogue.ts';
import type { Found } from './line_regex.ts';
import { literalTables, type Owners } from './literal_tables.ts';
import { bothOf, Hits, type Literal, type Prefilter, renumbered } from './prefilter.ts';
import { LITERAL_BYTES_MIN, wuManber } from './wu_manber.ts';
import { trigramSearch } from './trigram_search.ts';
import { Line } from './untrusted_spans.ts';

/** A record is looked at this far to each side of what was found in it: no line makes an expression slow. */
const CLIP_BYTES = 8 * 1024;
/**
 * The most work that one record may make, in the units of `LineRegex.cost` (about 0.75 microseconds each): some three
 * milliseconds. The best ranks come first; a pattern for which too little is left sees only the part around its own
 * literal, and then nothing: an outsider who packs a line with literals must not stop the daemon.
 */
export const RECORD_WORK_MAX = 4_500;
/** So much around its literal a pattern sees when the budget is short: little enough for the platform's engine. */
const NEAR_CHARS = 250;
/** Characters that a search for a literal passes in one unit of work. */
const SEARCHED_CHARS = 2_000;
/** What it takes to look at one part of a long record, before any pattern is tried. */
const PART_WORK = 350;
const NEWLINE = 10;
const RETURN = 13;

/** One record around what was found in it. `text` is latin1, at most 16 KiB; offsets are into the chunk. */
export interface FoundRecord {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  /** Ends in `\n`; the others are progress. */
  readonly isLine: boolean;
}

export interface RecordSink {
  matched(record: FoundRecord, pattern: Pattern, found: Found): void;
  /** It complains, and no pattern knows of what. */
  complained(record: FoundRecord): void;
  /** Patterns whose literals stand in it were not tried, because it would have made too much work. */
  overBudget(record: Omit<FoundRecord, 'text'>): void;
}

/**
 * Finds the records of a chunk that patterns fit. A harmless pattern only keeps lesser ones from alarming: a line that
 * nothing but harmless patterns could fit is not looked at. Not reentrant: it reuses its buffers.
 */
export interface Scanner {
  /** [start, end) holds whole records. Returns how many lines (not progress records) some pattern fitted. */
  scan(bytes: Buffer, start: number, end: number, sink: RecordSink): number;
}

export function createScanner(catalogue: Catalogue, sample?: Uint8Array): Scanner {
  const { telling, ordinary } = literalTables(catalogue);
  const prefilter = prefilterFor(telling.literals, sample);
  const ordinarySearch = prefilterFor(ordinary.literals, sample);
  const pass = new Pass({ telling: telling.owners, ordinary: ordinary.owners, ordinarySearch, catalogue });
  const hits = new Hits();
  return {
    scan(bytes, start, end, sink) {
      hits.length = 0;
      prefilter.scan(bytes, start, end, hits);
      return pass.run({ bytes, start, end, sink }, hits);
    },
  };
}

/** One short literal must not cost the others their skips, nor a table of states for all of them its memory. */
function prefilterFor(literals: readonly Literal[], sample: Uint8Array | undefined): Prefilter {
  const isShort = ({ text }: Literal): boolean => text.length < LITERAL_BYTES_MIN;
  const part = (wanted: boolean) => literals.map((_, at) => at).filter((at) => isShort(literals[at]!) === wanted);
  const [short, long] = [part(true), part(false)];
  if (literals.length === 0) return { scan: () => undefined };
  if (long.length === 0) return ahoCorasick(literals);
  if (short.length === 0) return longSearch(literals, sample);
  const of = (numbers: readonly number[]) => numbers.map((at) => literals[at]!);
  return bothOf(renumbered(longSearch(of(long), sample), long), renumbered(ahoCorasick(of(short)), short));
}

/** So many leave Wu and Manber's search no long skips. */
const MANY_LITERALS = 500;

function longSearch(literals: readonly Literal[], sample: Uint8Array | undefined): Prefilter {
  return (literals.length < MANY_LITERALS ? wuManber : trigramSearch)(literals, sample);
}

type Part = Omit<FoundRecord, 'text'>;

interface Chunk {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  readonly sink: RecordSink;
}

interface Parts {
  readonly telling: Owners;
  readonly ordinary: Owners;
  readonly ordinarySearch: Prefilter;
  readonly catalogue: Catalogue;
}

/** One walk over the hits of one chunk: hits of a record are gathered, then its patterns are tried in rank order. */
class Pass {
  readonly #parts: Parts;
  readonly #candidates: number[] = [];
  readonly #ordinaryHits = new Hits();
  /** Of the record that is looked at now. */
  #workLeft = 0;
  #isCut = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  run(chunk: Chunk, hits: Hits): number {
    let matchedLines = 0;
    for (let at = 0; at < hits.length; ) {
      const offset = hits.offsetAt(at);
      const from = recordStart(chunk.bytes, chunk.start, offset);
      const to = recordEndAfter(chunk.bytes, offset, chunk.end);
      let next = at + 1;
      while (next < hits.length && hits.offsetAt(next) < to) next += 1;
      const isLine = to >= chunk.end || chunk.bytes[to] === NEWLINE || chunk.bytes[to + 1] === NEWLINE;
      if (this.#record(chunk, { from, to, isLine }, hits, [at, next]) && isLine) matchedLines += 1;
      at = next;
    }
    return matchedLines;
  }

  #record(chunk: Chunk, whole: Part, hits: Hits, [first, next]: readonly [number, number]): boolean {
    this.#workLeft = RECORD_WORK_MAX;
    this.#isCut = false;
    const isLong = whole.to - whole.from > 2 * CLIP_BYTES;
    const fitted = isLong
      ? this.#tryLong(chunk, whole, hits, [first, next])
      : this.#try(chunk, whole, this.#gather(hits, first, next));
    if (this.#isCut && !fitted) chunk.sink.overBudget(whole);
    return fitted;
  }

  /** A record too long to look at whole: a part around each group of hits, until one fits. */
  #tryLong(chunk: Chunk, whole: Part, hits: Hits, [first, last]: readonly [number, number]): boolean {
    for (let at = first; at < last; ) {
      this.#workLeft -= PART_WORK;
      this.#isCut ||= this.#workLeft <= 0;
      if (this.#workLeft <= 0) return false;
      const offset = hits.offsetAt(at);
      const from = Math.max(whole.from, offset - CLIP_BYTES);
      const to = Math.min(whole.to, offset + CLIP_BYTES);
      let next = at + 1;
      while (next < last && hits.offsetAt(next) < to - CLIP_BYTES / 2) next += 1;
      if (this.#try(chunk, { from, to, isLine: whole.isLine }, this.#gather(hits, at, next))) return true;
      at = next;
    }
    return false;
  }

  #try({ bytes, sink }: Chunk, part: Part, complains: boolean): boolean {
    const { from, to, isLine } = part;
    this.#gatherOrdinary(bytes, from, to);
    const record = { text: bytes.toString('latin1', from, to), from, to, isLine };
    const line = new Line(record.text);
    const { patterns } = this.#parts.catalogue;
    for (const candidate of this.#candidates) {
      const pattern = patterns[candidate]!;
      const found = this.#find(pattern, line);
      if (found === undefined) continue;
      sink.matched(record, pattern, found);
      return true;
    }
    if (complains) sink.complained(record);
    return false;
  }

  /** Within what is left of the record's budget. */
  #find(pattern: Pattern, line: Line): Found | undefined {
    const { text } = line;
    const cost = pattern.cost(text.length);
    if (cost <= this.#workLeft) {
      this.#workLeft -= cost;
      return pattern.find(text, line);
    }
    this.#isCut = true;
    const searchCost = (pattern.literals.length * text.length) / SEARCHED_CHARS;
    if (searchCost + pattern.cost(NEAR_CHARS) > this.#workLeft) return undefined;
    const at = Math.max(0, ...pattern.literals.map((literal) => text.indexOf(literal)));
    const from = Math.max(0, at - NEAR_CHARS);
    const near = text.slice(from, at + NEAR_CHARS);
    // By its own length: a shorter text can cost more, where it is left to the platform's engine.
    const nearCost = searchCost + pattern.cost(near.length);
    if (nearCost > this.#workLeft) return undefined;
    this.#workLeft -= nearCost;
    const found = pattern.find(near);
    return found && { ...found, index: found.index + from, end: found.end + from };
  }

  /** The patterns whose literals were hit, by rank. Few, so each is put in its place. True where it complains. */
  #gather(hits: Hits, first: number, last: number): boolean {
    this.#candidates.length = 0;
    let complains = false;
    for (let at = first; at < last; at += 1) {
      if (!this.#parts.telling.addTo(this.#candidates, hits.literalAt(at))) complains = true;
    }
    return complains;
  }

  /** A harmless pattern of a better rank keeps the others from alarming. */
  #gatherOrdinary(bytes: Buffer, from: number, to: number): void {
    const hits = this.#ordinaryHits;
    hits.length = 0;
    this.#parts.ordinarySearch.scan(bytes, from, to, hits);
    for (let at = 0; at < hits.length; at += 1) this.#parts.ordinary.addTo(this.#candidates, hits.literalAt(at));
  }
}

function recordStart(bytes: Buffer, start: number, offset: number): number {
  let at = offset - 1;
  while (at >= start && bytes[at] !== NEWLINE && bytes[at] !== RETURN) at -= 1;
  return at + 1;
}

function recordEndAfter(bytes: Buffer, offset: number, end: number): number {
  let at = offset;
  while (at < end && bytes[at] !== NEWLINE && bytes[at] !== RETURN) at += 1;
  return at;
}
