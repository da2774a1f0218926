/** Retries with exponential back-off. */
import type { Clock } from '../core/clock.ts';
import { MINUTE_MS } from '../core/duration.ts';
import { ReeveError } from '../core/errors.ts';
import { type Random, systemRandom } from '../core/id.ts';
import { RequestFailed } from './failure.ts';

export interface Backoff {
  readonly baseMs: number;
  /** How much longer each wait is than the one before. */
  readonly factor: number;
  readonly maxMs: number;
  /** 0 to 1: the share of a wait that chance may take away. 0 waits exactly, 1 anything from nothing. */
  readonly jitter: number;
}

const DEFAULT_BACKOFF: Backoff = { baseMs: 500, factor: 2, maxMs: MINUTE_MS, jitter: 0.5 };

/** The wait after the given attempt (from 1): exponential, capped, and shortened by chance so that crowds part. */
export function backoff(shape: Backoff, attempt: number, random: Random): number {
  const fullMs = Math.min(shape.maxMs, shape.baseMs * shape.factor ** Math.max(0, attempt - 1));
  return Math.round(fullMs * (1 - shape.jitter * random.next()));
}

export interface RetryOptions {
  readonly clock: Clock;
  /** All tries together, the first included. */
  readonly attemptsMax: number;
  readonly backoff?: Backoff;
  readonly random?: Random;
  readonly signal?: AbortSignal | undefined;
  /** Default: errors of Reeve's that say they are retryable. */
  readonly worthRetrying?: (error: unknown) => boolean;
}

const saysRetryable = (error: unknown): boolean => error instanceof ReeveError && error.retryable;

/**
 * Tries until it succeeds, the attempts are used up, the error is not worth another try, or the signal aborts.
 * A peer that asks to be left alone is left alone for that long, up to the backoff's maximum. Never put a change
 * that must happen at most once in here.
 */
export async function retry<T>(action: (attempt: number) => Promise<T>, options: RetryOptions): Promise<T> {
  const { clock, attemptsMax, signal, worthRetrying = saysRetryable, random = systemRandom } = options;
  const shape = options.backoff ?? DEFAULT_BACKOFF;
  for (let attempt = 1; ; attempt += 1) {
    signal?.throwIfAborted();
    try {
      return await action(attempt);
    } catch (error) {
      if (attempt >= attemptsMax || !worthRetrying(error)) throw error;
      const askedMs = error instanceof RequestFailed ? Math.min(error.retryAfterMs ?? 0, shape.maxMs) : 0;
      await clock.sleep(Math.max(askedMs, backoff(shape, attempt, random)), signal);
    }
  }
}
