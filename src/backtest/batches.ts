/** Cuts recorded logs into batches of lines that were written at about the same time. */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import type { EpochMs } from '../core/clock.ts';
import { messageOf, ReeveError } from '../core/errors.ts';
import { isCompressed } from '../collect/compressed.ts';
import type { ChannelId } from '../core/scope.ts';
import { IsoTimestamps } from './iso_timestamps.ts';
import { type formatOf, type ReadStamp, STAMP_CHARS, type StampSetting } from './stamps.ts';

/** Whole lines of one log that were written at about the same time. Valid until the next one is asked for. */
export interface Batch {
  readonly at: EpochMs;
  readonly source: string;
  readonly channel: ChannelId | undefined;
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
}

/** What is known of a log before it is played. */
export interface LogFile {
  readonly path: string;
  readonly source: string;
  readonly channel: ChannelId | undefined;
  /** Undefined: its lines have no times. */
  readonly format: ReturnType<typeof formatOf>;
}

/** What came of reading one log. */
export interface LogTally {
  readonly source: string;
  lines: number;
  /** Lines with no time of their own: they take that of the line before. */
  undated: number;
  /** Lines older than the line before: they take its time. */
  backwards: number;
  /** Lines longer than a block, left out. */
  tooLong: number;
}

export const newTally = (source: string): LogTally => ({ source, lines: 0, undated: 0, backwards: 0, tooLong: 0 });

/** Lines this close together are handed on as one piece, as a reader of files would find them. */
const TOGETHER_MS = 250;
const BLOCK_BYTES = 1 << 20;
const NEWLINE = 10;
const HEAD_BYTES = 256 * 1024;
const HEAD_LINES = 400;
/** Lines of a log without times come at this pace. */
const UNDATED_EVERY_MS = 100;

/** The first lines of a file, as far as they matter for its times. Throws USAGE for what is no log to be read. */
export function headsOf(path: string): readonly string[] {
  return linesAt(path, 0).slice(0, HEAD_LINES);
}

/** The lines that begin in a piece of the file, as far as they matter for their times. */
function linesAt(path: string, position: number): readonly string[] {
  const bytes = Buffer.allocUnsafe(HEAD_BYTES);
  const file = opened(path);
  try {
    const read = readSync(file, bytes, 0, HEAD_BYTES, position);
    if (position === 0 && isCompressed(bytes.subarray(0, read))) {
      throw new ReeveError('USAGE', `a log was expected, and ${path} is compressed`, { hint: 'unpack it first' });
    }
    const lines = bytes.toString('latin1', 0, read).split('\n');
    const whole = lines.slice(position === 0 ? 0 : 1).filter((line) => line.trim() !== '');
    return whole.map((line) => line.slice(0, STAMP_CHARS));
  } finally {
    closeSync(file);
  }
}

/** When the file's first dated line was written. */
export function firstAt(path: string, { format }: Pick<LogFile, 'format'>, setting: StampSetting): EpochMs | undefined {
  const read = format?.create(setting);
  for (const head of headsOf(path)) {
    const at = read?.(head);
    if (at !== undefined) return at;
  }
  return undefined;
}

/** When its last dated line was written, if that is one of the last. */
export function lastAt(path: string, { format }: Pick<LogFile, 'format'>, setting: StampSetting): EpochMs | undefined {
  const position = Math.max(0, statSync(path).size - HEAD_BYTES);
  for (const head of linesAt(path, position).toReversed()) {
    const at = format?.create(setting)(head);
    if (at !== undefined) return at;
  }
  return undefined;
}

function opened(path: string): number {
  try {
    if (statSync(path).isDirectory()) throw new Error(`${path} is a folder`);
    return openSync(path, 'r');
  } catch (thrown) {
    throw new ReeveError('USAGE', `a readable log was expected: ${messageOf(thrown)}`, { cause: thrown });
  }
}

/** The file's lines in order, with times that never go back. Reads a block at a time. */
export function* batchesOf(
  log: LogFile,
  from: { readonly at: EpochMs; readonly setting: StampSetting },
  tally: LogTally,
): Generator<Batch, void, undefined> {
  const stamps = new Stamps(log.format, from, tally);
  const file = opened(log.path);
  try {
    yield* blocks(file, stamps, { source: log.source, channel: log.channel });
  } finally {
    closeSync(file);
  }
}

