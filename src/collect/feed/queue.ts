/** The queue of one feed. */
import type { ChannelId } from '../../core/scope.ts';

/** Whole records of one owner. */
export interface QueuedRecords {
  readonly bytes: Buffer;
  readonly lines: number;
  readonly channel: ChannelId | undefined;
  readonly backlog: boolean;
}

interface Block {
  readonly parts: Buffer[];
  bytes: number;
  lines: number;
  readonly channel: ChannelId | undefined;
  readonly backlog: boolean;
}

/** Neighbours of one owner travel together up to this size: a chunk costs more than a line. */
const BLOCK_BYTES = 32 * 1024;
/** Small buffers cost more memory than their bytes. */
const PARTS_MAX = 128;

/** Records in order of arrival, in blocks. The caller keeps it within bounds. */
export class LineQueue {
  #blocks: Block[] = [];
  /** Blocks before this one are gone; the list is cut now and then. */
  #first = 0;
  #bytes = 0;
  #lines = 0;

  get bytes(): number {
    return this.#bytes;
  }

  get lines(): number {
    return this.#lines;
  }

  add({ bytes, lines, channel, backlog }: QueuedRecords): void {
    const last = this.#first < this.#blocks.length ? this.#blocks.at(-1) : undefined;
    const fits = last !== undefined && last.channel === channel && last.backlog === backlog && last.bytes < BLOCK_BYTES;
    if (fits) {
      last.parts.push(bytes);
      if (last.parts.length >= PARTS_MAX) last.parts.splice(0, last.parts.length, Buffer.concat(last.parts));
      last.bytes += bytes.length;
      last.lines += lines;
    } else this.#blocks.push({ parts: [bytes], bytes: bytes.length, lines, channel, backlog });
    this.#bytes += bytes.length;
    this.#lines += lines;
  }

  /** The oldest block. Only when there is one. */
  next(): QueuedRecords {
    const { parts, lines, channel, backlog } = this.#shift();
    return { bytes: parts.length === 1 ? parts[0]! : Buffer.concat(parts), lines, channel, backlog };
  }

  /** Returns how many lines went. Only when there is something. */
  dropOldest(): number {
    return this.#shift().lines;
  }

  /** Returns how many lines went. */
  clear(): number {
    const lines = this.#lines;
    this.#blocks = [];
    this.#first = 0;
    this.#bytes = 0;
    this.#lines = 0;
    return lines;
  }

  #shift(): Block {
    const block = this.#blocks[this.#first]!;
    this.#first += 1;
    if (this.#first > 64 && this.#first * 2 > this.#blocks.length) {
      this.#blocks = this.#blocks.slice(this.#first);
      this.#first = 0;
    }
    this.#bytes -= block.bytes;
    this.#lines -= block.lines;
    return block;
  }
}
