/** What probes and progress reports say of a channel's output and source. */
import type { MonoMs } from '../../core/clock.ts';
import type { PlaylistSample, ProgressSample, ReachSample, SourceSample } from '../../core/sample.ts';

/** One content of a playlist, from when to when it was seen. */
export interface Revision {
  readonly revision: string;
  readonly firstMs: MonoMs;
  readonly lastMs: MonoMs;
  /** Of the newest segment; undefined when it was not looked at. */
  readonly bytes: number | undefined;
  readonly ended: boolean;
  /**
   * It was seen before, and another one since. A new process may write again what the one before it wrote; what comes
   * and goes more often stands still on each of several servers that answer in turn, and is no change.
   */
  readonly hasReturned?: true;
}

/** What the probe of a channel's playlist has reported. */
export interface OutputFacts {
  readonly last: PlaylistSample;
  readonly lastOkMs: MonoMs | undefined;
  readonly failStreak: number;
  readonly failSinceMs: MonoMs | undefined;
  /** Newest last; at most 6. */
  readonly revisions: readonly Revision[];
  /** When the present content was first seen; of the first content that is no change. */
  readonly changedMs: MonoMs | undefined;
  readonly everChanged: boolean;
  /** Successive contents whose newest segment was empty. */
  readonly emptyStreak: number;
  /** Successive contents whose newest segment was missing. */
  readonly missingStreak: number;
  /** When the first of successive contents appeared whose newest segment is empty or missing. */
  readonly unplayableMs: MonoMs | undefined;
  readonly targetDurationMs: number | undefined;
}

const REVISIONS_KEPT = 6;

export function nextOutput(before: OutputFacts | undefined, sample: PlaylistSample): OutputFacts {
  const { monoMs } = sample;
  const facts: OutputFacts = {
    last: sample,
    lastOkMs: sample.ok ? monoMs : before?.lastOkMs,
    failStreak: sample.ok ? 0 : (before?.failStreak ?? 0) + 1,
    failSinceMs: sample.ok ? undefined : (before?.failSinceMs ?? monoMs),
    revisions: before?.revisions ?? [],
    changedMs: before?.changedMs,
    everChanged: before?.everChanged ?? false,
    emptyStreak: before?.emptyStreak ?? 0,
    missingStreak: before?.missingStreak ?? 0,
    unplayableMs: before?.unplayableMs,
    targetDurationMs: sample.targetDurationMs ?? before?.targetDurationMs,
  };
  return sample.ok && sample.revision !== undefined ? withRevision(facts, sample, sample.revision) : facts;
}

function withRevision(facts: OutputFacts, sample: PlaylistSample, revision: string): OutputFacts {
  const { monoMs, newestSegmentBytes: bytes } = sample;
  const held = facts.revisions.at(-1);
  if (held?.revision === revision) {
    const seenAgain = { ...held, lastMs: monoMs, bytes: bytes ?? held.bytes };
    // It came later than the list that names it.
    const came = bytes !== undefined && bytes > 0 ? PLAYABLE : {};
    return { ...facts, ...came, revisions: [...facts.revisions.slice(0, -1), seenAgain] };
  }
  const known = facts.revisions.findLastIndex((one) => one.revision === revision);
  const former = facts.revisions[known];
  if (former?.hasReturned) return { ...facts, revisions: facts.revisions.with(known, { ...former, lastMs: monoMs }) };
  const returned = former === undefined ? {} : ({ hasReturned: true } as const);
  const ended = sample.ended === true;
  const fresh: Revision = { revision, firstMs: monoMs, lastMs: monoMs, bytes, ended, ...returned };
  return {
    ...facts,
    revisions: [...facts.revisions, fresh].slice(-REVISIONS_KEPT),
    changedMs: monoMs,
    everChanged: facts.everChanged || held !== undefined,
    ...segmentsAfter(facts, sample),
  };
}

type Segments = Pick<OutputFacts, 'emptyStreak' | 'missingStreak' | 'unplayableMs'>;
const PLAYABLE: Segments = { emptyStreak: 0, missingStreak: 0, unplayableMs: undefined };

/** With the newest segment of one more content. */
function segmentsAfter({ emptyStreak, missingStreak, unplayableMs }: Segments, sample: PlaylistSample): Segments {
  const { newestSegmentBytes: bytes, newestSegmentMissing: isMissing = false, monoMs } = sample;
  if (bytes === undefined && !isMissing) return { emptyStreak, missingStreak, unplayableMs };
  if (bytes !== undefined && bytes > 0) return PLAYABLE;
  return {
    emptyStreak: isMissing ? emptyStreak : emptyStreak + 1,
    missingStreak: isMissing ? missingStreak + 1 : missingStreak,
    unplayableMs: unplayableMs ?? monoMs,
  };
}

