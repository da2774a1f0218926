// Recognises crashed processes, stalled output and trouble without a known cause.
import { MINUTE_MS } from '../../core/duration.ts';
import { type SymptomKind, evidenceKindOf } from '../../core/symptom.ts';
import { endedByOrder, isUnplayable, progressStands } from '../facts/health.ts';
import {
  diedBySignal,
  dropsFrames,
  type ClassifyInput,
  maybeKilled,
  outageIsOver,
  outageMs,
  sourceFails,
  sourceHeldUntil,
  sourceReadSince,
  reported,
} from './classify_input.ts';
import type { ProcessFacts } from '../facts/process_facts.ts';
import type { Match, Want } from './rule.ts';
import {
  LOG_LAG_MS,
  LOOP_REST_MS,
  OOM_WAIT_MS,
  FIRST_OUTPUT_MS,
  SETTLING_MAX_MS,
  stallAfterOf,
  SYMPTOM_FRESH_MS,
  UNKNOWN_PATIENCE_MS,
} from '../facts/setup.ts';
import {
  deadSignal,
  idleSignal,
  isHalted,
  outputSignal,
  progressSignal,
  silentOutputSignal,
  spoken,
  symptomSignal,
} from './signals.ts';

/**
 * It died and nothing above explains it. A process that was killed by a signal did not die of its source; one that
 * ended by itself may have: then the source must have been read well after the end. Exit 0 and ordered ends are no
 * crash, except where an outage is what ended them and the outage is over.
 */
export function processCrashed(input: ClassifyInput): Match | undefined {
  const { process } = input;
  if (process?.state !== 'exited' && process?.state !== 'fatal') return undefined;
  if (!input.down || process.stoppedByUs) return undefined;
  const afterOutage = outageIsOver(input);
  const rested = loopHasRested(input, process);
  if (!afterOutage && !rested && !diedUnexpectedly(input, process)) return undefined;
  const lines = reported(input, 'process_crash', 'process_exit_nonzero', 'fd_exhaustion');
  const signals = spoken(deadSignal(input), silentOutputSignal(input), ...lines.map(symptomSignal));
  const downMs = process.downSinceMs ?? process.stateSinceMs;
  const kernelMs = waitForKernel(input, process);
  const serverMs = waitForServer(input, process);
  return {
    because: afterOutage
      ? input.context.nearby?.isPresumed === true && !input.facts.setup.hasSource
        ? 'it went down with its source, and nothing but a start can show whether that is back'
        : 'it went down with its source, and the source is back'
      : rested
        ? 'its processes were short-lived, and it has been dead for ten minutes'
        : 'its process died unexpectedly',
    signals,
    symptom: lines[0]?.kind ?? (diedBySignal(process) ? 'process_crash' : 'process_exit_nonzero'),
    sinceMs: downMs,
    notBeforeMs: Math.max(
      waitForEvidence(input, process, new Set(signals.map(evidenceKindOf)).size),
      ...[kernelMs, serverMs],
    ),
    wants: [...(kernelMs > 0 ? (['host'] as const) : []), ...(serverMs > 0 ? (['output'] as const) : [])],
  };
}

/**
 * It died as often as it was started, for no known reason, and has been dead for long: no loop goes on. Whether
 * it would run now cannot be known without one start. What the source or an order explains is no such loop, and one
 * that Reeve has had its start in is a person's.
 */
export function loopHasRested(input: ClassifyInput, process: ProcessFacts): boolean {
  const { context, nowMs } = input;
  const { actedMs = Number.NEGATIVE_INFINITY } = input.facts;
  if (process.state !== 'exited' && process.state !== 'fatal') return false;
  if (nowMs - actedMs < context.limits.fingerprintMemoryMs) return false;
  if (process.failedProcesses < 2 || nowMs - (process.downSinceMs ?? nowMs) < LOOP_REST_MS) return false;
  return endedUnexpectedly(input, process);
}

const diedUnexpectedly = (input: ClassifyInput, process: ProcessFacts): boolean =>
  process.state === 'exited' && endedUnexpectedly(input, process);

function endedUnexpectedly(input: ClassifyInput, process: ProcessFacts): boolean {
  const { facts } = input;
  const end = process.lastEnd;
  if (end === undefined || end.ordered) return false;
  if (end.exitCode === 0 || endedByOrder(end) || outageMs(input) !== undefined) return false;
  if (!facts.setup.hasSource) return true;
  return diedBySignal(process) ? sourceHeldUntil(input, end.monoMs) : sourceReadSince(input, end.monoMs);
}

