/** Picks the channels that are judged again although nothing is new of them: silence is news too. */
import type { MonoMs } from '../../core/clock.ts';
import type { ChannelId } from '../../core/scope.ts';

/** How often each channel is judged at least; with more than five times as many as below, a walk takes longer. */
const SWEEP_MS = 5_000;
/** So many take some tens of milliseconds, for which a line of a log waits; of more, the rest come a second later. */
export const SWEPT_MAX = 2_000;

/** One walk over all channels after another, in bounded parts. Asked once a second. */
export class Sweep {
  #beganMs: MonoMs = 0;
  #left: readonly ChannelId[] = [];

  /** Who is due now. A walk that takes longer than it should is ended before the next begins: nobody is left out. */
  due(channels: readonly ChannelId[], nowMs: MonoMs): readonly ChannelId[] {
    if (this.#left.length === 0 && nowMs - this.#beganMs >= SWEEP_MS) {
      this.#beganMs = nowMs;
      this.#left = channels;
    }
    const due = this.#left.slice(0, SWEPT_MAX);
    this.#left = this.#left.slice(SWEPT_MAX);
    return due;
  }
}