/** Gives each line its time. */
class Stamps {
  readonly #read: ReadStamp | undefined;
  readonly #tally: LogTally;
  readonly #again: IsoTimestamps | undefined;
  #lastAt: EpochMs;

  constructor(format: LogFile['format'], from: { at: EpochMs; setting: StampSetting }, tally: LogTally) {
    this.#read = format?.create(from.setting);
    this.#again = format?.name === 'iso' ? new IsoTimestamps() : undefined;
    this.#lastAt = from.at;
    this.#tally = tally;
  }

  of(bytes: Buffer, start: number, end: number): EpochMs {
    this.#tally.lines += 1;
    if (this.#read === undefined) {
      this.#tally.undated += 1;
      this.#lastAt += UNDATED_EVERY_MS;
      return this.#lastAt;
    }
    const at = this.#again?.read(bytes, start) ?? this.#readText(this.#read, bytes.subarray(start, end));
    if (at === undefined) this.#tally.undated += 1;
    else if (at < this.#lastAt) this.#tally.backwards += 1;
    else this.#lastAt = at;
    return this.#lastAt;
  }

  #readText(read: ReadStamp, line: Buffer): EpochMs | undefined {
    const head = line.toString('latin1', 0, STAMP_CHARS);
    const at = read(head);
    if (at !== undefined) this.#again?.learn(head, at);
    return at;
  }

  skipped(): void {
    this.#tally.tooLong += 1;
  }
}

type Owner = Pick<Batch, 'source' | 'channel'>;

function* blocks(file: number, stamps: Stamps, owner: Owner): Generator<Batch, void, undefined> {
  const buffer = Buffer.allocUnsafe(BLOCK_BYTES + 1);
  let held = 0;
  let skipping = false;
  for (;;) {
    const read = readSync(file, buffer, held, BLOCK_BYTES - held, null);
    held += read;
    const atEnd = read === 0;
    if (atEnd && held === 0) return;
    if (atEnd) {
      buffer[held] = NEWLINE;
      held += 1;
    }
    let from = 0;
    if (skipping) {
      const end = buffer.subarray(0, held).indexOf(NEWLINE);
      skipping = end === -1;
      from = skipping ? held : end + 1;
    }
    const done: number = yield* linesOf(buffer.subarray(0, held), from, { stamps, owner });
    if (atEnd) return;
    if (done === 0 && held === BLOCK_BYTES) {
      stamps.skipped();
      skipping = true;
      held = 0;
    } else {
      buffer.copyWithin(0, done, held);
      held -= done;
    }
  }
}

/** Hands on the whole lines and returns where the rest begins. */
function* linesOf(
  bytes: Buffer,
  from: number,
  { stamps, owner }: { readonly stamps: Stamps; readonly owner: Owner },
): Generator<Batch, number, undefined> {
  let lineStart = from;
  let batchStart = from;
  let batchAt = 0;
  for (let end = bytes.indexOf(NEWLINE, from); end !== -1; end = bytes.indexOf(NEWLINE, lineStart)) {
    const at = stamps.of(bytes, lineStart, end);
    if (lineStart === batchStart) batchAt = at;
    else if (at - batchAt >= TOGETHER_MS) {
      yield { ...owner, at: batchAt, bytes, start: batchStart, end: lineStart };
      batchStart = lineStart;
      batchAt = at;
    }
    lineStart = end + 1;
  }
  if (lineStart > batchStart) yield { ...owner, at: batchAt, bytes, start: batchStart, end: lineStart };
  return lineStart;
}

/** One line of a log that came with its time beside it. */
export interface TimedLine {
  readonly at: EpochMs;
  readonly text: string;
}

/** The same for lines held in memory: journald and Loki exports. Sorted by time; equal times keep their order. */
export function* batchesOfLines(
  lines: readonly TimedLine[],
  owner: Owner,
  tally: LogTally,
): Generator<Batch, void, undefined> {
  const sorted = [...lines].sort((a, b) => a.at - b.at);
  tally.lines += sorted.length;
  let from = 0;
  for (let to = 1; to <= sorted.length; to += 1) {
    const first = sorted[from]!;
    const next = sorted[to];
    if (next !== undefined && next.at - first.at < TOGETHER_MS) continue;
    const texts = sorted.slice(from, to).map(({ text }) => `${text.replaceAll('\n', ' ')}\n`);
    const bytes = Buffer.from(texts.join(''));
    yield { ...owner, at: first.at, bytes, start: 0, end: bytes.length };
    from = to;
  }
}
