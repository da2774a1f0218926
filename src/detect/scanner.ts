import { ahoCorasick } from './aho_corasick.ts';
import type { Catalogue, Pattern } from './catalogue.ts';
import type { Found } from './line_regex.ts';
import { bothOf, Hits, type Literal, type Prefilter, renumbered } from './prefilter.ts';
import { wuManber } from './wu_manber.ts';

/** A record is looked at this far to each side of what was found in it: no line makes an expression slow. */
export const CLIP_BYTES = 8 * 1024;
/** Below this the shift table of Wu and Manber skips too little. */
const SHIFTING_CHARS_MIN = 4;
/** Words by which a program complains. A record with one of them that no pattern fits is worth remembering. */
const COMPLAINTS = [
  'failed',
  'failure',
  ' error',
  '[error]',
  '"error',
  '=error',
  'ERROR ',
  'ERROR:',
  'ERROR]',
  'Exception',
  'Unable to',
  'unable to',
  'cannot ',
  'Cannot ',
];

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
  const table = literalTable(catalogue);
  const prefilter = prefilterFor(table.literals, sample);
  const hits = new Hits();
  return {
    scan(bytes, start, end, sink) {
      hits.length = 0;
      prefilter.scan(bytes, start, end, hits);
      return new Pass({ bytes, start, end }, { table, catalogue, sink }).run(hits);
    },
  };
}

interface LiteralTable {
  readonly literals: readonly Literal[];
  /** By literal: indices of the patterns that it may belong to. Empty for a complaint. */
  readonly patterns: readonly (readonly number[])[];
  /** By literal: 1 where one of its patterns says more than "this is ordinary". */
  readonly matters: Uint8Array;
}

function literalTable(catalogue: Catalogue): LiteralTable {
  const byKey = new Map<string, { literal: Literal; patterns: number[] }>();
  const entryOf = (text: string, ignoreCase: boolean) => {
    const key = `${ignoreCase ? 'i' : 's'}:${text}`;
    const entry = byKey.get(key) ?? { literal: { text, ignoreCase }, patterns: [] };
    byKey.set(key, entry);
    return entry;
  };
  for (const pattern of catalogue.patterns) {
    for (const text of pattern.literals) entryOf(text, pattern.ignoreCase).patterns.push(pattern.index);
  }
  for (const text of COMPLAINTS) entryOf(text, false);
  const entries = [...byKey.values()];
  const matters = ({ patterns }: { patterns: readonly number[] }): boolean =>
    patterns.some((at) => !catalogue.patterns[at]!.harmless || catalogue.patterns[at]!.notice !== undefined);
  return {
    literals: entries.map(({ literal }) => literal),
    patterns: entries.map(({ patterns }) => patterns),
    matters: Uint8Array.from(entries, (entry) => (matters(entry) ? 1 : 0)),
  };
}

/** One short literal must not cost the others their skips, nor a table of states for all of them its memory. */
function prefilterFor(literals: readonly Literal[], sample: Uint8Array | undefined): Prefilter {
  const isShort = ({ text }: Literal): boolean => text.length < SHIFTING_CHARS_MIN;
  const part = (wanted: boolean) => literals.map((_, at) => at).filter((at) => isShort(literals[at]!) === wanted);
  const [short, long] = [part(true), part(false)];
  if (short.length === 0) return wuManber(literals, sample);
  if (long.length === 0) return ahoCorasick(literals);
  const of = (numbers: readonly number[]) => numbers.map((at) => literals[at]!);
  return bothOf(renumbered(wuManber(of(long), sample), long), renumbered(ahoCorasick(of(short)), short));
}

interface Range {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

interface Parts {
  readonly table: LiteralTable;
  readonly catalogue: Catalogue;
  readonly sink: RecordSink;
}

/** One walk over the hits of one chunk: hits of a record are gathered, then its patterns are tried in rank order. */
class Pass {
  readonly #range: Range;
  readonly #parts: Parts;
  readonly #candidates: number[] = [];
  #matters = false;
  #matchedLines = 0;

  constructor(range: Range, parts: Parts) {
    this.#range = range;
    this.#parts = parts;
  }

  run(hits: Hits): number {
    for (let at = 0; at < hits.length; ) at = this.#record(hits, at);
    return this.#matchedLines;
  }

  /** Handles the record of the hit at `first`; returns the first hit of the next one. */
  #record(hits: Hits, first: number): number {
    const { bytes, start, end } = this.#range;
    const offset = hits.offsetAt(first);
    const from = recordStart(bytes, start, offset);
    const recordEnd = recordEndAfter(bytes, offset, end);
    let next = first + 1;
    while (next < hits.length && hits.offsetAt(next) < recordEnd) next += 1;
    const isLine = recordEnd >= end || bytes[recordEnd] === NEWLINE || bytes[recordEnd + 1] === NEWLINE;
    const whole = { from, to: recordEnd, isLine };
    const matched =
      recordEnd - from <= 2 * CLIP_BYTES
        ? this.#try(whole, hits, first, next)
        : this.#tryLong(whole, hits, first, next);
    if (matched && isLine) this.#matchedLines += 1;
    return next;
  }

  /** A record too long to look at whole: a part around each group of hits, until one fits. */
  #tryLong(whole: Omit<FoundRecord, 'text'>, hits: Hits, first: number, last: number): boolean {
    for (let at = first; at < last; ) {
      const offset = hits.offsetAt(at);
      const from = Math.max(whole.from, offset - CLIP_BYTES);
      const to = Math.min(whole.to, offset + CLIP_BYTES);
      let next = at + 1;
      while (next < last && hits.offsetAt(next) < to - CLIP_BYTES / 2) next += 1;
      if (this.#try({ from, to, isLine: whole.isLine }, hits, at, next)) return true;
      at = next;
    }
    return false;
  }

  #try(part: Omit<FoundRecord, 'text'>, hits: Hits, first: number, last: number): boolean {
    const complains = this.#gather(hits, first, last);
    if (!complains && !this.#matters) return false;
    const { from, to, isLine } = part;
    const record = { text: this.#range.bytes.toString('latin1', from, to), from, to, isLine };
    const { catalogue, sink } = this.#parts;
    for (const candidate of this.#candidates) {
      const pattern = catalogue.patterns[candidate]!;
      const found = pattern.find(record.text);
      if (found === undefined) continue;
      sink.matched(record, pattern, found);
      return true;
    }
    if (complains) sink.complained(record);
    return false;
  }

  /** The patterns whose literals were hit, by rank. Few, so each is put in its place. */
  #gather(hits: Hits, first: number, last: number): boolean {
    const candidates = this.#candidates;
    candidates.length = 0;
    this.#matters = false;
    let complains = false;
    for (let at = first; at < last; at += 1) {
      const literal = hits.literalAt(at);
      const patterns = this.#parts.table.patterns[literal]!;
      if (patterns.length === 0) complains = true;
      if (this.#parts.table.matters[literal] === 1) this.#matters = true;
      for (const pattern of patterns) insert(candidates, pattern);
    }
    return complains;
  }
}

function insert(sorted: number[], value: number): void {
  let at = sorted.length;
  while (at > 0 && sorted[at - 1]! > value) at -= 1;
  if (at > 0 && sorted[at - 1] === value) return;
  sorted.splice(at, 0, value);
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
