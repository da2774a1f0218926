/** Shares the event loop among sources that have something to read. */
import type { Clock, MonoMs } from '../../core/clock.ts';

/** Something with work that can be done a bit at a time. */
export interface Worker {
  /** Does a bounded bit. True when more is waiting. */
  work(): boolean;
}

/** What had something to do this short a time ago is busy. */
const BUSY_MS = 1_000;
/** The longest round, however long the event loop took for everything else. */
const ROUND_MS_MAX = 40;

/**
 * Gives each worker a bit in rounds, and the event loop its share after every few milliseconds: a flood in one source
 * delays neither another source nor anything else that the process does. What was silent comes first: the one line of
 * a supervisor does not wait for thousands of encoders. A process that is short of time still reads for half of it: a
 * round may take as long as the loop took for everything else since the round was asked for.
 */
export class ReadQueue implements Disposable {
  readonly #clock: Clock;
  readonly #readMs: number;
  readonly #afterRound: () => void;
  /** In order of importance, and of waiting, with when that began; no worker is in two of them. */
  readonly #quiet = new Map<Worker, MonoMs>();
  readonly #busy = new Map<Worker, MonoMs>();
  readonly #later = new Map<Worker, MonoMs>();
  readonly #workedMs = new WeakMap<Worker, MonoMs>();
  #next: NodeJS.Immediate | undefined;
  /** When the next round was asked for. */
  #askedMs: MonoMs = 0;
  #onIdle: (() => void)[] = [];

  constructor(clock: Clock, readMs: number, afterRound: () => void) {
    this.#clock = clock;
    this.#readMs = readMs;
    this.#afterRound = afterRound;
  }

  /** The worker has something to do: at once, but not before what happens right now is done. */
  wake(worker: Worker): void {
    this.#later.delete(worker);
    if (!this.#quiet.has(worker) && !this.#busy.has(worker)) {
      const nowMs = this.#clock.monotonicMs();
      const workedMs = this.#workedMs.get(worker) ?? Number.NEGATIVE_INFINITY;
      (nowMs - workedMs < BUSY_MS ? this.#busy : this.#quiet).set(worker, nowMs);
    }
    this.#runSoon();
  }

  /** The worker may have something to do: after those who have, though one such in each round. */
  wakeLater(worker: Worker): void {
    const isWaiting = this.#quiet.has(worker) || this.#busy.has(worker) || this.#later.has(worker);
    if (!isWaiting) this.#later.set(worker, this.#clock.monotonicMs());
    this.#runSoon();
  }

  /** How long the one that waits longest has had something to do, in milliseconds: what it has is so old. */
  get lateMs(): number {
    const nowMs = this.#clock.monotonicMs();
    return [this.#quiet, this.#busy].reduce((lateMs, workers) => {
      const [sinceMs = nowMs] = workers.values();
      return Math.max(lateMs, nowMs - sinceMs);
    }, 0);
  }

  /** Resolves when no worker has anything left to do. */
  idle(): Promise<void> {
    if (this.#next === undefined) return Promise.resolve();
    return new Promise((resolve) => this.#onIdle.push(resolve));
  }

  #runSoon(): void {
    if (this.#next !== undefined) return;
    this.#askedMs = this.#clock.monotonicMs();
    this.#next = setImmediate(() => this.#round());
  }

  #round(): void {
    this.#next = undefined;
    const startMs = this.#clock.monotonicMs();
    const endMs = startMs + Math.min(Math.max(this.#readMs, startMs - this.#askedMs), ROUND_MS_MAX);
    for (const workers of [this.#quiet, this.#busy, this.#later]) this.#each(workers, endMs);
    this.#afterRound();
    if (this.#quiet.size + this.#busy.size + this.#later.size > 0) this.#runSoon();
    else this.#settle();
  }

  /** A clock may stand still, so no more have a bit than waited; one of each kind has it in any case. */
  #each(workers: Map<Worker, MonoMs>, endMs: MonoMs): void {
    let left = workers.size;
    for (const worker of workers.keys()) {
      workers.delete(worker);
      left -= 1;
      const isMore = worker.work();
      const nowMs = this.#clock.monotonicMs();
      this.#workedMs.set(worker, nowMs);
      if (isMore) this.wake(worker);
      if (nowMs >= endMs || left === 0) break;
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
    for (const workers of [this.#quiet, this.#busy, this.#later]) workers.clear();
    this.#settle();
  }
}
