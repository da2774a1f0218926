/** Bounded queues for lines that do not come from files. */
import type { ChunkSink, DropReason } from '../../core/chunk.ts';
import type { Clock, EpochMs, MonoMs } from '../../core/clock.ts';
import { MINUTE_MS } from '../../core/duration.ts';
import { messageOf, ReeveError } from '../../core/errors.ts';
import type { ChannelId } from '../../core/scope.ts';
import { isTerminated, joined, type OfferedLines, type OwnedText } from './offered.ts';
import { LineQueue } from './queue.ts';
import { countLines } from '../tail/records.ts';
import { ReadSize } from '../tail/read_size.ts';
import { LineCounts } from '../tail/line_counts.ts';
import { ReadQueue, type Worker } from '../tail/read_queue.ts';

/** Text from somewhere other than a file: one line or several. */
export interface FeedEntry {
  readonly text: string | Buffer;
  /** The channel that owns it; undefined where the text must say. */
  readonly channel?: ChannelId | undefined;
  /** When it was written, by its sender's clock; undefined: just now. */
  readonly at?: EpochMs | undefined;
}

export interface FeedLimits {
  /** What may wait. Past it the oldest goes first, counted as `flood`. */
  readonly queueBytes: number;
  /** What one feed may hand over before the next one is read. */
  readonly readBytes: number;
  /** A longer line is not kept; it is counted. */
  readonly lineBytesMax: number;
  /** What was written longer ago than this, or before the feed was opened, is evidence of nothing. */
  readonly lateMs: number;
  /** What comes this way is sent by others over the network. Default false. */
  readonly pushed?: boolean;
}

export const DEFAULT_FEED_LIMITS: FeedLimits = {
  queueBytes: 4 * 1024 * 1024,
  readBytes: 128 * 1024,
  lineBytesMax: 256 * 1024,
  lateMs: 120_000,
};

/** Law L3: `lines` = `matched` + `unmatched` + the sum of `dropped`, and all that came is `lines` + `waiting`. */
export interface FeedStats {
  readonly source: string;
  readonly lines: number;
  readonly matched: number;
  readonly unmatched: number;
  readonly progress: number;
  readonly dropped: readonly { readonly reason: DropReason; readonly lines: number }[];
  /** Lines in the queue. */
  readonly waiting: number;
  readonly waitingBytes: number;
  /** Lines that came too late to be evidence; they are in the counts above, too. */
  readonly late: number;
}

/** One way in for lines, with its own queue, its own budget and its own exact account. */
export interface LineFeed {
  readonly id: string;
  /** Takes the lines, at the price of the oldest that wait. */
  push(entry: FeedEntry): void;
  /** Takes all of them, or none when there is no room now: then the sender has to come again. Returns the lines. */
  offer(lines: OfferedLines): number | undefined;
  /** Lines that the sender says, or the way shows, were lost before they came here. */
  lost(reason: DropReason, lines: number): void;
  stats(): FeedStats;
}

export interface FeedNotice {
  readonly kind: 'flood' | 'late' | 'failed';
  readonly source: string;
  readonly because: string;
}

export interface FeedsOptions {
  readonly clock: Clock;
  readonly sink: ChunkSink;
  /** Hears of each kind of trouble once a minute for each feed. */
  readonly report?: (notice: FeedNotice) => void;
  readonly readMs?: number;
}

/** All feeds. They are read one after another, and the event loop runs after every few milliseconds. */
export interface Feeds extends Disposable {
  /** Throws `CONFIG_INVALID` for an id that is taken. */
  open(id: string, limits?: Partial<FeedLimits>): LineFeed;
  stats(): readonly FeedStats[];
  /** Resolves when nothing waits. */
  idle(): Promise<void>;
}

const READ_MS = 4;
const REPORT_EVERY_MS = MINUTE_MS;

export function createFeeds(options: FeedsOptions): Feeds {
  const readQueue = new ReadQueue(options.clock, options.readMs ?? READ_MS, () => undefined);
  const feeds = new Map<string, Feed>();
  return {
    open(id, limits = {}) {
      if (feeds.has(id)) throw new ReeveError('CONFIG_INVALID', `two log sources are called ${id}`);
      const feed = new Feed(
        id,
        { ...DEFAULT_FEED_LIMITS, ...limits },
        { ...options, wake: (one) => readQueue.wake(one) },
      );
      feeds.set(id, feed);
      return feed;
    },
    stats: () => [...feeds.values()].map((feed) => feed.stats()),
    idle: () => readQueue.idle(),
    [Symbol.dispose]() {
      readQueue[Symbol.dispose]();
      // What was taken is counted: its sender believes that it arrived.
      for (const feed of feeds.values()) feed.finish();
    },
  };
}

interface Ports extends FeedsOptions {
  wake(feed: Feed): void;
}

class Feed implements LineFeed, Worker {
  readonly id: string;
  readonly #limits: FeedLimits;
  readonly #ports: Ports;
  readonly #readSize: ReadSize;
  readonly #queue = new LineQueue();
  readonly #tally = new LineCounts();
  readonly #openedMs: MonoMs;
  readonly #reportedMs = new Map<FeedNotice['kind'], number>();
  #late = 0;
  #isFailed = false;

