// Gives how many viewers a channel has, while the count is fresh.
import type { MonoMs } from '../../core/clock.ts';
import type { ChannelFacts } from './facts.ts';

/** A viewer count older than this says nothing. */
export const VIEWERS_STALE_MS = 120_000;

/** How many watch now; undefined where that is not reported. */
export function viewersOf(facts: ChannelFacts, nowMs: MonoMs): number | undefined {
  const { viewers } = facts;
  return viewers === undefined || nowMs - viewers.monoMs > VIEWERS_STALE_MS ? undefined : viewers.viewers;
}
