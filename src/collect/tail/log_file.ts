/** Reads one open log file from its offset. */
import { type BigIntStats, fstatSync, readSync } from 'node:fs';
import type { Checkpoint, DropReason } from '../../core/chunk.ts';
import type { MonoMs } from '../../core/clock.ts';
import { invariant } from '../../core/errors.ts';
import { beginsAs, closeQuietly, type FileId, type Head, headNow, headOf, keyOfId } from './identity.ts';
import { CR, countLines, firstEnd, lastEnd, recordStart } from './records.ts';
import { ANCHOR_BYTES, type Reader } from './reader.ts';

/**
 * One open file and how far it was read. `offset` is always the end of a record, and moves in the same step as the
 * counts. Bytes of an unfinished record are not kept: `scanned` remembers that they hold no end, and they are read
 * again when the end has come.
 */
export class LogFile {
  readonly fd: number;
  readonly id: FileId;
  readonly key: string;
  /** Where it was found. */
  path: string;
  /** Undefined while it stands at its path; else since when it does not. */
  detachedMs: MonoMs | undefined;
  /** Another file stands at its path. */
  replaced = false;
  /** Read only after this one was read to its end: the generation before. */
  after: LogFile | undefined;
  /** When it last had something new. */
  grownMs: MonoMs;
  offset = 0;
  size: number;
  #scanned = 0;
  #backlogEnd = 0;
  #skipUntil = 0;
  /** The present record is not wanted: its rest is passed over and it counts as dropped. */
  #dropping: DropReason | undefined;
  /** A lone `\r` was seen, so one at the end of the file ends a record, too. */
  #hasLoneCr = false;
  /** The size at which the file ended in a `\r` of which it is not known yet what follows. */
  #heldAt = -1;
  #head: Head;
  #isClosed = false;
  readonly #anchor = Buffer.alloc(ANCHOR_BYTES);
  #anchored = 0;

  constructor(path: string, opened: { readonly fd: number; readonly stat: BigIntStats }, nowMs: MonoMs) {
    this.fd = opened.fd;
    this.path = path;
    this.id = { device: opened.stat.dev, inode: opened.stat.ino };
    this.key = keyOfId(this.id);
    this.size = Number(opened.stat.size);
    this.grownMs = nowMs;
    this.#head = headOf(opened.fd);
  }

  /** What is there now counts as backlog; of it about the last `bytes` are read, from the beginning of a line. */
  beginAtEnd(bytes: number): void {
    this.#backlogEnd = this.size;
    const wanted = Math.max(0, this.size - bytes);
    const start = recordStart(this.fd, wanted);
    this.offset = start ?? wanted;
    this.#scanned = this.offset;
    if (start === undefined) this.#dropping = 'backlog_cut';
  }

  /** From the first byte. With `backlog` what is there now is evidence of nothing. */
  beginAtStart(backlog: boolean): void {
    this.#backlogEnd = backlog ? this.size : 0;
  }

