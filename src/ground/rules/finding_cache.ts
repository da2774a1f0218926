// Caches findings of healthy channels until time or new facts could change them.
import type { MonoMs } from '../../core/clock.ts';
import type { ChannelFacts } from '../facts/facts.ts';
import { processKnown, progressStands } from '../facts/health.ts';
import type { ClassifyContext } from './classify_input.ts';
import { goesOn } from './goes_on.ts';
import type { ProcessFacts } from '../facts/process_facts.ts';
import {
  calmStaleOf,
  CHURN_WINDOW_MS,
  OBSERVER_LOST_MS,
  probeStaleOf,
  stallAfterOf,
  startGraceOf,
  SYMPTOM_FRESH_MS,
  VOUCH_MS,
} from '../facts/setup.ts';
import { VIEWERS_STALE_MS } from '../facts/viewers.ts';

/** A judgement is renewed after this long at the latest, should a moment be missing below. */
const STANDS_MS_MAX = 30_000;

/**
 * A judgement that found no trouble, and whether another one could come to anything else by now. Most channels are
 * well most of the time, and to judge them again and again is most of what an idle machine does.
 */
export class FindingCache {
  #facts: ChannelFacts;
  readonly #context: ClassifyContext;
  readonly #judgedMs: MonoMs;
  readonly #isHealthy: boolean;
  /** Worked out when it is first asked for: what gets news before that is judged anyway. */
  #basis: { readonly sides: number; readonly isProcessKnown: boolean } | undefined;
  /** Until then none of the moments is reached. */
  #untilMs: MonoMs = Number.NaN;

  /** `isHealthy`: it was not only in no trouble, but known to be well. */
  constructor(facts: ChannelFacts, context: ClassifyContext, judgedMs: MonoMs, isHealthy: boolean) {
    this.#facts = facts;
    this.#context = context;
    this.#judgedMs = judgedMs;
    this.#isHealthy = isHealthy;
  }

