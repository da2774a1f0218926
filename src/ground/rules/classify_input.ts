// Prepares the facts of one channel at one moment for the classification rules.
import type { MonoMs } from '../../core/clock.ts';
import type { Limits } from '../../core/limits.ts';
import type { SourceSample } from '../../core/sample.ts';
import type { SymptomKind } from '../../core/symptom.ts';
import type { EngineFacts, HostFacts } from '../facts/engine_facts.ts';
import type { ChannelFacts } from '../facts/facts.ts';
import { endedByOrder, type Health, healthOf, isYoung, processKnown, progressStands } from '../facts/health.ts';
import { isBack, type NearbySources, nearbyIsBack, serverOutOf } from '../correlate/nearby.ts';
import type { GenerationEnd, ProcessFacts } from '../facts/process_facts.ts';
import {
  calmSourceStaleOf,
  CHURN_ENDS_MIN,
  CHURN_RECENT_MS,
  CHURN_WINDOW_MS,
  CORRUPT_FRESH_MS,
  FINAL_OUTPUT_MS,
  probeStaleOf,
  SYMPTOM_FRESH_MS,
  VOUCH_MS,
} from '../facts/setup.ts';
import { fallsBehind } from '../facts/speed.ts';
import { type SymptomFacts, UPSTREAM_SYMPTOMS } from '../facts/symptom_facts.ts';

/** What lies around a channel while it is judged. */
export interface ClassifyContext {
  readonly engine: EngineFacts;
  readonly host: HostFacts | undefined;
  readonly limits: Limits;
  /** How long the engine itself gets to restart what died. */
  readonly autorestartGraceMs: number;
  /** Other channels whose source is on the same host and fails too. */
  readonly sharingSource: number;
  /** What probes report of the sources of its group, for a channel whose own is not looked at. */
  readonly nearby?: NearbySources | undefined;
  /** When the machine last slept. */
  readonly wokeMs?: MonoMs;
}

/** One channel at one moment, with what every row of the table asks for worked out once. */
export interface ClassifyInput {
  readonly facts: ChannelFacts;
  readonly context: ClassifyContext;
  readonly nowMs: MonoMs;
  readonly health: Health;
  /** The process as the engine reports it, if the report is recent. */
  readonly process: ProcessFacts | undefined;
  readonly running: boolean;
  /** Not running, and not stopped on purpose. */
  readonly down: boolean;
  readonly young: boolean;
  /** Processes that ended in the last minute (of a dead one: in the minute before it died) without an order. */
  readonly recentEnds: number;
  /** A loop: one short-lived process after another, and none has settled since. */
  readonly churning: boolean;
  /** Something is wrong or may be: health is not certain, processes are too short-lived, or the output falls behind. */
  readonly troubled: boolean;
  /** The records that still say something about the present, strongest first. */
  readonly speaking: readonly SymptomFacts[];
}

/** What a look is before its records are asked whether they speak. */
type Glance = Omit<ClassifyInput, 'speaking'>;

export function classifyInputAt(facts: ChannelFacts, context: ClassifyContext, nowMs: MonoMs): ClassifyInput {
  const process = processKnown(facts.process, nowMs) ? facts.process : undefined;
  const health = healthOf(facts, nowMs);
  const down = isDown(process, health);
  const recentEnds = endsOf(process, down, nowMs);
  const churning = process !== undefined && isLoop(process, down, nowMs) && recentEnds >= CHURN_ENDS_MIN;
  const glance = {
    facts,
    context,
    nowMs,
    health,
    process,
    running: process?.state === 'running',
    down,
    young: isYoung(facts, nowMs),
    recentEnds,
    churning,
    troubled: health.healthy !== true || churning || fallsBehind(facts, nowMs),
  };
  return { ...glance, speaking: speakingNow(glance) };
}

/** What starts and plays already is not down, whatever its engine waits for. */
const isDown = (process: ProcessFacts | undefined, { healthy }: Health): boolean =>
  process !== undefined &&
  process.state !== 'running' &&
  !(process.state === 'starting' && healthy === true) &&
  (!process.stoppedOnPurpose || process.stoppedByUs);

/** A loop that ended in death did not stop turning by itself: what is dead counts from its death, not from now. */
function endsOf(process: ProcessFacts | undefined, down: boolean, nowMs: MonoMs): number {
  if (process === undefined) return 0;
  const { ends } = process;
  const fromMs = (down ? (ends.at(-1) ?? nowMs) : nowMs) - CHURN_WINDOW_MS;
  return ends.filter((endMs) => endMs > fromMs).length;
}

