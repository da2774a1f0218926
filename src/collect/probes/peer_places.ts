/** Counts the looks under way at each peer, so that none has all the places. */
import type { Probe } from './scheduled_probe.ts';

/** Of the places for looks that run at once so many are for one peer, where there are several. */
const SHARE_OF_ONE = 0.75;

export const shareOf = (probes: readonly Probe[], concurrencyMax: number): number =>
  new Set(probes.map(({ peer }) => peer)).size > 1
    ? Math.max(1, Math.floor(concurrencyMax * SHARE_OF_ONE))
    : concurrencyMax;

/** Places by peer. What names none is not counted. */
export class PeerPlaces {
  readonly #most: number;
  readonly #taken = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  isFree({ peer }: Probe): boolean {
    return peer === undefined || (this.#taken.get(peer) ?? 0) < this.#most;
  }

  take({ peer }: Probe): void {
    if (peer !== undefined) this.#taken.set(peer, (this.#taken.get(peer) ?? 0) + 1);
  }

  release({ peer }: Probe): void {
    if (peer !== undefined) this.#taken.set(peer, (this.#taken.get(peer) ?? 1) - 1);
  }
}
