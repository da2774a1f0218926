/** Deadline and circuit breaker around the calls to one peer. */
import { EventEmitter } from 'node:events';
import CircuitBreaker from 'opossum';
import { type Clock, deadline, type MonoMs, TIMER_MS_MAX } from '../core/clock.ts';
import { MINUTE_MS } from '../core/duration.ts';
import { type ErrorCode, InvariantError, messageOf, ReeveError } from '../core/errors.ts';

export interface TransportOptions {
  /** A call that has not ended by then is given up, whether or not it heeds its signal. */
  readonly timeoutMs: number;
  /** What an error that is not ours is reported as. Default `ENGINE_UNREACHABLE`. */
  readonly unreachable?: ErrorCode;
  /** Fewer calls than this in the window never open the breaker. Default 5. */
  readonly callsMin?: number;
  /** The breaker opens when a greater share of the window's calls failed. Default 0.5. */
  readonly failureRatioMax?: number;
  /** Default 60 s. */
  readonly windowMs?: number;
  /** How long an open breaker refuses calls before it lets one try. Default 10 s. */
  readonly openMs?: number;
}

export interface CallOptions {
  /** Replaces the transport's own. */
  readonly timeoutMs?: number;
  /** When it aborts, the call rejects at once with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export type TransportState = 'closed' | 'open' | 'half_open';

/** The way to one peer: deadline and circuit breaker around whatever is sent there. */
export interface Transport extends Disposable {
  readonly name: string;
  readonly state: TransportState;
  readonly counts: { readonly calls: number; readonly failures: number; readonly turnedAway: number };
  /**
   * Runs the action once, never again. Rejects with `BREAKER_OPEN` without running it while the peer is known to be
   * down, with `TIMED_OUT` at the deadline, with the action's own `ReeveError`, or with any other error wrapped.
   */
  call<T>(action: (signal: AbortSignal) => Promise<T>, options?: CallOptions): Promise<T>;
}

const BUCKETS = 10;

/** A peer that says no is well: only silence, resets, nonsense and its own failures count against it. */
const isRefusal = (error: unknown): boolean => error instanceof ReeveError && error.code.endsWith('_REFUSED');

/**
 * A transport around opossum's breaker. opossum keeps the statistics and decides when to open; time is ours: the
 * buckets of its window rotate, and its open state ends, by the given clock and only when a call comes, so an idle
 * transport owns no timer. Leaving the open state replaces the breaker by a fresh half-open one, so a call that began
 * before the trip can neither close nor open what came after it.
 */
export function createTransport(name: string, options: TransportOptions, clock: Clock): Transport {
  return new BreakerTransport(name, options, clock);
}

/** The caller aborted. Carries the reason past opossum, which must not count it. */
class CallerLeft extends Error {
  readonly reason: unknown;