/** No process has settled since, and the last one ended lately or was the last. */
const isLoop = ({ failedProcesses, ends }: ProcessFacts, down: boolean, nowMs: MonoMs): boolean =>
  failedProcesses > 0 && (down || nowMs - (ends.at(-1) ?? Number.NEGATIVE_INFINITY) <= CHURN_RECENT_MS);

const NOTHING: readonly SymptomFacts[] = [];

function speakingNow(glance: Glance): readonly SymptomFacts[] {
  const { symptoms } = glance.facts;
  // Most channels complain of nothing.
  if (symptoms.length === 0) return NOTHING;
  return symptoms
    .filter((one) => speaksNow(glance, one))
    .sort((a, b) => b.confidence - a.confidence || b.lastMs - a.lastMs || (a.kind < b.kind ? -1 : 1));
}

/** The records of these kinds that still say something about the present, strongest first. */
export function reported(input: ClassifyInput, ...kinds: readonly SymptomKind[]): readonly SymptomFacts[] {
  // Every row asks.
  if (input.speaking.length === 0) return NOTHING;
  return input.speaking.filter(({ kind }) => kinds.includes(kind));
}

/**
 * The log of an earlier process says nothing of a new one, unless processes end one after another: then its lines
 * outlast the loop, so that the loop never loses the name of its cause.
 * What a process logged as it died counts for as long as it is dead: nothing newer contradicts it.
 */
function speaksNow(input: Glance, symptom: SymptomFacts): boolean {
  const { process, nowMs } = input;
  const freshMs = symptom.kind === 'corrupt_input' && !input.churning ? CORRUPT_FRESH_MS : SYMPTOM_FRESH_MS;
  const fresh = nowMs - symptom.lastMs <= freshMs;
  if (process === undefined) return fresh;
  if (input.down) return fresh || (hasFinalOutput(process) && symptom.lastMs >= finalOutputFromMs(process));
  if (input.recentEnds >= 2) return fresh;
  return fresh && symptom.lastMs > (process.lastEnd?.monoMs ?? Number.NEGATIVE_INFINITY);
}

/** A killed process explains nothing; one that the engine gave up, or that ended by itself, does. */
const hasFinalOutput = (process: ProcessFacts): boolean => process.state === 'fatal' || !diedBySignal(process);

const finalOutputFromMs = (process: ProcessFacts): MonoMs =>
  (process.downSinceMs ?? process.stateSinceMs) - FINAL_OUTPUT_MS;

const SIGKILL = 9;

/** The signal was SIGKILL, or is not reported: supervisors without the number report 0, or a negative exit code. */
export const maybeKilled = ({ exitSignal, exitCode }: GenerationEnd): boolean =>
  exitSignal === undefined ? exitCode === undefined || exitCode < 0 : exitSignal === SIGKILL || exitSignal === 0;

/** Killed by a signal that is no request to end. */
export function diedBySignal(process: ProcessFacts): boolean {
  const end = process.lastEnd;
  if (end === undefined || endedByOrder(end)) return false;
  return end.exitSignal !== undefined || (end.exitCode ?? 0) < 0;
}

/** The source answers badly now. Undefined where it is not probed, or was not lately. */
export function sourceFails(input: ClassifyInput): boolean | undefined {
  const { source } = input.facts;
  if (source === undefined || input.nowMs - source.last.monoMs > sourceStaleMs(input)) return undefined;
  return !source.last.ok;
}

/**
 * The source did not fail when the process ended. A calm channel's is looked at seldom: the last look counts where it
 * was good and the encoder went on until the end, for that is what it reads.
 */
export function sourceHeldUntil(input: ClassifyInput, endMs: MonoMs): boolean {
  const fails = sourceFails(input);
  if (fails !== undefined) return !fails;
  const { source, progress, process, setup } = input.facts;
  if (source?.last.ok !== true || input.nowMs - source.last.monoMs > calmSourceStaleOf(setup)) return false;
  const goesOnMs = Math.max(progress?.advancedMs ?? 0, process?.bytes?.movedMs ?? 0);
  return goesOnMs >= (process?.seenMs ?? 0) && endMs - goesOnMs <= VOUCH_MS;
}

const sourceStaleMs = (input: ClassifyInput): number => probeStaleOf(input.facts.setup.sourceEveryMs);

/**
 * The last failing look at the source, for as long as it speaks: until the source is back, one good look among bad ones
 * does not clear it for a channel that still suffers.
 */
