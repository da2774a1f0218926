/** What was last found of a channel, and since when. */
import type { FailureClass } from '../../core/classification.ts';
import type { MonoMs } from '../../core/clock.ts';
import type { ChannelRef } from '../../core/scope.ts';
import type { Finding } from '../../ground/rules/classify.ts';
import { CLEAR_HOLD_MS } from '../lifecycle/transitions.ts';

/** What was last found of a channel, and since when. */
export interface TrackedChannel {
  readonly ref: ChannelRef;
  readonly finding: Finding;
  /**
   * Since when it has been in any trouble; when it was last judged, for a channel in none. Moments in which nothing was
   * known of it do not end a trouble.
   */
  readonly troubledMs: MonoMs;
  /** Since when the present classification has held. */
  readonly classifiedMs: MonoMs;
  readonly healthySinceMs: MonoMs | undefined;
  /** Since when it has been in no trouble; undefined while it is in some. */
  readonly clearSinceMs: MonoMs | undefined;
  /**
   * How many watched when it was last in no trouble: a channel that went down has lost them. Undefined: not reported.
   */
  readonly viewers?: number | undefined;
}

/** Differs where a channel is judged otherwise than before. */
export const classOf = (finding: Finding): FailureClass | string =>
  finding.trouble ? finding.classification : `well:${finding.healthy}:${finding.quiet}`;

/** `isSeen`: the finding rests on looks since the machine last slept (law T3); default true. */
export function trackedAfter(
  before: TrackedChannel | undefined,
  now: Pick<TrackedChannel, 'ref' | 'finding' | 'viewers'> & { readonly nowMs: MonoMs; readonly isSeen?: boolean },
): TrackedChannel {
  const { ref, finding, viewers, nowMs, isSeen = true } = now;
  const sameClass = before !== undefined && classOf(before.finding) === classOf(finding);
  const healthy = finding.healthy === true && !finding.trouble && isSeen;
  return {
    ref,
    finding,
    troubledMs: before !== undefined && goesOn(before, finding, nowMs) ? before.troubledMs : nowMs,
    classifiedMs: sameClass ? before.classifiedMs : nowMs,
    healthySinceMs: healthy ? (before?.healthySinceMs ?? nowMs) : undefined,
    clearSinceMs: finding.trouble ? undefined : (before?.clearSinceMs ?? nowMs),
    viewers: finding.trouble ? (before?.viewers ?? viewers) : viewers,
  };
}

/**
 * The trouble goes on, or is only not seen for the moment. Where samples come late, what they say is too old for a
 * moment again and again: patience that began anew each time would never end, and nobody would be paged (law L6).
 */
function goesOn({ finding, troubledMs, clearSinceMs }: TrackedChannel, next: Finding, nowMs: MonoMs): boolean {
  const isUnseen = !next.trouble && next.healthy === undefined && !next.quiet;
  if (!next.trouble && !isUnseen) return false;
  if (finding.trouble) return true;
  return clearSinceMs !== undefined && troubledMs < clearSinceMs && nowMs - clearSinceMs < CLEAR_HOLD_MS;
}

/** The machine slept, and this was the state before: since when it is well has to be seen anew. */
export function withoutHealth(one: TrackedChannel, wokeMs: MonoMs): TrackedChannel {
  const { troubledMs, clearSinceMs } = one;
  if (clearSinceMs === undefined) return { ...one, healthySinceMs: undefined };
  const isOnlyUnseen = troubledMs < clearSinceMs;
  return {
    ...one,
    healthySinceMs: undefined,
    clearSinceMs: wokeMs,
    troubledMs: isOnlyUnseen ? troubledMs : wokeMs,
  };
}
