/** Estimates viewer-seconds from recorded counts of viewers. */
import type { EpochMs } from '../core/clock.ts';
import { MINUTE_MS } from '../core/duration.ts';
import type { Sample, ViewerSample } from '../core/sample.ts';
import type { Decided } from './decisions.ts';

/** Viewers times seconds. Undefined where the recording knows no viewers. */
export interface ViewerSeconds {
  /** While an incident was open on the channel. */
  readonly inTrouble: number;
  /** What the changes would have cost, as the guard expects it. */
  readonly spent: number;
}

/** A count holds until the next one, at most this long. */
const HOLDS_MS = MINUTE_MS;

/** How many waited for how long, by the recorded counts of viewers. */
export function viewerSecondsOf(
  samples: readonly Sample[],
  { incidents, wouldAct }: Pick<Decided, 'incidents' | 'wouldAct'>,
  to: EpochMs,
): ViewerSeconds | undefined {
  const counts = samples.filter((sample): sample is ViewerSample => sample.kind === 'viewers');
  if (counts.length === 0) return undefined;
  const stretches = incidents.flatMap(({ scope, channels, openedAt, closedAt }) => {
    const about = scope.startsWith('channel:') ? [scope.slice('channel:'.length)] : channels;
    return about.map((channel) => ({ channel, from: openedAt, to: closedAt ?? to }));
  });
  const inTrouble = stretches.reduce((sum, stretch) => sum + within(counts, stretch), 0);
  const spent = wouldAct.reduce((sum, { viewerSeconds = 0 }) => sum + viewerSeconds, 0);
  return { inTrouble: Math.round(inTrouble), spent: Math.round(spent) };
}

function within(counts: readonly ViewerSample[], stretch: { channel: string; from: EpochMs; to: EpochMs }): number {
  const own = counts.filter(({ channel }) => channel === stretch.channel);
  return own.reduce((sum, { at, viewers }, index) => {
    const until = Math.min(own[index + 1]?.at ?? Number.POSITIVE_INFINITY, at + HOLDS_MS);
    const overlapMs = Math.min(until, stretch.to) - Math.max(at, stretch.from);
    return sum + (Math.max(0, overlapMs) / 1_000) * viewers;
  }, 0);
}
