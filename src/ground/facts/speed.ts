// Computes how fast an encoder has worked over the last intervals, and whether that is too slow.
import type { MonoMs } from '../../core/clock.ts';
import type { ChannelFacts } from './facts.ts';
import { lagOf, speedsOf } from './output_facts.ts';
import { LAG_MS_MIN, PROBE_STALE_MS, SPEED_INTERVALS, SPEED_MIN } from './setup.ts';

/** The true speeds of the last intervals, newest last, while the reports are recent and of this process. */
export function recentSpeeds(facts: ChannelFacts, nowMs: MonoMs): readonly number[] | undefined {
  const { progress, process } = facts;
  if (progress === undefined || nowMs - progress.lastMs > PROBE_STALE_MS) return undefined;
  if (process !== undefined && (progress.spaced[0]?.monoMs ?? 0) < process.seenMs - 1_000) return undefined;
  const speeds = speedsOf(progress, SPEED_INTERVALS);
  return speeds.length < SPEED_INTERVALS ? undefined : speeds;
}

/** Too slow on each of the last intervals, and behind by now. */
export function isSlow(facts: ChannelFacts, nowMs: MonoMs): boolean {
  const { progress } = facts;
  // Most keep up: the lag is asked for first, because that takes no list.
  if (progress === undefined || lagOf(progress) < LAG_MS_MIN) return false;
  return recentSpeeds(facts, nowMs)?.every((speed) => speed < SPEED_MIN) === true;
}

/** Slow, and yet moving: what stands is another trouble. */
export const fallsBehind = (facts: ChannelFacts, nowMs: MonoMs): boolean =>
  recentSpeeds(facts, nowMs)?.some((speed) => speed > 0) === true && isSlow(facts, nowMs);