/** What a probe that answers only yes or no has reported: plain reachability, or the source of a channel. */
export interface AnswerFacts<Sample> {
  readonly last: Sample;
  readonly okStreak: number;
  readonly okSinceMs: MonoMs | undefined;
  /** The good look before the newest one, in the same streak. */
  readonly okBeforeMs?: MonoMs | undefined;
  readonly failStreak: number;
  readonly failSinceMs: MonoMs | undefined;
  readonly lastOkMs: MonoMs | undefined;
  readonly lastFailMs: MonoMs | undefined;
  readonly lastFailed: Sample | undefined;
  /** When the last stretch of failures began, whether it is over or not. */
  readonly lastFailFromMs: MonoMs | undefined;
}

export type ReachFacts = AnswerFacts<ReachSample>;
export type SourceFacts = AnswerFacts<SourceSample>;

const NOT_FOUND = 404;

/** The server of the source answers and does not have it: a trouble of who publishes it, and not of that server. */
export const isAbsent = (source: SourceFacts | undefined): boolean =>
  source?.last.ok === false && (source.last.absent === true || source.last.status === NOT_FOUND);

export function nextAnswer<Sample extends ReachSample | SourceSample>(
  before: AnswerFacts<Sample> | undefined,
  sample: Sample,
): AnswerFacts<Sample> {
  const { ok, monoMs } = sample;
  return {
    last: sample,
    okStreak: ok ? (before?.okStreak ?? 0) + 1 : 0,
    okSinceMs: ok ? (before?.okSinceMs ?? monoMs) : undefined,
    okBeforeMs: ok && before?.last.ok === true ? before.last.monoMs : undefined,
    failStreak: ok ? 0 : (before?.failStreak ?? 0) + 1,
    failSinceMs: ok ? undefined : (before?.failSinceMs ?? monoMs),
    lastOkMs: ok ? monoMs : before?.lastOkMs,
    lastFailMs: ok ? before?.lastFailMs : monoMs,
    lastFailed: ok ? before?.lastFailed : sample,
    lastFailFromMs: ok || before?.last.ok === false ? before?.lastFailFromMs : monoMs,
  };
}

/** What an encoder has reported of itself. Log text: it corroborates, and never decides alone. */
export interface ProgressFacts {
  readonly lastMs: MonoMs;
  readonly outTimeMs: number;
  /** When the position last moved forward. */
  readonly advancedMs: MonoMs;
  /** When it last began to move again after a pause. */
  readonly resumedMs: MonoMs;
  /** The longest pause between two reports of late: silence is measured against the encoder's own habit. */
  readonly gapMs: number;
  readonly reports: number;
  /** Reports at least about 2 s apart, newest last, of one process; at most 16. */
  readonly spaced: readonly { readonly monoMs: MonoMs; readonly outTimeMs: number }[];
}

const SPACING_MS = 1_900;
const SPACED_KEPT = 16;
/** A longer pause is an interruption, and what follows it a resumption. */
const INTERRUPTED_MS = 5_000;
const GAP_MS_MAX = 10_000;

export function nextProgress(before: ProgressFacts | undefined, sample: ProgressSample): ProgressFacts {
  const { monoMs, outTimeMs } = sample;
  const point = { monoMs, outTimeMs };
  if (before === undefined || outTimeMs < before.outTimeMs) {
    return { lastMs: monoMs, outTimeMs, advancedMs: monoMs, resumedMs: monoMs, gapMs: 0, reports: 1, spaced: [point] };
  }
  const newest = before.spaced.at(-1);
  const apart = newest === undefined || monoMs - newest.monoMs >= SPACING_MS;
  const gapMs = Math.min(monoMs - before.lastMs, GAP_MS_MAX);
  const advances = outTimeMs > before.outTimeMs;
  return {
    lastMs: monoMs,
    outTimeMs,
    advancedMs: advances ? monoMs : before.advancedMs,
    resumedMs: advances && monoMs - before.advancedMs > INTERRUPTED_MS ? monoMs : before.resumedMs,
    gapMs: Math.max(gapMs, before.gapMs * 0.9),
    reports: before.reports + 1,
    spaced: apart ? [...before.spaced, point].slice(-SPACED_KEPT) : before.spaced,
  };
}

/**
 * Media seconds per second over each of the last `count` intervals, newest last; fewer where fewer are known. Not the
 * encoder's own average.
 */
export function speedsOf({ spaced }: ProgressFacts, count = Number.POSITIVE_INFINITY): readonly number[] {
  const speeds: number[] = [];
  for (let at = Math.max(1, spaced.length - count); at < spaced.length; at += 1) {
    const [from, to] = [spaced[at - 1]!, spaced[at]!];
    speeds.push((to.outTimeMs - from.outTimeMs) / (to.monoMs - from.monoMs));
  }
  return speeds;
}

/** How far the output has fallen behind time since the best moment that is remembered, in milliseconds. */
export function lagOf({ spaced }: ProgressFacts): number {
  let lead = 0;
  let leadMax = 0;
  for (let at = 0; at < spaced.length; at += 1) {
    lead = spaced[at]!.outTimeMs - spaced[at]!.monoMs;
    if (at === 0 || lead > leadMax) leadMax = lead;
  }
  return leadMax - lead;
}