  /** The same judgement would come of these. Never true where it cannot decide. */
  stands(facts: ChannelFacts, context: ClassifyContext, nowMs: MonoMs): boolean {
    if (!isSameAround(this.#context, context) || !this.#tellsTheSame(facts, nowMs)) return false;
    if (this.#basis === undefined) this.#readBasis();
    if (processKnown(facts.process, nowMs) !== this.#basis?.isProcessKnown) return false;
    if (nowMs >= this.#untilMs && !this.#isOnSameSides(facts, nowMs)) return false;
    this.#facts = facts;
    return true;
  }

  #readBasis(): void {
    const [facts, judgedMs] = [this.#facts, this.#judgedMs];
    this.#untilMs = holdsUntil(facts, judgedMs);
    this.#basis = { sides: sidesOf(facts, judgedMs), isProcessKnown: processKnown(facts.process, judgedMs) };
  }

  /** What was newly seen has moved the moments on, so that none lies between the judgement and now. */
  #isOnSameSides(facts: ChannelFacts, nowMs: MonoMs): boolean {
    const renewMs = this.#judgedMs + STANDS_MS_MAX;
    const sides = this.#basis?.sides;
    if (nowMs >= renewMs || sides === undefined || sides === ON_A_MOMENT) return false;
    if (sidesOf(facts, nowMs) !== sides) return false;
    this.#untilMs = Math.min(holdsUntil(facts, nowMs), renewMs);
    return true;
  }

  #tellsTheSame(facts: ChannelFacts, nowMs: MonoMs): boolean {
    const before = this.#facts;
    if (!isSameBeside(before, facts)) return false;
    return isSameLooked(before, facts) || (this.#isHealthy && goesOn(before, facts, nowMs));
  }
}

/** Two contexts in which the same facts come to the same judgement. */
export const isSameContext = (a: ClassifyContext, b: ClassifyContext): boolean =>
  a.engine === b.engine && isSameAround(a, b);

/** The same, for a channel in no trouble: of an engine that answers it matters that it does, not when. */
const isSameAround = (a: ClassifyContext, b: ClassifyContext): boolean =>
  a.engine.failStreak === b.engine.failStreak &&
  a.engine.credential === b.engine.credential &&
  a.engine.last?.poolPressure === b.engine.last?.poolPressure &&
  a.host === b.host &&
  a.limits === b.limits &&
  a.autorestartGraceMs === b.autorestartGraceMs &&
  a.sharingSource === b.sharingSource &&
  a.wokeMs === b.wokeMs &&
  a.nearby?.failFromMs === b.nearby?.failFromMs &&
  a.nearby?.okSinceMs === b.nearby?.okSinceMs;

const isSameLooked = (a: ChannelFacts, b: ChannelFacts): boolean =>
  a === b || (a.output === b.output && a.reach === b.reach && a.source === b.source && a.progress === b.progress);

const isSameBeside = (a: ChannelFacts, b: ChannelFacts): boolean =>
  a === b ||
  (a.setup === b.setup &&
    a.watchedMs === b.watchedMs &&
    a.viewers === b.viewers &&
    a.symptoms === b.symptoms &&
    a.actedMs === b.actedMs &&
    isSameGeneration(a.process, b.process));

/**
 * It was looked at again, and that was all. What it used of the processor bears witness in trouble only, and when it
 * was last seen counts as `processKnown`.
 */
const isSameGeneration = (a: ProcessFacts | undefined, b: ProcessFacts | undefined): boolean =>
  a === b ||
  (a !== undefined &&
    b !== undefined &&
    a.state === b.state &&
    a.stateSinceMs === b.stateSinceMs &&
    a.unreadableSinceMs === b.unreadableSinceMs &&
    a.seenMs === b.seenMs &&
    a.bornMs === b.bornMs &&
    a.downSinceMs === b.downSinceMs &&
    a.stoppedOnPurpose === b.stoppedOnPurpose &&
    a.stoppedByUs === b.stoppedByUs &&
    a.lastEnd === b.lastEnd &&
    a.ends === b.ends &&
    a.failedProcesses === b.failedProcesses &&
    a.starts === b.starts &&
    a.bytes === b.bytes);

/**
 * The moments at which a row of the table would change by time alone, for a channel in no trouble; NaN where there is
 * none. That a source, a log or an encoder falls silent takes witnesses away, and makes no trouble of none. The list is
 * one and the same each time: it is asked for at every look.
 */
function momentsOf({ setup, process, output, reach, progress, viewers, watchedMs }: ChannelFacts): Float64Array {
  const bornMs = process === undefined ? watchedMs : process.bornMs;
  let at = 0;
  const add = (sinceMs: MonoMs | undefined, afterMs: number): void => {
    MOMENTS[at] = sinceMs === undefined ? Number.NaN : sinceMs + afterMs;
    at += 1;
  };
  add(bornMs, startGraceOf(output?.targetDurationMs));
  add(process?.unreadableSinceMs, OBSERVER_LOST_MS);
  add(process?.bytes?.movedMs, setup.stallAfterMs);
  add(watchedMs, OBSERVER_LOST_MS);
  add(output?.last.monoMs, OBSERVER_LOST_MS);
  add(reach?.last.monoMs, OBSERVER_LOST_MS);
  add(output?.last.monoMs, probeStaleOf(setup.outputEveryMs));
  add(reach?.last.monoMs, probeStaleOf(setup.outputEveryMs));
  add(output?.last.monoMs, calmStaleOf(setup));
  add(reach?.last.monoMs, calmStaleOf(setup));
  add(progress?.advancedMs, VOUCH_MS);
  add(process?.bytes?.movedMs, VOUCH_MS);
  add(progress?.advancedMs, setup.stallAfterMs);
  add(progress?.advancedMs, stallAfterOf(setup, output?.targetDurationMs));
  add(progress?.advancedMs, 3 * (progress?.gapMs ?? 0));
  add(viewers?.monoMs, OBSERVER_LOST_MS);
  add(viewers?.monoMs, VIEWERS_STALE_MS);
  return MOMENTS;
}

const MOMENTS = new Float64Array(17);

/** Until when none of the moments is reached. Now, for what is too unsettled to decide. */
export function holdsUntil(facts: ChannelFacts, nowMs: MonoMs): MonoMs {
  if (!isSettled(facts, nowMs)) return nowMs;
  let untilMs = nowMs + STANDS_MS_MAX;
  for (const momentMs of momentsOf(facts)) if (momentMs >= nowMs && momentMs < untilMs) untilMs = momentMs;
  return untilMs;
}

const ON_A_MOMENT = -1;

/** Which of the moments are past, a bit for each; `ON_A_MOMENT` where one is now, or where nothing can be decided. */
function sidesOf(facts: ChannelFacts, nowMs: MonoMs): number {
  if (!isSettled(facts, nowMs)) return ON_A_MOMENT;
  const moments = momentsOf(facts);
  let sides = 0;
  for (let at = 0; at < moments.length; at += 1) {
    if (moments[at] === nowMs) return ON_A_MOMENT;
    if (moments[at]! < nowMs) sides |= 1 << at;
  }
  return sides;
}

/** It runs, or does not on purpose; no log speaks of it, and no process of it has ended lately. */
function isSettled(facts: ChannelFacts, nowMs: MonoMs): boolean {
  const { process, symptoms } = facts;
  if (symptoms.some(({ lastMs }) => nowMs - lastMs <= SYMPTOM_FRESH_MS) || progressStands(facts, nowMs)) return false;
  if (process === undefined) return true;
  const isWanted = process.state === 'running' || (process.stoppedOnPurpose && !process.stoppedByUs);
  return isWanted && nowMs - (process.ends.at(-1) ?? Number.NEGATIVE_INFINITY) >= CHURN_WINDOW_MS;
}
