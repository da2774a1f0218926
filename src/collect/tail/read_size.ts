/** How much one source reads at a time, by how long the reading takes. */
import type { Clock } from '../../core/clock.ts';

/** Fewer bytes at a time make a read no shorter: one line of this length is scanned whole anyway. */
const BYTES_MIN = 2_048;

/**
 * The bytes of one read. Most lines are scanned at hundreds of megabytes a second, and a read may be large; lines that
 * are made to take long are read a few bytes at a time, so that the event loop gets its share all the same. Halved
 * after a read that took longer than `readMs`, doubled after one that took less than a quarter of it.
 */
export class ReadSize {
  readonly #clock: Clock;
  readonly #bytesMax: number;
  readonly #readMs: number;
  #bytes: number;

  constructor(clock: Clock, bytesMax: number, readMs: number) {
    this.#clock = clock;
    this.#bytesMax = bytesMax;
    this.#readMs = readMs;
    this.#bytes = bytesMax;
  }

  /** Does one read with the bytes that it may take, and learns from how long it took. */
  read<T>(work: (bytes: number) => T): T {
    const startMs = this.#clock.monotonicMs();
    const result = work(this.#bytes);
    const tookMs = this.#clock.monotonicMs() - startMs;
    if (tookMs > this.#readMs) this.#bytes = Math.max(Math.min(BYTES_MIN, this.#bytesMax), this.#bytes / 2);
    else if (tookMs < this.#readMs / 4) this.#bytes = Math.min(this.#bytesMax, this.#bytes * 2);
    return result;
  }
}
