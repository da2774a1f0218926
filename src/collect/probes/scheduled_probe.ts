/** A probe with its place in the schedule, and the pace of those that are suspected of trouble. */
import type { MonoMs } from '../../core/clock.ts';
import { SECOND_MS } from '../../core/duration.ts';

/** One thing to look at again and again. */
export interface Probe {
  /** Unique over all probes. */
  readonly name: string;
  readonly everyMs: number;
  /** The pace while trouble is suspected. */
  readonly fastEveryMs: number;
  /** After this long the signal aborts with `TIMED_OUT`. Undefined: the look ends by itself. */
  readonly timeoutMs: number | undefined;
  /** Whom it asks: one that does not answer must leave places for looks at others. Undefined: nobody who may hang. */
  readonly peer?: string | undefined;
  /** Reports what it saw by itself. Must not reject: what it throws is a bug. */
  run(signal: AbortSignal): Promise<void>;
}

export class ScheduledProbe {
  readonly probe: Probe;
  /** The next look; `Infinity` before the start. */
  dueMs: MonoMs = Number.POSITIVE_INFINITY;
  startedMs: MonoMs = Number.NEGATIVE_INFINITY;
  fastUntilMs: MonoMs = Number.NEGATIVE_INFINITY;
  /** Its last beat that was left out. */
  leftOutMs: MonoMs = Number.NEGATIVE_INFINITY;
  state: 'idle' | 'waiting' | 'running' = 'idle';
  /** Asked for while it ran, with this rest: what it sees may be older than the question. */
  wantedAgainMs: number | undefined;

  constructor(probe: Probe) {
    this.probe = probe;
  }
}

/** Looks of all at the fast pace in a second. */
const FAST_PER_SECOND_MAX = 100;

/**
 * The fast pace, of those whose trouble is suspected. Many at once share so many looks a second, and none looks more
 * seldom than at its own pace: in an outage of hundreds, looks would take the time in which they are judged.
 */
export class FastPace {
  readonly #probes = new Set<ScheduledProbe>();

  /** From now on until then. */
  begin(scheduled: ScheduledProbe, untilMs: MonoMs): void {
    scheduled.fastUntilMs = Math.max(scheduled.fastUntilMs, untilMs);
    this.#probes.add(scheduled);
  }

  /** How long after a look the next one comes now. */
  everyMs(scheduled: ScheduledProbe, nowMs: MonoMs): number {
    const { everyMs, fastEveryMs } = scheduled.probe;
    if (nowMs >= scheduled.fastUntilMs) {
      this.#probes.delete(scheduled);
      return everyMs;
    }
    return Math.min(everyMs, Math.max(fastEveryMs, (SECOND_MS * this.#probes.size) / FAST_PER_SECOND_MAX));
  }
}
