/** A clock that is advanced by hand. */
import { type Clock, type EpochMs, type MonoMs, sleepOn } from '../core/clock.ts';

interface Due {
  atMs: MonoMs;
  readonly seq: number;
  readonly run: () => void;
  /** Of a regular series: may rest in quiet time. */
  readonly intervalMs: number | undefined;
  over: boolean;
}

/**
 * A clock that moves only when advanced. What is due at the same moment runs in the order in which it was asked for,
 * so the same input always gives the same course. The wall clock is the monotonic one with another beginning.
 */
export class VirtualClock implements Clock {
  readonly bootId = 'replay';
  readonly #offsetMs: number;
  /** A binary heap: the next item first. */
  readonly #heap: Due[] = [];
  #nowMs: MonoMs;
  #seq = 0;

  /** `at` is what the wall clock shows when the monotonic one shows `monoMs`. */
  constructor(start: { readonly at: EpochMs; readonly monoMs: MonoMs }) {
    this.#nowMs = start.monoMs;
    this.#offsetMs = start.at - start.monoMs;
  }

  now(): EpochMs {
    return this.#nowMs + this.#offsetMs;
  }

  monotonicMs(): MonoMs {
    return this.#nowMs;
  }

  /** The monotonic time at which the wall clock shows this. */
  monoAt(at: EpochMs): MonoMs {
    return at - this.#offsetMs;
  }

  after(delayMs: number, task: () => void): Disposable {
    return this.#push({ atMs: this.#nowMs + Math.max(0, Math.ceil(delayMs)), run: task, intervalMs: undefined });
  }

  every(intervalMs: number, tick: () => void): Disposable {
    return this.#push({ atMs: this.#nowMs + intervalMs, run: tick, intervalMs });
  }

  sleep(durationMs: number, signal?: AbortSignal): Promise<void> {
    return sleepOn((delayMs, task) => this.after(delayMs, task), durationMs, signal);
  }

  /**
   * Goes to the next thing that is due by `untilMs` and runs it. False when there is none: then it is `untilMs`.
   * What it started must be let run before the next call.
   */
  step(untilMs: MonoMs): boolean {
    const next = this.#next();
    if (next === undefined || next.atMs > untilMs) {
      this.#nowMs = Math.max(this.#nowMs, untilMs);
      return false;
    }
    this.#nowMs = Math.max(this.#nowMs, next.atMs);
    this.#pop();
    if (next.intervalMs !== undefined) {
      next.atMs = this.#nowMs + next.intervalMs;
      this.#sift(next);
    }
    next.run();
    return true;
  }

  /**
   * Where nothing but regular series is due before `untilMs`, goes there at once, the series with it. For long
   * stretches in which nothing was recorded. False when something single is due before.
   */
  skip(untilMs: MonoMs): boolean {
    this.#drop();
    if (this.#heap.some((due) => !due.over && due.intervalMs === undefined && due.atMs <= untilMs)) return false;
    const series = this.#heap.splice(0).filter((due) => !due.over);
    for (const due of series) {
      const behindMs = untilMs - due.atMs;
      if (behindMs > 0) due.atMs += Math.ceil(behindMs / (due.intervalMs ?? 1)) * (due.intervalMs ?? 1);
      this.#sift(due);
    }
    this.#nowMs = Math.max(this.#nowMs, untilMs);
    return true;
  }

  #push(what: Pick<Due, 'atMs' | 'run' | 'intervalMs'>): Disposable {
    this.#seq += 1;
    const due: Due = { ...what, seq: this.#seq, over: false };
    this.#sift(due);
    return {
      [Symbol.dispose]: () => {
        due.over = true;
      },
    };
  }

  #next(): Due | undefined {
    this.#drop();
    return this.#heap[0];
  }

  #drop(): void {
    while (this.#heap[0]?.over === true) this.#pop();
  }

  #sift(due: Due): void {
    const heap = this.#heap;
    let at = heap.push(due) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!isBefore(due, heap[above]!)) break;
      heap[at] = heap[above]!;
      at = above;
    }
    heap[at] = due;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && isBefore(heap[below + 1]!, heap[below]!)) below += 1;
      if (!isBefore(heap[below]!, last)) break;
      heap[at] = heap[below]!;
      at = below;
    }
    heap[at] = last;
  }
}

const isBefore = (a: Due, b: Due): boolean => (a.atMs === b.atMs ? a.seq < b.seq : a.atMs < b.atMs);
