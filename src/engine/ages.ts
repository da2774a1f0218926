/** Keeps the age that an engine gives of a process steady over looks that take their time. */
import type { MonoMs } from '../core/clock.ts';
import type { ChannelId } from '../core/scope.ts';

/** The age of one process, where the engine gives it, and the look that told it. */
export interface AgeSeen {
  readonly uptimeMs: number | undefined;
  readonly beganMs: MonoMs;
  readonly answeredMs: MonoMs;
}

interface Known {
  readonly bornMs: MonoMs;
  /** It began no later than this, as the last look has it. */
  readonly latestMs: MonoMs;
  readonly seenMs: MonoMs;
}

/** Ages are given in whole seconds, and rounded either way. */
const ROUNDED_MS = 3_000;
/** By how much two clocks that are kept right may part: a clock is slewed by half a thousandth at most (adjtimex). */
const DRIFT = 0.001;

/**
 * The age was taken somewhere between the question and the answer. Of a list that takes five seconds and a single
 * channel that takes none, the second seemed five seconds younger: another process, which nobody had started. It is
 * another only where it cannot have begun as early as the one before.
 */
export class Ages {
  readonly #known = new Map<ChannelId, Known>();

  /** How old it was when the look began, by when it was first seen. Undefined where this look does not tell. */
  at(channel: ChannelId, { uptimeMs, ...look }: AgeSeen): number | undefined {
    // A list may leave a channel out once: the process is the same when it comes again.
    if (uptimeMs === undefined) return undefined;
    const [earliestMs, latestMs] = [look.beganMs - uptimeMs, look.answeredMs - uptimeMs];
    const known = this.#known.get(channel);
    const boundMs = known === undefined ? latestMs : known.latestMs + (look.beganMs - known.seenMs) * DRIFT;
    const isSame = known !== undefined && earliestMs - boundMs <= ROUNDED_MS;
    const bornMs = isSame ? known.bornMs : earliestMs;
    const seenMs = look.beganMs;
    this.#known.set(channel, { bornMs, latestMs: isSame ? Math.min(boundMs, latestMs) : latestMs, seenMs });
    return Math.max(0, look.beganMs - bornMs);
  }
}
