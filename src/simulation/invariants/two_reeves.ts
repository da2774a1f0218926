/** The oracle of two Reeves on one engine, by the service itself. */
import type { Invocation } from '../effect_log.ts';
import type { ServiceTruth } from './service_truth.ts';

export interface TwoReevesDeps {
  readonly nowMs: () => number;
  readonly broke: (law: string, because: string) => void;
}

/**
 * Both may have seen the same death, and neither knows what the other has just begun. So long each may need to see that
 * the channel plays again: a look, and a start that was decided upon before it.
 */
const REACTION_MS = 15_000;

/** No channel is restarted, by whichever of them, that has played in view for longer than a reaction takes (S10). */
export class TwoReeves {
  readonly #deps: TwoReevesDeps;
  /** Since when a channel has played, and been seen. */
  readonly #playsSinceMs = new Map<string, number>();

  constructor(deps: TwoReevesDeps) {
    this.#deps = deps;
  }

  watch(truths: readonly ServiceTruth[]): void {
    const nowMs = this.#deps.nowMs();
    for (const { channel, status, onTime, visible } of truths) {
      if (status !== 'playing' || !onTime || !visible) this.#playsSinceMs.delete(channel);
      else if (!this.#playsSinceMs.has(channel)) this.#playsSinceMs.set(channel, nowMs);
    }
  }

  invoked({ tool, channel, atMs, status }: Invocation, who: string): void {
    if (tool !== 'restart_channel' || channel === undefined) return;
    // It may have died since it was last watched.
    if (status !== 'playing') return;
    const playsMs = atMs - (this.#playsSinceMs.get(channel) ?? atMs);
    if (playsMs > REACTION_MS)
      this.#deps.broke('S10', `${who} restarted ${channel}, which had played in view for ${playsMs} ms`);
  }
}
