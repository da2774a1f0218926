import type { MonoMs } from '../../core/clock.ts';
import type { ChannelFacts } from './facts.ts';
import { healthOf } from './health.ts';
import { startGraceOf } from './setup.ts';

/** A viewer count older than this says nothing. */
export const VIEWERS_STALE_MS = 120_000;

/** How many watch now; undefined where nobody tells. */
export function viewersOf(facts: ChannelFacts, nowMs: MonoMs): number | undefined {
  const { viewers } = facts;
  return viewers === undefined || nowMs - viewers.monoMs > VIEWERS_STALE_MS ? undefined : viewers.viewers;
}

/**
 * Viewer-seconds that a restart would take away: everybody who watches, for as long as a new process may be without
 * output. A channel that shows nothing already has nothing to lose: 0. Undefined where viewers are not known.
 */
export function restartCost(facts: ChannelFacts, nowMs: MonoMs): number | undefined {
  const viewers = viewersOf(facts, nowMs);
  if (viewers === undefined) return undefined;
  if (healthOf(facts, nowMs).healthy === false) return 0;
  return (viewers * startGraceOf(facts.output?.targetDurationMs)) / 1000;
}
