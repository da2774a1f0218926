// Keeps the last lines of each channel's own log, so that they can be read as a whole when there is a doubt.
import type { Chunk } from '../core/chunk.ts';
import type { MonoMs } from '../core/clock.ts';
import type { ChannelId } from '../core/scope.ts';

/** About twenty to forty lines; a channel whose log is silent takes nothing. */
const KEPT_BYTES = 4_096;
export const KEPT_LINES_MAX = 40;
/** What was logged this long before the last line does not belong to the same end. */
const TOGETHER_MS = 30_000;
/** Chunks are distinguished by their time; so many of them are remembered. */
const MARKS_MAX = 32;

/** The last lines of a channel, oldest first. */
export interface LastLines {
  readonly source: string;
  readonly lines: readonly string[];
  /** When the last of them came. */
  readonly lastMs: MonoMs;
}

interface Mark {
  readonly monoMs: MonoMs;
  bytes: number;
}

interface Kept {
  source: string;
  readonly bytes: Buffer;
  used: number;
  /** The first line may have lost its beginning. */
  isCut: boolean;
  marks: Mark[];
}

const NEWLINE = 10;

/**
 * The last lines of each channel that has a log of its own. What was pushed over the network, what was written before
 * Reeve began to watch, and progress reports (records that end in `\r`) are not kept.
 */
export class LastLinesOf {
  readonly #kept = new Map<ChannelId, Kept>();

  take({ source, channel, bytes, start, end, backlog, pushed, monoMs }: Chunk): void {
    if (channel === undefined || backlog || pushed === true) return;
    const until = endOfLines(bytes, start, end);
    if (until === start) return;
    const kept = this.#kept.get(channel) ?? emptyFor(source);
    this.#kept.set(channel, kept);
    if (kept.source !== source) Object.assign(kept, { source, used: 0, isCut: false, marks: [] });
    add(kept, bytes.subarray(Math.max(start, until - KEPT_BYTES), until), {
      monoMs,
      isCut: until - start > KEPT_BYTES,
    });
  }

  of(channel: ChannelId): LastLines | undefined {
    const kept = this.#kept.get(channel);
    const lastMs = kept?.marks.at(-1)?.monoMs;
    if (kept === undefined || lastMs === undefined) return undefined;
    const together = kept.marks.filter(({ monoMs }) => lastMs - monoMs <= TOGETHER_MS);
    const from = kept.used - together.reduce((sum, { bytes }) => sum + bytes, 0);
    const lines = kept.bytes
      .toString('utf8', from, kept.used)
      .split('\n')
      .slice(kept.isCut && from === 0 ? 1 : 0)
      .map(lastRecord)
      .filter((line) => line !== '')
      .slice(-KEPT_LINES_MAX);
    return { source: kept.source, lines, lastMs };
  }
}

const emptyFor = (source: string): Kept => ({
  source,
  bytes: Buffer.allocUnsafeSlow(KEPT_BYTES),
  used: 0,
  isCut: false,
  marks: [],
});

/** Behind the last whole line; `start` where there is none. Most chunks end with one. */
const endOfLines = (bytes: Buffer, start: number, end: number): number =>
  end > start && bytes[end - 1] === NEWLINE ? end : start + bytes.subarray(start, end).lastIndexOf(NEWLINE) + 1;

function add(kept: Kept, text: Buffer, { monoMs, isCut }: { readonly monoMs: MonoMs; readonly isCut: boolean }): void {
  const surplus = kept.used + text.length - KEPT_BYTES;
  if (surplus > 0) {
    kept.isCut = kept.bytes[surplus - 1] !== NEWLINE;
    kept.bytes.copy(kept.bytes, 0, surplus, kept.used);
    kept.used -= surplus;
    dropFirst(kept.marks, surplus);
  }
  if (isCut) kept.isCut = true;
  text.copy(kept.bytes, kept.used);
  kept.used += text.length;
  const last = kept.marks.at(-1);
  if (last?.monoMs === monoMs) last.bytes += text.length;
  else kept.marks.push({ monoMs, bytes: text.length });
  // The oldest two become one: the lines of the older count as those of the younger.
  if (kept.marks.length > MARKS_MAX) kept.marks[1]!.bytes += kept.marks.shift()!.bytes;
}

function dropFirst(marks: Mark[], bytes: number): void {
  let rest = bytes;
  while (rest > 0 && marks[0] !== undefined) {
    const taken = Math.min(rest, marks[0].bytes);
    marks[0].bytes -= taken;
    rest -= taken;
    if (marks[0].bytes === 0) marks.shift();
  }
}

/** A line may stand behind progress reports, which end in `\r`. */
const lastRecord = (line: string): string => line.replace(/\r+$/, '').split('\r').at(-1)!.trimEnd();
