/** Runs tasks in order for each key. */
import PQueue from 'p-queue';
import type { Clock } from '../core/clock.ts';
import { ReeveError } from '../core/errors.ts';

export interface KeyedQueuesOptions {
  /** Tasks that may wait behind the running one of the same key. Default 4. */
  readonly waitingPerKeyMax?: number;
  /** Queues whose tasks run at the same time, over all keys. Default 512: most of them wait, and cost nothing. */
  readonly concurrentMax?: number;
  /** How long an aborted task gets to end after a drain's time is up. Default 1 s. */
  readonly graceMs?: number;
}

export interface KeyedQueueCounts {
  /** Keys with a task that runs or waits. */
  readonly lanes: number;
  readonly running: number;
  readonly waiting: number;
  /** Tasks that were refused because their queue was full, since the start. */
  readonly dropped: number;
}

/** One queue per key: in each one task at a time, in the order they came. */
export interface KeyedQueues {
  readonly counts: KeyedQueueCounts;
  /** True once a drain has begun. A long task asks between its steps. */
  readonly draining: boolean;
  /** The key has a task that runs or waits. */
  busy(key: string): boolean;
  /**
   * The task's own end. Rejects with `QUEUE_FULL` when the queue is full or all are draining.
   * The signal aborts when a drain runs out of time. The key is held until the task has really ended.
   */
  run<T>(key: string, task: (signal: AbortSignal) => Promise<T>): Promise<T>;
  /**
   * Takes no more, refuses what waits, gives what runs `timeoutMs` to end by itself, then aborts it.
   * Resolves with the number of tasks that would not end even then.
   */
  drain(timeoutMs: number): Promise<number>;
}

/**
 * A run holds its place while it waits for the proof that what it did has helped: a minute and more. Were there few
 * places, every verdict and every page about the next channel would wait behind those of others.
 */
const CONCURRENT_MAX = 512;

/** Made of p-queue, without its timeout and signal options: both free a slot while the task still runs. */
export function createKeyedQueues(options: KeyedQueuesOptions, clock: Clock): KeyedQueues {
  return new KeyedTaskQueues(options, clock);
}

class KeyedTaskQueues implements KeyedQueues {
  readonly #clock: Clock;
  readonly #waitingPerKeyMax: number;
  readonly #graceMs: number;
  readonly #lanes = new Map<string, PQueue>();
  /** Holds one slot per running task, so that not all queues run at once. */
  readonly #slots: PQueue;
  readonly #stop = new AbortController();
  #running = 0;
  #dropped = 0;
  #draining = false;

  constructor(options: KeyedQueuesOptions, clock: Clock) {
    this.#clock = clock;
    this.#waitingPerKeyMax = options.waitingPerKeyMax ?? 4;
    this.#graceMs = options.graceMs ?? 1_000;
    this.#slots = new PQueue({ concurrency: options.concurrentMax ?? CONCURRENT_MAX });
  }

  get draining(): boolean {
    return this.#draining;
  }

  get counts(): KeyedQueueCounts {
    let tasks = 0;
    for (const lane of this.#lanes.values()) tasks += lane.size + lane.pending;
    return { lanes: this.#lanes.size, running: this.#running, waiting: tasks - this.#running, dropped: this.#dropped };
  }

  busy(key: string): boolean {
    return this.#lanes.has(key);
  }

  async run<T>(key: string, task: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#draining) throw stopping(key);
    const lane = this.#laneOf(key);
    if (lane.pending > 0 && lane.size >= this.#waitingPerKeyMax) {
      this.#dropped += 1;
      throw new ReeveError('QUEUE_FULL', `lane ${key} is full: ${lane.size} tasks wait behind the running one`);
    }
    let begun = false;
    const runNow = () => {
      begun = true;
      return this.#runNow(task);
    };
    try {
      return await lane.add(() => this.#slots.add(runNow));
    } catch (error) {
      throw begun ? error : stopping(key);
    }
  }

  async drain(timeoutMs: number): Promise<number> {
    this.#draining = true;
    for (const lane of this.#lanes.values()) lane.clear();
    this.#slots.clear();
    if (!(await this.#idleWithin(timeoutMs))) {
      this.#stop.abort(new ReeveError('TIMED_OUT', `still running ${timeoutMs} ms after Reeve was asked to stop`));
      await this.#idleWithin(this.#graceMs);
    }
    return this.#running;
  }

  async #runNow<T>(task: (signal: AbortSignal) => Promise<T>): Promise<T> {
    this.#running += 1;
    try {
      return await task(this.#stop.signal);
    } finally {
      this.#running -= 1;
    }
  }

  #laneOf(key: string): PQueue {
    const existing = this.#lanes.get(key);
    if (existing !== undefined) return existing;
    const lane = new PQueue({ concurrency: 1 });
    this.#lanes.set(key, lane);
    lane.addEventListener('idle', () => {
      if (this.#lanes.get(key) === lane) this.#lanes.delete(key);
    });
    return lane;
  }

  async #idleWithin(timeoutMs: number): Promise<boolean> {
    if (this.#running === 0) return true;
    const late = new AbortController();
    const timer = this.#clock.after(timeoutMs, () => late.abort());
    const timedOut = new Promise<void>((resolve) => {
      late.signal.addEventListener('abort', () => resolve(), { once: true });
    });
    await Promise.race([this.#slots.onIdle(), timedOut]);
    timer[Symbol.dispose]();
    return this.#running === 0;
  }
}

const stopping = (key: string) => new ReeveError('QUEUE_FULL', `lane ${key} takes no more: Reeve is stopping`);