  constructor(id: string, limits: FeedLimits, ports: Ports) {
    this.id = id;
    this.#limits = limits;
    this.#ports = ports;
    this.#readSize = new ReadSize(ports.clock, limits.readBytes, ports.readMs ?? READ_MS);
    this.#openedMs = ports.clock.monotonicMs();
  }

  push({ text, channel, at }: FeedEntry): void {
    this.#take({ text, channel, backlog: this.#isLate(at) });
    this.#shed();
  }

  offer(offered: OfferedLines): number | undefined {
    let bytes = 0;
    for (const texts of offered.values()) for (const { text } of texts) bytes += Buffer.byteLength(text) + 1;
    // What is larger than the whole queue would never find room; it may come when nothing waits.
    if (this.#queue.bytes > 0 && this.#queue.bytes + bytes > this.#limits.queueBytes) return undefined;
    let lines = 0;
    for (const owned of joined(offered, (at) => this.#isLate(at))) lines += this.#take(owned);
    return lines;
  }

  /** Returns how many lines it was. */
  #take({ text, channel, backlog }: OwnedText): number {
    const records = terminated(text);
    const lines = countLines(records, 0, records.length);
    if (this.#isFailed) {
      this.lost('source_lost', lines);
      return lines;
    }
    if (backlog) this.#noteLate(lines);
    for (const kept of this.#withoutLong(records)) {
      this.#queue.add({ bytes: kept, lines: countLines(kept, 0, kept.length), channel, backlog });
    }
    if (this.#queue.bytes > 0) this.#ports.wake(this);
    return lines;
  }

  /** By its age now: a wall clock that was set back since the feed was opened makes nothing older. */
  #isLate(at: EpochMs | undefined): boolean {
    if (at === undefined) return false;
    const { clock } = this.#ports;
    return clock.now() - at > Math.min(this.#limits.lateMs, clock.monotonicMs() - this.#openedMs);
  }

  #noteLate(lines: number): void {
    this.#late += lines;
    this.#say('late', 'lines came that were written long ago; they are counted, and are evidence of nothing');
  }

  /** Most records are short as a whole. Of the others each line is looked at. */
  *#withoutLong(records: Buffer): Iterable<Buffer> {
    if (records.length <= this.#limits.lineBytesMax) return yield records;
    let from = 0;
    while (from < records.length) {
      const newline = records.indexOf(10, from);
      const to = newline < 0 ? records.length : newline + 1;
      if (to - from > this.#limits.lineBytesMax) this.lost('line_too_long', 1);
      else yield records.subarray(from, to);
      from = to;
    }
  }

  #shed(): void {
    while (this.#queue.bytes > this.#limits.queueBytes) {
      this.lost('flood', this.#queue.dropOldest());
      this.#say('flood', 'lines come faster than they can be read; the oldest that wait are dropped and counted');
    }
  }

  lost(reason: DropReason, lines: number): void {
    this.#tally.drop(reason, lines);
  }

  work(): boolean {
    this.#readSize.read((bytesMax) => {
      let leftBytes = bytesMax;
      while (leftBytes > 0 && this.#queue.bytes > 0) leftBytes -= this.#hand();
    });
    return this.#queue.bytes > 0;
  }

  #hand(): number {
    const { clock, sink } = this.#ports;
    const { bytes, channel, backlog, lines } = this.#queue.next();
    // Whoever writes a line that says its channel itself is no better known than a visitor of a server.
    const source = channel === undefined && !this.id.startsWith('source:') ? `source:${this.id}` : this.id;
    const { pushed = false } = this.#limits;
    const when = { at: clock.now(), monoMs: clock.monotonicMs() };
    try {
      this.#tally.add(sink({ source, channel, pushed, bytes, start: 0, end: bytes.length, backlog, ...when }));
    } catch (thrown) {
      this.#isFailed = true;
      this.lost('source_lost', lines);
      this.lost('source_lost', this.#queue.clear());
      this.#say('failed', messageOf(thrown));
    }
    return bytes.length;
  }

  /** Hands over what waits. */
  finish(): void {
    while (this.#queue.bytes > 0) this.#hand();
  }

  #say(kind: FeedNotice['kind'], because: string): void {
    const nowMs = this.#ports.clock.monotonicMs();
    if (nowMs - (this.#reportedMs.get(kind) ?? Number.NEGATIVE_INFINITY) < REPORT_EVERY_MS) return;
    this.#reportedMs.set(kind, nowMs);
    this.#ports.report?.({ kind, source: this.id, because });
  }

  stats(): FeedStats {
    const { lines: waiting, bytes: waitingBytes } = this.#queue;
    return { source: this.id, ...this.#tally.counts, waiting, waitingBytes, late: this.#late };
  }
}

/** The bytes of whole records: what ends in neither `\n` nor `\r` gets a `\n`. */
function terminated(text: string | Buffer): Buffer {
  if (typeof text === 'string') return Buffer.from(isTerminated(text) ? text : `${text}\n`);
  const last = text.at(-1);
  return last === 10 || last === 13 ? text : Buffer.concat([text, NEWLINE]);
}

const NEWLINE = Buffer.from('\n');
