import type { SymptomKind } from '../core/symptom.ts';
import { endedByOrder, progressStands } from './health.ts';
import {
  diedBySignal,
  dropsFrames,
  type Look,
  maybeKilled,
  outageIsOver,
  outageMs,
  sourceFails,
  sourceReadSince,
  told,
} from './look.ts';
import type { ProcessFacts } from './process_facts.ts';
import type { Match, Want } from './row.ts';
import {
  LOG_LAG_MS,
  LOOP_REST_MS,
  OOM_WAIT_MS,
  FIRST_OUTPUT_MS,
  SETTLING_MAX_MS,
  stallAfterOf,
  SYMPTOM_FRESH_MS,
  UNKNOWN_PATIENCE_MS,
} from './setup.ts';
import {
  deadSignal,
  idleSignal,
  isHalted,
  outputSignal,
  progressSignal,
  silentOutputSignal,
  spoken,
  symptomSignal,
} from './witness.ts';

/**
 * It died and nothing above explains it. A process that was killed by a signal did not die of its source; one that
 * ended by itself may have: then the source must have been read well after the end. Exit 0 and ordered ends are no
 * crash, except where an outage is what ended them and the outage is over.
 */
export function processCrashed(look: Look): Match | undefined {
  const { process } = look;
  if (process?.state !== 'exited' && process?.state !== 'fatal') return undefined;
  if (!look.down || process.stoppedByUs) return undefined;
  const afterOutage = outageIsOver(look);
  const rested = loopHasRested(look, process);
  if (!afterOutage && !rested && !diedUnexpectedly(look, process)) return undefined;
  const lines = told(look, 'process_crash', 'process_exit_nonzero', 'fd_exhaustion');
  const signals = spoken(deadSignal(look), silentOutputSignal(look), ...lines.map(symptomSignal));
  const downMs = process.downSinceMs ?? process.stateSinceMs;
  const kernelMs = waitForKernel(look, process);
  return {
    because: afterOutage
      ? 'it went down with its source, and the source is back'
      : rested
        ? 'its lives were short, and it has been dead for ten minutes'
        : 'its process died unexpectedly',
    signals,
    symptom: lines[0]?.kind ?? (diedBySignal(process) ? 'process_crash' : 'process_exit_nonzero'),
    sinceMs: downMs,
    notBeforeMs: Math.max(waitForWitness(look, process, new Set(signals.map(({ origin }) => origin)).size), kernelMs),
    wants: kernelMs > 0 ? ['host'] : [],
  };
}

/**
 * It died as often as it was started, for no known reason, and has been dead for long: no loop turns any more. Whether
 * it would live now nobody can know without one start. What the source or an order explains is no such loop, and one
 * that Reeve has had its start in is a person's.
 */
export function loopHasRested(look: Look, process: ProcessFacts): boolean {
  const { context, nowMs } = look;
  const { actedMs = Number.NEGATIVE_INFINITY } = look.facts;
  if (process.state !== 'exited' && process.state !== 'fatal') return false;
  if (nowMs - actedMs < context.limits.fingerprintMemoryMs) return false;
  if (process.failedLives < 2 || nowMs - (process.downSinceMs ?? nowMs) < LOOP_REST_MS) return false;
  return endedUnexpectedly(look, process);
}

const diedUnexpectedly = (look: Look, process: ProcessFacts): boolean =>
  process.state === 'exited' && endedUnexpectedly(look, process);

function endedUnexpectedly(look: Look, process: ProcessFacts): boolean {
  const { facts } = look;
  const end = process.lastEnd;
  if (end === undefined || end.ordered) return false;
  if (end.exitCode === 0 || endedByOrder(end) || outageMs(look) !== undefined) return false;
  if (!facts.setup.hasSource) return true;
  return diedBySignal(process) ? sourceFails(look) === false : sourceReadSince(look, end.monoMs);
}

/** One witness is not two: where another one is on its way, it is waited for. */
function waitForWitness(look: Look, process: ProcessFacts, origins: number): number {
  const { facts } = look;
  if (process.downSinceMs === undefined) return 0;
  const wordsMs = diedBySignal(process) ? 0 : process.downSinceMs + look.context.autorestartGraceMs + LOG_LAG_MS;
  if (origins >= 2 || !facts.setup.hasOutputProbe) return wordsMs;
  const stallMs = stallAfterOf(facts.setup, facts.output?.targetDurationMs);
  return Math.max(wordsMs, process.downSinceMs + stallMs + facts.setup.outputEveryMs);
}

/** A SIGKILL may be the kernel's: its count of out-of-memory kills must be read after the death. */
function waitForKernel(look: Look, process: ProcessFacts): number {
  const end = process.lastEnd;
  if (end === undefined || !diedBySignal(process) || !maybeKilled(end)) return 0;
  const host = look.context.host?.last;
  if (host?.oomKills === undefined || host.monoMs >= end.monoMs) return 0;
  return end.monoMs + OOM_WAIT_MS;
}

/**
 * It runs, and its output has stopped by two independent signals. A channel with a source has this only when the
 * source was read well after the output stopped.
 */
