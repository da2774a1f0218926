/** Keeps looks at all channels and looks at single ones in order. */
import type { MonoMs } from '../core/clock.ts';
import type { ChannelId } from '../core/scope.ts';

/**
 * Two looks may be under way at once, and what began first may end last: then it shows what was, and is left out. A
 * look is as new as its begin.
 */
export class LookOrder {
  #allMs: MonoMs = Number.NEGATIVE_INFINITY;
  readonly #oneMs = new Map<ChannelId, MonoMs>();

  /** A look at all channels that began then is here. Tells of which of them nothing newer was taken. */
  takeAll(beganMs: MonoMs): (channel: ChannelId) => boolean {
    this.#allMs = Math.max(this.#allMs, beganMs);
    for (const [channel, oneMs] of this.#oneMs) if (oneMs <= beganMs) this.#oneMs.delete(channel);
    return (channel) => !this.#oneMs.has(channel);
  }

  /** A look at one channel that began then is here. False: something newer of that channel was taken. */
  takeOne(channel: ChannelId, beganMs: MonoMs): boolean {
    const newestMs = Math.max(this.#allMs, this.#oneMs.get(channel) ?? Number.NEGATIVE_INFINITY);
    if (beganMs < newestMs) return false;
    this.#oneMs.set(channel, beganMs);
    return true;
  }
}
