/** Keeps one client from filling the disk: so many facts a minute, and no more. */
import type { Clock } from '../core/clock.ts';
import { MINUTE_MS } from '../core/duration.ts';
import { ReeveError } from '../core/errors.ts';

/** A fixed window: at most twice the bound within any minute. */
export class MinuteBudget {
  readonly #clock: Clock;
  readonly #max: number;
  #sinceMs = Number.NEGATIVE_INFINITY;
  #spent = 0;

  constructor(clock: Clock, max: number) {
    this.#clock = clock;
    this.#max = max;
  }

  /** Takes one. Throws QUEUE_FULL when the minute has none left. */
  spend(): void {
    if (this.take()) return;
    throw new ReeveError('QUEUE_FULL', `at most ${this.#max} hints and reports are taken in a minute`);
  }

  /** Takes one where there is one. */
  take(): boolean {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#sinceMs >= MINUTE_MS) {
      this.#sinceMs = nowMs;
      this.#spent = 0;
    }
    if (this.#spent >= this.#max) return false;
    this.#spent += 1;
    return true;
  }
}