export function outputStalled(look: Look): Match | undefined {
  const { process } = look;
  if (process?.state !== 'running' || look.young || look.health.healthy !== false) return undefined;
  if (awaitsOutput(look, process) || dropsFrames(look)) return undefined;
  const lines = told(look, 'stalled_output');
  const signals = spoken(stalledOutput(look), idleSignal(look), progressSignal(look), ...lines.map(symptomSignal));
  const origins = new Set(signals.map(({ origin }) => origin));
  if (origins.size < 2 || stillProgressing(look, process)) return undefined;
  if (look.facts.setup.hasSource && !sourceSpeaksForIt(look)) return undefined;
  return {
    because: `it runs and its output stands: ${signals.map(({ says }) => says).join('; ')}`,
    signals,
    symptom: 'stalled_output',
    sinceMs: stoppedMs(look),
  };
}

/** This life has written nothing yet, and has not had long to. */
function awaitsOutput(look: Look, process: ProcessFacts): boolean {
  const { output } = look.facts;
  if (process.starts.length === 0) return false;
  // The playlist that the old process closed is seen late, too: it is not the new one's.
  const newest = output?.revisions.at(-1);
  const playlistMs = newest === undefined || newest.ended ? 0 : newest.firstMs;
  const writtenMs = output === undefined ? (look.facts.progress?.advancedMs ?? 0) : playlistMs;
  return writtenMs <= process.seenMs && look.nowMs - process.bornMs < FIRST_OUTPUT_MS;
}

/** Empty segments are something else than none. */
const stalledOutput = (look: Look) => ((look.facts.output?.emptyStreak ?? 0) >= 2 ? undefined : outputSignal(look));

/** The encoder's reports move on, so it is slow or writes elsewhere; it does not stand. */
function stillProgressing(look: Look, process: ProcessFacts): boolean {
  const { progress } = look.facts;
  if (progress === undefined || progress.lastMs < process.seenMs) return false;
  return progress.reports >= 2 && !progressStands(look.facts, look.nowMs);
}

const stoppedMs = (look: Look): number | undefined => look.facts.output?.changedMs ?? look.facts.progress?.advancedMs;

function sourceSpeaksForIt(look: Look): boolean {
  if (isHalted(look)) return sourceFails(look) === false;
  const segmentMs = look.facts.output?.targetDurationMs ?? 2_000;
  return sourceReadSince(look, (stoppedMs(look) ?? look.nowMs) + segmentMs + 1_000);
}

const NEWS_MS_MAX = 60_000;
/** These say that something happened, and not why. */
const TELLS_NO_CAUSE: ReadonlySet<SymptomKind> = new Set([
  'process_crash',
  'process_exit_nonzero',
  'stalled_output',
  'buffer_underrun',
  'clock_skew_or_dts',
]);

/** Something is wrong, and nothing above says what. A person is asked, when it has not become clearer by then. */
export function unknownTrouble(look: Look): Match | undefined {
  const { process, facts, health } = look;
  const unseen = process === undefined && facts.output === undefined && facts.reach === undefined;
  const lines = told(look, 'process_crash', 'process_killed_oom', 'process_exit_nonzero', 'stalled_output');
  if (!look.down && health.healthy !== false && !(unseen && lines.length > 0)) return undefined;
  if (process?.state === 'starting' && look.nowMs - process.stateSinceMs < SETTLING_MAX_MS) return undefined;
  const sinceMs = (look.down ? process?.downSinceMs : (stoppedMs(look) ?? lines[0]?.firstMs)) ?? look.nowMs;
  const signals = spoken(deadSignal(look), outputSignal(look), idleSignal(look), progressSignal(look));
  return {
    because: why(look),
    signals: [...signals, ...lines.map(symptomSignal)],
    sinceMs,
    notBeforeMs: Math.max(sinceMs, lastNewsMs(look, sinceMs)) + patienceMs(look),
    wants: wanted(look),
  };
}

function why(look: Look): string {
  const end = look.process?.lastEnd;
  if (look.process?.stoppedByUs) return 'Reeve stopped it and the engine did not start it again';
  if (look.down && end?.exitCode === 0) return 'it ended by itself with exit 0 and stays dark';
  if (look.down && end !== undefined && endedByOrder(end))
    return 'somebody ended it outside the engine, and it stays dark';
  return look.health.because;
}

/** The source decides between several answers: its next look is waited for, once. */
function patienceMs(look: Look): number {
  const { setup, output } = look.facts;
  const lookMs = setup.hasSource ? setup.sourceEveryMs * 2 : 0;
  const stallMs = look.down ? 0 : stallAfterOf(setup, output?.targetDurationMs);
  return stallMs + Math.max(UNKNOWN_PATIENCE_MS, lookMs);
}

/**
 * When something last changed that may yet cure it: its encoder moves again, its source is back, its process changed
 * its state, or what explained it fell silent. A log that never falls silent puts nothing off for ever.
 */
function lastNewsMs(look: Look, sinceMs: number): number {
  const { process } = look;
  const { source, progress, symptoms } = look.facts;
  const back = source?.lastFailMs === undefined ? undefined : source.okSinceMs;
  const lines = symptoms
    .filter(({ kind }) => !TELLS_NO_CAUSE.has(kind))
    .map(({ lastMs }) => Math.min(lastMs + SYMPTOM_FRESH_MS, sinceMs + NEWS_MS_MAX));
  const moves = look.down ? process?.stateSinceMs : progress?.resumedMs;
  const born = process?.state === 'running' && process.starts.length > 0 ? process.seenMs : 0;
  return Math.max(born, back ?? 0, moves ?? 0, ...lines);
}

const wanted = (look: Look): readonly Want[] => (look.facts.setup.hasSource ? ['source', 'output'] : ['output']);