  constructor(reason: unknown) {
    super('the caller left');
    this.reason = reason;
  }
}

/** The action's end, or the signal's reason when that comes first: no caller waits for an action that ignores it. */
function endedBy<T>(signal: AbortSignal, action: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    const ended = (async () => action(signal))();
    ended.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

type Run = () => Promise<unknown>;

class BreakerTransport implements Transport {
  readonly name: string;
  readonly #options: Required<TransportOptions>;
  readonly #clock: Clock;
  readonly #buckets = new EventEmitter();
  #breaker: CircuitBreaker<[Run], unknown>;
  #turnedAtMs: MonoMs;
  #openedAtMs: MonoMs | undefined;
  #lastFailure: unknown;
  #calls = 0;
  #failures = 0;
  #turnedAway = 0;
  #disposed = false;

  constructor(name: string, options: TransportOptions, clock: Clock) {
    this.name = name;
    this.#clock = clock;
    this.#options = {
      unreachable: 'ENGINE_UNREACHABLE',
      callsMin: 5,
      failureRatioMax: 0.5,
      windowMs: MINUTE_MS,
      openMs: 10_000,
      ...options,
    };
    this.#turnedAtMs = clock.monotonicMs();
    this.#breaker = this.#build('closed');
  }

  get state(): TransportState {
    if (this.#openedAtMs === undefined) return this.#breaker.halfOpen ? 'half_open' : 'closed';
    return this.#openRemainingMs() > 0 ? 'open' : 'half_open';
  }

  get counts() {
    return { calls: this.#calls, failures: this.#failures, turnedAway: this.#turnedAway };
  }

  async call<T>(action: (signal: AbortSignal) => Promise<T>, options: CallOptions = {}): Promise<T> {
    options.signal?.throwIfAborted();
    this.#catchUp();
    if (this.#disposed || !(this.#breaker.closed || this.#breaker.pendingClose)) throw this.#turnAway();
    this.#calls += 1;
    try {
      return (await this.#breaker.fire(() => this.#attempt(action, options))) as T;
    } catch (error) {
      throw error instanceof CallerLeft ? error.reason : error;
    }
  }

  [Symbol.dispose](): void {
    this.#disposed = true;
    this.#breaker.shutdown();
  }

  async #attempt<T>(action: (signal: AbortSignal) => Promise<T>, options: CallOptions): Promise<T> {
    const timeoutMs = options.timeoutMs ?? this.#options.timeoutMs;
    const late = () => new ReeveError('TIMED_OUT', `${this.name} did not answer within ${timeoutMs} ms`);
    using limit = deadline(this.#clock, timeoutMs, late, options.signal);
    try {
      return await endedBy(limit.signal, action);
    } catch (error) {
      if (options.signal?.aborted) throw new CallerLeft(error);
      throw this.#wrapped(error);
    }
  }

  #wrapped(error: unknown): unknown {
    if (error instanceof ReeveError || error instanceof InvariantError) return error;
    return new ReeveError(this.#options.unreachable, `${this.name}: ${messageOf(error)}`, { cause: error });
  }

  #turnAway(): ReeveError {
    this.#turnedAway += 1;
    const because = this.#disposed ? 'it was closed' : `it failed too often (${messageOf(this.#lastFailure)})`;
    return new ReeveError('BREAKER_OPEN', `${this.name} was not asked, because ${because}`, {
      cause: this.#lastFailure,
      hint: `The next call may try in ${this.#openRemainingMs()} ms.`,
    });
  }

  #openRemainingMs(): number {
    if (this.#openedAtMs === undefined) return 0;
    return Math.max(0, this.#openedAtMs + this.#options.openMs - this.#clock.monotonicMs());
  }

  /** Rotates the window's buckets and ends the open state, by the time that has passed since the last call. */
  #catchUp(): void {
    const bucketMs = this.#options.windowMs / BUCKETS;
    const steps = Math.floor((this.#clock.monotonicMs() - this.#turnedAtMs) / bucketMs);
    for (let step = 0; step < Math.min(steps, BUCKETS); step += 1) this.#buckets.emit('rotate');
    this.#turnedAtMs += steps * bucketMs;
    if (this.#openedAtMs === undefined || this.#disposed || this.#openRemainingMs() > 0) return;
    this.#openedAtMs = undefined;
    this.#breaker.shutdown();
    this.#breaker = this.#build('half_open');
  }

  #build(state: 'closed' | 'half_open'): CircuitBreaker<[Run], unknown> {
    const halfOpen = state === 'half_open';
    // `state` is missing in the published types. It is written here by hand, never read back from a breaker's JSON.
    const options: CircuitBreaker.Options & { state: { closed: boolean; halfOpen: boolean } } = {
      name: this.name,
      timeout: false,
      resetTimeout: TIMER_MS_MAX,
      errorThresholdPercentage: this.#options.failureRatioMax * 100,
      volumeThreshold: this.#options.callsMin,
      rollingCountTimeout: this.#options.windowMs,
      rollingCountBuckets: BUCKETS,
      rollingPercentilesEnabled: false,
      enableSnapshots: false,
      rotateBucketController: this.#buckets,
      errorFilter: (error) => this.#isHarmless(error, breaker.halfOpen),
      state: { closed: !halfOpen, halfOpen },
    };
    const breaker = new CircuitBreaker<[Run], unknown>((run) => run(), options);
    breaker.on('open', () => {
      this.#openedAtMs = this.#clock.monotonicMs();
    });
    return breaker;
  }

  /** A caller who left says nothing of the peer; as a probe it must not pass for a success either. */
  #isHarmless(error: unknown, probing: boolean): boolean {
    const harmless = error instanceof CallerLeft ? !probing : isRefusal(error) || error instanceof InvariantError;
    if (!harmless) {
      this.#failures += 1;
      this.#lastFailure = error;
    }
    return harmless;
  }
}
