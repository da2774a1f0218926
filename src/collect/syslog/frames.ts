/** Splits the bytes of a TCP stream into syslog messages. */

/** Messages of one TCP stream, in either form of RFC 6587: `LENGTH message`, or one message to a line. */
export class Frames {
  readonly #bytesMax: number;
  readonly #take: (message: Buffer) => void;
  readonly #tooLong: () => void;
  #rest = EMPTY;
  /** Bytes of an announced message that is too long and still to come. */
  #passOver = 0;
  /** A line that is too long is being passed over up to its end. */
  #passLine = false;

  constructor(parts: {
    readonly bytesMax: number;
    readonly take: (message: Buffer) => void;
    readonly tooLong: () => void;
  }) {
    this.#bytesMax = parts.bytesMax;
    this.#take = parts.take;
    this.#tooLong = parts.tooLong;
  }

  add(bytes: Buffer): void {
    let all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    for (;;) {
      const used = this.#step(all);
      if (used === 0) break;
      all = all.subarray(used);
    }
    this.#rest = Buffer.from(all);
  }

  /** The connection ended; a last line may have no end. */
  end(): void {
    if (!this.#passLine && this.#passOver === 0 && this.#rest.length > 0) this.#take(this.#rest);
    this.#rest = EMPTY;
  }

  /** How many bytes were used; 0 when more are needed. */
  #step(all: Buffer): number {
    if (all.length === 0) return 0;
    if (this.#passOver > 0) {
      const used = Math.min(this.#passOver, all.length);
      this.#passOver -= used;
      return used;
    }
    if (this.#passLine) return this.#skipLine(all);
    const counted = /^([1-9]\d{0,8}) /.exec(all.toString('latin1', 0, 12));
    if (counted !== null) return this.#counted(all, counted[0].length, Number(counted[1]));
    // Digits that may yet become a length.
    if (all.length < 10 && /^[1-9]\d*$/.test(all.toString('latin1'))) return 0;
    return this.#line(all);
  }

  #counted(all: Buffer, from: number, length: number): number {
    if (length > this.#bytesMax) {
      this.#tooLong();
      this.#passOver = length;
      return from;
    }
    if (all.length < from + length) return 0;
    this.#take(all.subarray(from, from + length));
    return from + length;
  }

  #line(all: Buffer): number {
    const end = lineEnd(all);
    if (end >= 0 && end <= this.#bytesMax) {
      if (end > 0) this.#take(all.subarray(0, end));
      return end + 1;
    }
    if (all.length <= this.#bytesMax) return 0;
    this.#tooLong();
    this.#passLine = true;
    return this.#skipLine(all);
  }

  #skipLine(all: Buffer): number {
    const end = lineEnd(all);
    if (end < 0) return all.length;
    this.#passLine = false;
    return end + 1;
  }
}

/** Lines end with `\n`, with some senders with NUL. */
function lineEnd(bytes: Buffer): number {
  const [newline, nul] = [bytes.indexOf(10), bytes.indexOf(0)];
  return newline < 0 || nul < 0 ? Math.max(newline, nul) : Math.min(newline, nul);
}

const EMPTY = Buffer.alloc(0);
