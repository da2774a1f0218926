/** Token bucket: how many things of one kind may begin now, where so many may in a second and so many at once. */
import type { MonoMs } from '../core/clock.ts';
import { SECOND_MS } from '../core/duration.ts';

export interface TokenBucketOptions {
  /** Tokens that come back in a second: more than 0, finite, whole or not. They come evenly, not once a second. */
  readonly perSecond: number;
  /** The most that it holds, however long nothing was taken: 1 or more, else there is never a whole one. */
  readonly burst: number;
  /** What is in it at first, from 0 to `burst`. */
  readonly tokens: number;
  readonly nowMs: MonoMs;
}

/**
 * Has no timer: it is refilled when it is asked, for the time since it was asked before. Time that stands still or goes
 * back brings nothing.
 */
export class TokenBucket {
  readonly #perSecond: number;
  readonly #burst: number;
  /** With the parts of those that have not come wholly; from 0 to the burst. */
  #tokens: number;
  #refilledMs: MonoMs;

  constructor({ perSecond, burst, tokens, nowMs }: TokenBucketOptions) {
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#tokens = tokens;
    this.#refilledMs = nowMs;
  }

  /** How many whole ones there are now. */
  whole(nowMs: MonoMs): number {
    const passedMs = Math.max(0, nowMs - this.#refilledMs);
    this.#tokens = Math.min(this.#tokens + (passedMs * this.#perSecond) / SECOND_MS, this.#burst);
    this.#refilledMs += passedMs;
    return Math.floor(this.#tokens);
  }

  /** Takes one where there is one. */
  take(nowMs: MonoMs): boolean {
    if (this.whole(nowMs) < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Takes what has been used already, as of when it was asked last. More than there is leaves nothing, but no debt. */
  spend(count: number): void {
    this.#tokens = Math.max(0, this.#tokens - count);
  }

  /**
   * When there will be a whole one if none is taken; where there is one, a time that is past or now. Else it is at
   * least a millisecond later, for that is how far a clock goes: who waits for less would ask again and again.
   */
  get nextMs(): MonoMs {
    const inMs = ((1 - this.#tokens) * SECOND_MS) / this.#perSecond;
    return this.#refilledMs + (inMs > 0 ? Math.max(1, inMs) : inMs);
  }
}
