/** Shares the event loop among sources that have something to read. */
import type { Clock, MonoMs } from '../../core/clock.ts';
import { TokenBucket } from '../token_bucket.ts';

/** Something with work that can be done a bit at a time. */
export interface Worker {
  /** It speaks of many: its turn comes before that of any other, however much it has. */
  readonly isShared?: boolean;
  /** Does a bounded bit. True when more is waiting. */
  work(): boolean;
}

/** What had something to do this short a time ago is busy. */
const BUSY_MS = 1_000;
/**
 * Reads of busy files in a second. Each costs some 15 µs in the kernel alone: many thousands of encoders that report
 * twice a second would have the loop for themselves. Read less often, each read finds more of their reports.
 */
const BUSY_READS_PER_SECOND_MAX = 10_000;
/** So many of them may come at once. */
const BUSY_BURST = BUSY_READS_PER_SECOND_MAX / 20;
/** When none is left, the next come after so long. */
const PAUSE_MS = 10;
/** The longest round, however long the event loop took for everything else. */
const ROUND_MS_MAX = 40;

/**
 * Gives each worker a bit in rounds, and the event loop its share after every few milliseconds: a flood in one source
 * delays neither another source nor anything else that the process does. What many share comes first, then what was
 * silent: the one line of a supervisor does not wait for thousands of encoders. A process that is short of time still
 * reads for half of it: a round may take as long as the loop took for everything else since the round was asked for.
 */
export class ReadQueue implements Disposable {
  readonly #clock: Clock;
  readonly #readMs: number;
  readonly #afterRound: () => void;
  /** In order of importance, and of waiting, with when that began; no worker is in two of them. */
  readonly #shared = new Map<Worker, MonoMs>();
  readonly #quiet = new Map<Worker, MonoMs>();
  readonly #busy = new Map<Worker, MonoMs>();
  readonly #later = new Map<Worker, MonoMs>();
  readonly #workedMs = new WeakMap<Worker, MonoMs>();
  #next: NodeJS.Immediate | undefined;
  /** Only busy files wait, and as many were read as may be for now. */
  #pause: Disposable | undefined;
  readonly #busyReads: TokenBucket;
  /** When the next round was asked for. */
  #askedMs: MonoMs = 0;
  #onIdle: (() => void)[] = [];

  constructor(clock: Clock, readMs: number, afterRound: () => void) {
    this.#clock = clock;
    this.#readMs = readMs;
    this.#afterRound = afterRound;
    const perSecond = BUSY_READS_PER_SECOND_MAX;
    this.#busyReads = new TokenBucket({ perSecond, burst: BUSY_BURST, tokens: BUSY_BURST, nowMs: clock.monotonicMs() });
  }

  /** The worker has something to do: at once, but not before what happens right now is done. */
  wake(worker: Worker): void {
    this.#later.delete(worker);
    if (!this.#hasNews(worker)) {
      const nowMs = this.#clock.monotonicMs();
      this.#lineOf(worker, nowMs).set(worker, nowMs);
    }
    if (this.#pause === undefined || !this.#busy.has(worker)) this.#runSoon();
  }

  /** The worker may have something to do: after those who have, though one such in each round. */
  wakeLater(worker: Worker): void {
    if (!this.#hasNews(worker) && !this.#later.has(worker)) this.#later.set(worker, this.#clock.monotonicMs());
    this.#runSoon();
  }

  #hasNews(worker: Worker): boolean {
    return this.#shared.has(worker) || this.#quiet.has(worker) || this.#busy.has(worker);
  }

  #lineOf(worker: Worker, nowMs: MonoMs): Map<Worker, MonoMs> {
    if (worker.isShared === true) return this.#shared;
    const workedMs = this.#workedMs.get(worker) ?? Number.NEGATIVE_INFINITY;
    return nowMs - workedMs < BUSY_MS ? this.#busy : this.#quiet;
  }

  /** How long the one that waits longest has had something to do, in milliseconds: what it has is so old. */
  get lateMs(): number {
    const nowMs = this.#clock.monotonicMs();
    return [this.#shared, this.#quiet, this.#busy].reduce((lateMs, workers) => {
      const [sinceMs = nowMs] = workers.values();
      return Math.max(lateMs, nowMs - sinceMs);
    }, 0);
  }

  /** Resolves when no worker has anything left to do. */
  idle(): Promise<void> {
    if (this.#next === undefined && this.#pause === undefined) return Promise.resolve();
    this.#runSoon();
    return new Promise((resolve) => this.#onIdle.push(resolve));
  }

  #runSoon(): void {
    if (this.#next !== undefined) return;
    this.#pause?.[Symbol.dispose]();
    this.#pause = undefined;
    this.#askedMs = this.#clock.monotonicMs();
    this.#next = setImmediate(() => this.#round());
  }

  #round(): void {
    this.#next = undefined;
    const waitedMs = this.#clock.monotonicMs() - this.#askedMs;
    // Each of them once, however long that takes: the others have their time after it.
    this.#each(this.#shared, Number.POSITIVE_INFINITY);
    const endMs = this.#clock.monotonicMs() + Math.min(Math.max(this.#readMs, waitedMs), ROUND_MS_MAX);
    this.#each(this.#quiet, endMs);
    this.#busyReads.spend(this.#each(this.#busy, endMs, this.#busyReadsMax()));
    this.#each(this.#later, endMs);
    this.#afterRound();
    if (this.#shared.size + this.#quiet.size + this.#later.size > 0) this.#runSoon();
    else if (this.#busy.size === 0) this.#settle();
    else if (this.#busyReadsMax() >= 1) this.#runSoon();
    else this.#pause = this.#clock.after(PAUSE_MS, () => this.#runSoon());
  }

  /** How many busy files may be read now. Who waits for all of it to be read waits for nothing else. */
  #busyReadsMax(): number {
    const whole = this.#busyReads.whole(this.#clock.monotonicMs());
    return this.#onIdle.length > 0 ? Number.POSITIVE_INFINITY : whole;
  }

  /**
   * A clock may stand still, so no more have a bit than waited; one of each kind has it in any case, unless it is one
   * too many. Tells how many had it.
   */
  #each(workers: Map<Worker, MonoMs>, endMs: MonoMs, most = Number.POSITIVE_INFINITY): number {
    const count = Math.min(workers.size, most);
    let left = count;
    for (const worker of workers.keys()) {
      if (left === 0) break;
      workers.delete(worker);
      left -= 1;
      const isMore = worker.work();
      const nowMs = this.#clock.monotonicMs();
      this.#workedMs.set(worker, nowMs);
      if (isMore) this.wake(worker);
      if (nowMs >= endMs) break;
    }
    return count - left;
  }

  #settle(): void {
    const waiting = this.#onIdle;
    this.#onIdle = [];
    for (const resolve of waiting) resolve();
  }

  [Symbol.dispose](): void {
    if (this.#next !== undefined) clearImmediate(this.#next);
    this.#next = undefined;
    this.#pause?.[Symbol.dispose]();
    for (const workers of [this.#shared, this.#quiet, this.#busy, this.#later]) workers.clear();
    this.#settle();
  }
}