/** One witness is not two: where another one is on its way, it is waited for. */
function waitForEvidence(input: ClassifyInput, process: ProcessFacts, witnesses: number): number {
  const { facts } = input;
  if (process.downSinceMs === undefined) return 0;
  const linesMs = diedBySignal(process) ? 0 : process.downSinceMs + input.context.autorestartGraceMs + LOG_LAG_MS;
  if (witnesses >= 2 || !facts.setup.hasOutputProbe) return linesMs;
  const stallMs = stallAfterOf(facts.setup, facts.output?.targetDurationMs);
  return Math.max(linesMs, process.downSinceMs + stallMs + facts.setup.outputEveryMs);
}

/** A SIGKILL may be the kernel's: its count of out-of-memory kills must be read after the death. */
function waitForKernel(input: ClassifyInput, process: ProcessFacts): number {
  const end = process.lastEnd;
  if (end === undefined || !diedBySignal(process) || !maybeKilled(end)) return 0;
  const host = input.context.host?.last;
  if (host?.oomKills === undefined || host.monoMs >= end.monoMs) return 0;
  return end.monoMs + OOM_WAIT_MS;
}

/** What it publishes to may have gone with it: the next look at that says whether a start has anywhere to go. */
function waitForServer(input: ClassifyInput, process: ProcessFacts): number {
  const { setup, server } = input.facts;
  const end = process.lastEnd;
  if (setup.hasSource || server === undefined || end === undefined) return 0;
  return server.last.monoMs > end.monoMs ? 0 : end.monoMs + 2 * setup.outputEveryMs;
}

/**
 * It runs, and its output has stopped by two independent signals. A channel with a source has this only when the
 * source was read well after the output stopped.
 */
export function outputStalled(input: ClassifyInput): Match | undefined {
  const { process } = input;
  if (process?.state !== 'running' || input.young || input.health.healthy !== false) return undefined;
  if (awaitsOutput(input, process) || dropsFrames(input)) return undefined;
  const lines = reported(input, 'stalled_output');
  const signals = spoken(stalledOutput(input), idleSignal(input), progressSignal(input), ...lines.map(symptomSignal));
  if (new Set(signals.map(evidenceKindOf)).size < 2 || stillProgressing(input, process)) return undefined;
  if (input.facts.setup.hasSource && !sourceSpeaksForIt(input)) return undefined;
  return {
    because: `it runs and its output stands: ${signals.map(({ says }) => says).join('; ')}`,
    signals,
    symptom: 'stalled_output',
    sinceMs: stoppedMs(input),
  };
}

/** This process has written nothing yet, and has not had long to. */
function awaitsOutput(input: ClassifyInput, process: ProcessFacts): boolean {
  const { output } = input.facts;
  if (process.starts.length === 0) return false;
  // The playlist that the old process closed is seen late, too: it is not the new one's.
  const newest = output?.revisions.at(-1);
  const playlistMs = newest === undefined || newest.ended ? 0 : newest.firstMs;
  const writtenMs = output === undefined ? (input.facts.progress?.advancedMs ?? 0) : playlistMs;
  return writtenMs <= process.seenMs && input.nowMs - process.bornMs < FIRST_OUTPUT_MS;
}

/** Empty or missing segments are something else than a list that stands. */
function stalledOutput(input: ClassifyInput) {
  return isUnplayable(input.facts, input.nowMs) ? undefined : outputSignal(input);
}

/** The encoder's reports move on, so it is slow or writes elsewhere; it does not stand. */
function stillProgressing(input: ClassifyInput, process: ProcessFacts): boolean {
  const { progress } = input.facts;
  if (progress === undefined || progress.lastMs < process.seenMs) return false;
  return progress.reports >= 2 && !progressStands(input.facts, input.nowMs);
}

/** When the output was last seen to move: its playlist with something to play, its answers, or its encoder. */
const stoppedMs = ({ facts, nowMs }: ClassifyInput): number | undefined => {
  const { output, reach, progress } = facts;
  const lists = isUnplayable(facts, nowMs) ? output?.unplayableMs : output?.changedMs;
  return lists ?? reach?.failSinceMs ?? progress?.advancedMs;
};

function sourceSpeaksForIt(input: ClassifyInput): boolean {
  if (isHalted(input)) return sourceFails(input) === false;
  const segmentMs = input.facts.output?.targetDurationMs ?? 2_000;
  return sourceReadSince(input, (stoppedMs(input) ?? input.nowMs) + segmentMs + 1_000);
}

