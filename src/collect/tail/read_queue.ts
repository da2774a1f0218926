/** Shares the event loop among sources that have something to read. */
import type { Clock, MonoMs } from '../../core/clock.ts';

/** Something with work that can be done a bit at a time. */
export interface Worker {
  /** Does a bounded bit. True when more is waiting. */
  work(): boolean;
}

/**
 * Gives each worker a bit in rounds, and the event loop its share after every few milliseconds: a flood in one source
 * delays neither another source nor anything else that the process does.
 */
export class ReadQueue implements Disposable {
  readonly #clock: Clock;
  readonly #readMs: number;
  readonly #afterRound: () => void;
  /** In order of waiting; no worker is in both. */
  readonly #waiting = new Set<Worker>();
  readonly #later = new Set<Worker>();
  #next: NodeJS.Immediate | undefined;
  #onIdle: (() => void)[] = [];

  constructor(clock: Clock, readMs: number, afterRound: () => void) {
    this.#clock = clock;
    this.#readMs = readMs;
    this.#afterRound = afterRound;
  }

  /** The worker has something to do: at once, but not before what happens right now is done. */
  wake(worker: Worker): void {
    this.#later.delete(worker);
    this.#waiting.add(worker);
    this.#next ??= setImmediate(() => this.#round());
  }

  /** The worker may have something to do: after those who have, though one such in each round. */
  wakeLater(worker: Worker): void {
    if (!this.#waiting.has(worker)) this.#later.add(worker);
    this.#next ??= setImmediate(() => this.#round());
  }

  /** Resolves when no worker has anything left to do. */
  idle(): Promise<void> {
    if (this.#next === undefined) return Promise.resolve();
    return new Promise((resolve) => this.#onIdle.push(resolve));
  }

  #round(): void {
    this.#next = undefined;
    const endMs = this.#clock.monotonicMs() + this.#readMs;
    this.#each(this.#waiting, endMs);
    this.#each(this.#later, endMs);
    this.#afterRound();
    if (this.#waiting.size + this.#later.size > 0) this.#next ??= setImmediate(() => this.#round());
    else this.#settle();
  }

  /** A clock may stand still, so each worker has at most one bit per round. */
  #each(workers: Set<Worker>, endMs: MonoMs): void {
    for (const worker of [...workers]) {
      if (!workers.delete(worker)) continue;
      if (worker.work()) this.wake(worker);
      if (this.#clock.monotonicMs() >= endMs) break;
    }
  }

  #settle(): void {
    const waiting = this.#onIdle;
    this.#onIdle = [];
    for (const resolve of waiting) resolve();
  }

  [Symbol.dispose](): void {
    if (this.#next !== undefined) clearImmediate(this.#next);
    this.#next = undefined;
    this.#waiting.clear();
    this.#later.clear();
    this.#settle();
  }
}