  /** From where the checkpoint ends. False when the file no longer holds what was read: then from its start. */
  resume(checkpoint: Checkpoint): boolean {
    this.#backlogEnd = this.size;
    const { offset } = checkpoint;
    const fits = offset <= this.size && beginsAs(this.fd, checkpoint) && recordStart(this.fd, offset) === offset;
    if (!fits) return false;
    this.offset = offset;
    this.#scanned = offset;
    this.#anchored = Math.min(ANCHOR_BYTES, offset);
    readSync(this.fd, this.#anchor, 0, this.#anchored, offset - this.#anchored);
    return true;
  }

  get isDetached(): boolean {
    return this.detachedMs !== undefined;
  }

  get behindBytes(): number {
    return Math.max(0, this.size - this.#scanned);
  }

  /** The file ends in a `\r` that waits for what follows. */
  get isHolding(): boolean {
    return this.#heldAt === this.size;
  }

  /** Everything up to the present end goes by, counted: for a rotated file for which there is no room. */
  skipAll(): void {
    this.#skipUntil = this.size;
  }

  /** One bounded step. Returns the bytes that were looked at; 0 when there is nothing to do now. */
  read(reader: Reader<LogFile>, bytesMax: number, flush: boolean): number {
    // A closed descriptor's number may by now belong to another file.
    if (this.#isClosed) return 0;
    const added = this.#isPlain ? this.#readOn(reader, bytesMax, flush) : undefined;
    if (added !== undefined) return added;
    const { limits } = reader;
    this.size = fstatSync(this.fd).size;
    if (this.size < this.offset) this.#restart(reader, 'truncated');
    if (this.size < this.#scanned) this.#scanned = this.offset;
    if (this.#scanned >= this.size || (this.isHolding && !flush)) return 0;

    const behind = this.size - this.#scanned;
    if (this.offset >= this.#skipUntil && behind > limits.floodBytes) {
      this.#skipUntil = this.size - limits.floodKeepBytes;
      reader.flooded(this, this.#skipUntil - this.offset);
    }
    if (this.#dropping !== undefined) return this.#passOver(reader, this.#dropping, flush);
    if (this.offset < this.#skipUntil) return this.#skip(reader);
    if (this.#scanned === this.offset) return this.#hand(reader, bytesMax, flush);
    const end = this.#endAhead(reader, bytesMax, flush);
    return end < 0 ? bytesMax : this.#hand(reader, Math.max(bytesMax, end - this.offset), flush);
  }

  #restart(reader: Reader<LogFile>, kind: 'truncated' | 'rewritten'): void {
    // Of the unfinished record the beginning was read and the end will never come.
    if (this.#scanned > this.offset || this.#dropping !== undefined) reader.drop('source_lost', 1);
    this.offset = 0;
    this.#scanned = 0;
    this.#skipUntil = 0;
    this.#dropping = undefined;
    this.#anchored = 0;
    this.#heldAt = -1;
    this.#head = headOf(this.fd);
    // After a truncation everything is new. What a rewritten file holds may be old: that is evidence of nothing.
    this.#backlogEnd = kind === 'rewritten' ? this.size : 0;
    reader.gap(this, kind);
  }

  /**
   * Where the unfinished record ends; -1 when that is not known yet or it is too long. Looks only at what has not
   * been looked at: a slow long line costs its length, not its square.
   */
  #endAhead(reader: Reader<LogFile>, bytesMax: number, flush: boolean): number {
    const { shared, limits } = reader;
    const length = readSync(this.fd, shared, 0, Math.min(bytesMax, shared.length), this.#scanned);
    const atEnd = this.#scanned + length >= this.size;
    const crEnds = atEnd && (flush || this.#hasLoneCr);
    const end = firstEnd({ bytes: shared, from: 0, to: length, crEnds });
    const position = this.#scanned + end;
    if (end < 0) this.#noEndIn(shared, length, atEnd);
    const lengthKnown = (end < 0 ? this.#scanned : position) - this.offset;
    if (lengthKnown > limits.lineBytesMax) this.#dropping = 'line_too_long';
    return end < 0 || this.#dropping !== undefined ? -1 : position;
  }

  /** Remembers that the bytes after `scanned` hold no end; a `\r` at their end is left to be looked at again. */
  #noEndIn(bytes: Buffer, length: number, atEnd: boolean, from = 0): void {
    const holds = length > 0 && bytes[from + length - 1] === CR;
    this.#scanned += holds ? length - 1 : length;
    this.#heldAt = holds && atEnd ? this.size : -1;
  }

  /** It stands at the end of a record, and nothing is passed over or waited for. */
  get #isPlain(): boolean {
    const isWhole = this.#scanned === this.offset && this.#heldAt < 0 && this.#dropping === undefined;
    return isWhole && this.offset >= this.#skipUntil;
  }

  /**
   * Reads what was added, mostly a few lines: that the read ends early shows how long the file is. Undefined where that
   * takes a closer look: it is shorter than it was, or longer than is read at once.
   */
  #readOn(reader: Reader<LogFile>, bytesMax: number, flush: boolean): number | undefined {
    const wanted = Math.min(bytesMax, reader.limits.lineBytesMax, reader.limits.floodBytes);
    const length = this.#readAfterAnchor(reader, wanted);
    if (length < 0 || length >= wanted) return undefined;
    this.size = this.offset + length;
    return length === 0 ? 0 : this.#take(reader, length, flush);
  }

  /** The bytes before the offset, and so many after it; how many came of these. */
  #readAfterAnchor({ shared }: Reader<LogFile>, wanted: number): number {
    return readSync(this.fd, shared, 0, this.#anchored + wanted, this.offset - this.#anchored) - this.#anchored;
  }

  #hand(reader: Reader<LogFile>, bytesMax: number, flush: boolean): number {
    const length = this.#readAfterAnchor(reader, Math.min(bytesMax, reader.limits.lineBytesMax));
    return length <= 0 ? 0 : this.#take(reader, length, flush);
  }

  #take(reader: Reader<LogFile>, length: number, flush: boolean): number {
    const { shared, limits } = reader;
    const from = this.#anchored;
    if (shared.compare(this.#anchor, 0, from, 0, from) !== 0) {
      this.#restart(reader, 'rewritten');
      return 1;
    }
    const known = from + length;
    const atEnd = this.offset + length >= this.size;
    const backlog = this.offset < this.#backlogEnd;
    const crEnds = atEnd && (flush || this.#hasLoneCr);
    const to = backlog ? Math.min(known, from + this.#backlogEnd - this.offset) : known;
    let end = lastEnd({ bytes: shared, from, to, known, crEnds: crEnds && to === known });
    // A record that began in the backlog belongs to it, wherever it ends.
    if (end < 0 && to < known) end = firstEnd({ bytes: shared, from, to: known, crEnds });
    if (end > from && shared[end - 1] === CR && !flush) this.#hasLoneCr = true;

    this.#scanned = this.offset;
    if (end < 0) {
      this.#noEndIn(shared, length, atEnd, from);
      if (length >= limits.lineBytesMax) this.#dropping = 'line_too_long';
      return length;
    }
    reader.hand(this, { start: from, end, backlog });
    this.#moveTo(this.offset + end - from, shared, end);
    // At the end of the file the rest is unfinished; elsewhere it was cut by this read.
    if (atEnd && to === known && end < known) this.#noEndIn(shared, known - end, atEnd, end);
    return length;
  }

  #moveTo(offset: number, bytes: Buffer, end: number): void {
    invariant(offset > this.offset, `a read of ${this.path} did not move on from ${this.offset}`);
    this.offset = offset;
    this.#scanned = offset;
    this.#heldAt = -1;
    this.#anchored = Math.min(ANCHOR_BYTES, end);
    bytes.copy(this.#anchor, 0, end - this.#anchored, end);
  }

  /** The rest of a record that is not wanted. The offset stays before it, so that a crash cannot cut it in two. */
  #passOver(reader: Reader<LogFile>, reason: DropReason, flush: boolean): number {
    const { shared } = reader;
    const length = readSync(this.fd, shared, 0, shared.length, this.#scanned);
    const atEnd = this.#scanned + length >= this.size;
    const end = firstEnd({ bytes: shared, from: 0, to: length, crEnds: atEnd && (flush || this.#hasLoneCr) });
    if (end < 0) {
      this.#noEndIn(shared, length, atEnd);
      return Math.max(1, length);
    }
    reader.drop(reason, countLines(shared, 0, end));
    this.#dropping = undefined;
    this.#moveTo(this.#scanned + end, shared, end);
    return end;
  }

  /** Whole records that are skipped: counted, so that the account stays exact. */
  #skip(reader: Reader<LogFile>): number {
    const { shared } = reader;
    const length = readSync(this.fd, shared, 0, shared.length, this.offset);
    const to = Math.min(length, this.#skipUntil - this.offset);
    let end = lastEnd({ bytes: shared, from: 0, to, known: length, crEnds: false });
    if (end < 0 && to < length) end = firstEnd({ bytes: shared, from: to, to: length, crEnds: false });
    if (end < 0) {
      this.#skipUntil = 0;
      this.#scanned = this.offset;
      this.#noEndIn(shared, length, this.offset + length >= this.size);
      if (length === shared.length) this.#dropping = 'line_too_long';
      return Math.max(1, length);
    }
    reader.drop(this.offset < this.#backlogEnd ? 'backlog_cut' : 'flood', countLines(shared, 0, end));
    this.#moveTo(this.offset + end, shared, end);
    return end;
  }

  /** The writer is gone for good: what it left without a line's end is its last line. */
  finish(reader: Reader<LogFile>): void {
    const { shared } = reader;
    if (this.#dropping !== undefined) return reader.drop(this.#dropping, 1);
    const length = readSync(this.fd, shared, 0, shared.length - 1, this.offset);
    if (length === 0) return;
    shared[length] = 10;
    reader.hand(this, { start: 0, end: length + 1, backlog: this.offset < this.#backlogEnd });
    this.offset += length;
    this.#scanned = this.offset;
  }

  /** Counts are the source's: see `Rows`. Where it is not `isReadable`, nothing is asked that may hang. */
  checkpoint(source: string, path: string, isReadable = true): Checkpoint {
    if (isReadable) this.#head = headNow(this.fd, this.#head);
    const [device, inode] = [String(this.id.device), String(this.id.inode)];
    const { hash: headHash, bytes: headBytes } = this.#head;
    const none = { lines: 0, matched: 0, unmatched: 0, dropped: [] };
    return { source, path, device, inode, headHash, headBytes, offset: this.offset, ...none };
  }

  close(isReadable = true): void {
    if (!this.#isClosed) closeQuietly(this.fd, isReadable);
    this.#isClosed = true;
  }

  /** Something was written since the last read. */
  hasGrown(): boolean {
    return fstatSync(this.fd).size !== this.size;
  }

  isDeleted(): boolean {
    return fstatSync(this.fd).nlink === 0;
  }
}
