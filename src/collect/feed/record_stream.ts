/** Cuts a byte stream into whole records. */
import type { DropReason } from '../../core/chunk.ts';
import { countLines, CR, firstEnd, lastEnd } from '../tail/records.ts';

export interface RecordTaker {
  /** Whole records, in a buffer that is only good during the call. */
  hand(bytes: Buffer, start: number, end: number): void;
  drop(reason: DropReason, lines: number): void;
}

const SLICE_BYTES = 65_536;

/** Cuts a stream of bytes into whole records, as the tail does with a file; holds at most one unfinished record. */
export class RecordStream {
  readonly #taker: RecordTaker;
  readonly #lineBytesMax: number;
  #buffer = Buffer.alloc(0);
  #length = 0;
  #isDropping = false;
  #hasLoneCr = false;

  constructor(lineBytesMax: number, taker: RecordTaker) {
    this.#lineBytesMax = lineBytesMax;
    this.#taker = taker;
  }

  push(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; at += SLICE_BYTES) this.#take(bytes.subarray(at, at + SLICE_BYTES));
  }

  /** Nothing more will come: what has no end yet is the last line. */
  end(): void {
    if (this.#isDropping) this.#taker.drop('line_too_long', 1);
    else if (this.#length > 0) this.push(Buffer.from('\n'));
    this.#isDropping = false;
    this.#length = 0;
  }

  #take(slice: Buffer): void {
    const from = this.#isDropping ? this.#passOver(slice) : 0;
    if (from < 0) return;
    const added = slice.subarray(from);
    this.#makeRoom(added.length);
    // A `\r` that was held back is looked at again, together with what follows it.
    const looked = this.#length - (this.#buffer[this.#length - 1] === CR && this.#length > 0 ? 1 : 0);
    added.copy(this.#buffer, this.#length);
    this.#length += added.length;
    this.#handOver(looked);
  }

  /** The rest of a line that is too long. Gives where the next record begins; -1 when that is not in this slice. */
  #passOver(slice: Buffer): number {
    const end = firstEnd({ bytes: slice, from: 0, to: slice.length, crEnds: true });
    if (end < 0) return -1;
    this.#taker.drop('line_too_long', countLines(slice, 0, end));
    this.#isDropping = false;
    return end;
  }

  #handOver(looked: number): void {
    const [bytes, to] = [this.#buffer, this.#length];
    const crEnds = this.#hasLoneCr;
    const first = firstEnd({ bytes, from: looked, to, crEnds });
    if (first < 0) {
      if (to <= this.#lineBytesMax) return;
      this.#isDropping = true;
      this.#length = 0;
      return;
    }
    const isTooLong = first > this.#lineBytesMax;
    if (isTooLong) this.#taker.drop('line_too_long', countLines(bytes, looked, first));
    const start = isTooLong ? first : 0;
    const end = Math.max(first, lastEnd({ bytes, from: looked, to, known: to, crEnds }));
    if (end > start) this.#taker.hand(bytes, start, end);
    this.#hasLoneCr ||= bytes[end - 1] === CR;
    bytes.copyWithin(0, end, to);
    this.#length = to - end;
  }

  #makeRoom(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#buffer.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.#buffer.length * 2, 4_096));
    this.#buffer.copy(grown, 0, 0, this.#length);
    this.#buffer = grown;
  }
}
