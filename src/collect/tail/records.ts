/** Finds the ends of records in a buffer. */
import { readSync } from 'node:fs';

/**
 * Where records end. A line ends with `\n`; a progress record ends with a `\r` that no `\n` follows.
 * Positions are exclusive ends; -1 means that no record ends here.
 */
const LF = 10;
export const CR = 13;

export interface Span {
  readonly bytes: Buffer;
  readonly from: number;
  readonly to: number;
  /** How far the bytes are known. At least `to`; one byte more shows whether a `\r` at `to` belongs to a `\r\n`. */
  readonly known: number;
  /** Take a `\r` as an end although what follows it is not known yet. */
  readonly crEnds: boolean;
}

/** So many bytes are looked at one by one: a view of them costs more. */
const FEW_BYTES = 256;

const lastIn = (bytes: Buffer, byte: number, from: number, to: number): number => {
  if (to - from <= FEW_BYTES) {
    let at = to - 1;
    while (at >= from && bytes[at] !== byte) at -= 1;
    return at < from ? -1 : at;
  }
  const at = bytes.subarray(from, to).lastIndexOf(byte);
  return at < 0 ? -1 : from + at;
};

const firstIn = (bytes: Buffer, byte: number, from: number, to: number): number => {
  const at = bytes.subarray(from, to).indexOf(byte);
  return at < 0 ? -1 : from + at;
};

/** The end of the last whole record in [from, to). */
export function lastEnd({ bytes, from, to, known, crEnds }: Span): number {
  const lf = lastIn(bytes, LF, from, to);
  if (lf === to - 1 && lf >= from) return to;

  const rest = lf < 0 ? from : lf + 1;
  const byLf = lf < 0 ? -1 : lf + 1;
  const cr = lastIn(bytes, CR, rest, to);
  if (cr < 0) return byLf;
  const earlier = lastIn(bytes, CR, rest, cr);
  // Between `rest` and `to` is no `\n`, so only the very last `\r` can belong to one.
  if (cr + 1 < known) return bytes[cr + 1] !== LF ? cr + 1 : earlier < 0 ? byLf : earlier + 1;
  return crEnds || earlier >= 0 ? cr + 1 : byLf;
}

/** The end of the first whole record in [from, to). */
export function firstEnd({ bytes, from, to, crEnds }: Omit<Span, 'known'>): number {
  const lf = firstIn(bytes, LF, from, to);
  const cr = firstIn(bytes, CR, from, lf < 0 ? to : lf);
  if (cr < 0) return lf < 0 ? -1 : lf + 1;
  if (cr + 1 === lf) return lf + 1;
  return cr + 1 < to || crEnds ? cr + 1 : -1;
}

/** After a line feed this many bytes are looked at one by one; past them a search is faster. */
const NEAR_BYTES = 16;

export function countLines(bytes: Buffer, from: number, to: number): number {
  const span = bytes.subarray(from, to);
  let lines = 0;
  for (let at = span.indexOf(LF); at >= 0; at = span.indexOf(LF, at)) {
    const near = Math.min(span.length, at + NEAR_BYTES);
    for (; at < near; at += 1) if (span[at] === LF) lines += 1;
  }
  return lines;
}

/** How far back the beginning of a record is looked for. */
const RECORD_START_BYTES_MAX = 65_536;
/** One for all, because it is needed only during the call: hundreds of files are opened at a start. */
const scratch = Buffer.allocUnsafeSlow(RECORD_START_BYTES_MAX);

/** Where the record begins that the byte at `offset` belongs to; undefined when that is too far back. */
export function recordStart(fd: number, offset: number): number | undefined {
  for (const size of [1_024, RECORD_START_BYTES_MAX]) {
    const wanted = Math.min(offset, size);
    const known = readSync(fd, scratch, 0, wanted, offset - wanted);
    const end = lastEnd({ bytes: scratch, from: 0, to: known, known, crEnds: true });
    if (end >= 0) return offset - wanted + end;
    if (offset === wanted) return 0;
  }
  return undefined;
}