export function sourceFailure(input: ClassifyInput): SourceSample | undefined {
  const { source } = input.facts;
  if (source?.lastFailed === undefined || input.nowMs - source.lastFailed.monoMs > 2 * sourceStaleMs(input))
    return undefined;
  if (sourceFails(input) === true) return source.lastFailed;
  const suffers = input.health.healthy === false || fallsBehind(input.facts, input.nowMs);
  return suffers && sourceFails(input) === false && !sourceIsBack(input, source.lastFailed.monoMs)
    ? source.lastFailed
    : undefined;
}

/** The source still gave something after `sinceMs`, and was not read badly since. */
export function sourceReadSince(input: ClassifyInput, sinceMs: MonoMs): boolean {
  const { source } = input.facts;
  if (source === undefined || sourceFails(input) !== false) return false;
  const { monoMs, silentMs = 0, spanMs = 0 } = source.last;
  return monoMs - silentMs - spanMs >= sinceMs;
}

/** The source has been well for several looks: an outage is over, not just pausing. */
export function sourceIsBack(input: ClassifyInput, sinceMs: MonoMs): boolean {
  const { facts } = input;
  const { source } = facts;
  if (source === undefined) return nearbyIsBack(facts.setup, input.context.nearby, sinceMs);
  return isBack(source) && source.okSinceMs >= sinceMs && sourceFails(input) === false;
}

/** An engine that has reported nothing new for this long after an action of Reeve did not carry it out. */
const ANSWER_MS = 20_000;

/** When its source was last seen or reported to fail, in a stretch of failures that explains why it is down. */
export function outageMs(input: ClassifyInput): MonoMs | undefined {
  const { facts, process } = input;
  if (process?.downSinceMs === undefined) return undefined;
  const server = facts.setup.hasSource ? undefined : serverOutOf(facts);
  if (facts.source === undefined && server === undefined && facts.symptoms.length === 0) return undefined;
  const nearMs = 2 * FINAL_OUTPUT_MS;
  // Until the engine has reported what came of Reeve's own action, the death is still the one before it.
  const { actedMs = Number.NEGATIVE_INFINITY } = facts;
  const isAnswered = Math.max(process.seenMs, process.stateSinceMs) >= actedMs || input.nowMs - actedMs >= ANSWER_MS;
  const fromMs = isAnswered ? Math.max(process.downSinceMs - nearMs, actedMs) : process.downSinceMs - nearMs;
  const untilMs = process.downSinceMs + nearMs;
  let endMs = Number.NEGATIVE_INFINITY;
  const take = (firstMs: MonoMs, lastMs: MonoMs): void => {
    if (firstMs <= untilMs && lastMs >= fromMs) endMs = Math.max(endMs, lastMs);
  };
  take(facts.source?.lastFailFromMs ?? Number.NaN, facts.source?.lastFailMs ?? Number.NaN);
  take(server?.lastFailFromMs ?? Number.NaN, server?.lastFailMs ?? Number.NaN);
  for (const { kind, firstMs, lastMs } of explaining(input, process)) {
    if (UPSTREAM_SYMPTOMS.includes(kind)) take(firstMs, lastMs);
  }
  return endMs === Number.NEGATIVE_INFINITY ? undefined : endMs;
}

/** A killed process did not die of what its log says of a source that is looked at: anybody may write that there. */
const explaining = ({ facts }: ClassifyInput, process: ProcessFacts): readonly SymptomFacts[] =>
  facts.source !== undefined && diedBySignal(process) ? NOTHING : facts.symptoms;

/** The channel died of its source, and its source is back: what is left to do is to start it. */
export function outageIsOver(input: ClassifyInput): boolean {
  const lastMs = outageMs(input);
  return input.down && lastMs !== undefined && sourceIsBack(input, lastMs);
}

/** An encoder that reports at all reports at least this often. */
const REPORTING_MS = 4_000;

/**
 * The encoder goes on reporting and its position stands, while it works: it drops what comes in, because the timestamps
 * of its source jumped back. It is neither stuck nor idle, and comes back when they have caught up.
 */
export function dropsFrames(input: ClassifyInput): boolean {
  const { progress, process } = input.facts;
  if (progress === undefined || process === undefined || !progressStands(input.facts, input.nowMs)) return false;
  if (input.nowMs - progress.lastMs > Math.max(REPORTING_MS, 3 * progress.gapMs)) return false;
  const works = process.cpu !== undefined && process.lastMs - process.cpu.movedMs < REPORTING_MS;
  return works || (process.cpu === undefined && reported(input, 'clock_skew_or_dts').length > 0);
}