const NEWS_MS_MAX = MINUTE_MS;
/** What was written while the machine slept is read this soon after it. */
const LOGS_READ_WITHIN_MS = 1_000;
/** These say that something happened, and not why. */
const TELLS_NO_CAUSE: ReadonlySet<SymptomKind> = new Set([
  'process_crash',
  'process_exit_nonzero',
  'stalled_output',
  'buffer_underrun',
  'clock_skew_or_dts',
]);
/** Only what runs suffers from these (see its rules): they explain no death, and are late where they come after one. */
const OF_WHAT_RUNS: ReadonlySet<SymptomKind> = new Set(['encoder_overload', 'segment_missing']);

/** Something is wrong, and nothing above says what. A person is asked, when it has not become clearer by then. */
export function unknownTrouble(input: ClassifyInput): Match | undefined {
  const { process, facts, health } = input;
  const unseen = process === undefined && facts.output === undefined && facts.reach === undefined;
  const lines = reported(input, 'process_crash', 'process_killed_oom', 'process_exit_nonzero', 'stalled_output');
  if (!input.down && health.healthy !== false && !(unseen && lines.length > 0)) return undefined;
  if (process?.state === 'starting' && input.nowMs - process.stateSinceMs < SETTLING_MAX_MS) return undefined;
  const sinceMs = (input.down ? process?.downSinceMs : (stoppedMs(input) ?? lines[0]?.firstMs)) ?? input.nowMs;
  const signals = spoken(deadSignal(input), outputSignal(input), idleSignal(input), progressSignal(input));
  return {
    because: why(input),
    signals: [...signals, ...lines.map(symptomSignal)],
    sinceMs,
    notBeforeMs: patientUntilMs(input, Math.max(sinceMs, lastNewsMs(input, sinceMs))),
    wants: wanted(input),
  };
}

function why(input: ClassifyInput): string {
  const end = input.process?.lastEnd;
  if (input.process?.stoppedByUs && input.facts.halfDone?.certainty === 'maybe')
    return 'it is stopped, and the journal that was set back does not say by whom';
  if (input.process?.stoppedByUs) return 'Reeve stopped it and the engine did not start it again';
  if (input.down && end?.exitCode === 0) return 'it ended by itself with exit 0 and stays down';
  if (input.down && end !== undefined && endedByOrder(end)) return 'it was ended outside the engine, and it stays down';
  return input.health.because;
}

/** The source decides between several answers: a look at it is waited for, once, until it has given something since. */
function patientUntilMs(input: ClassifyInput, fromMs: number): number {
  const { setup, output } = input.facts;
  const seenMs = fromMs + (input.down ? 0 : stallAfterOf(setup, output?.targetDurationMs));
  const lookMs = setup.hasSource && !sourceReadSince(input, seenMs) ? setup.sourceEveryMs * 2 : 0;
  return seenMs + Math.max(UNKNOWN_PATIENCE_MS, lookMs);
}

/**
 * When something last changed that may yet cure it: its encoder moves again, its source is back, its process changed
 * its state, or what explained it fell silent. A log that never falls silent puts nothing off for ever.
 */
function lastNewsMs(input: ClassifyInput, sinceMs: number): number {
  const { process } = input;
  const { source, progress, symptoms } = input.facts;
  const back = source?.lastFailMs === undefined ? undefined : source.okSinceMs;
  // What a log said before the machine slept, or is first read when it wakes, is no news after it (law T3).
  const awakeMs = (input.context.wokeMs ?? Number.NEGATIVE_INFINITY) + LOGS_READ_WITHIN_MS;
  const lines = symptoms
    .filter(({ lastMs }) => lastMs > awakeMs)
    .filter(({ kind }) => !TELLS_NO_CAUSE.has(kind) && !(input.down && OF_WHAT_RUNS.has(kind)))
    .map(({ lastMs }) => Math.min(lastMs + SYMPTOM_FRESH_MS, sinceMs + NEWS_MS_MAX));
  const moves = input.down ? process?.stateSinceMs : progress?.resumedMs;
  const born = process?.state === 'running' && process.starts.length > 0 ? process.seenMs : 0;
  return Math.max(born, back ?? 0, moves ?? 0, ...lines);
}

const wanted = (input: ClassifyInput): readonly Want[] =>
  input.facts.setup.hasSource ? ['source', 'output'] : ['output'];
