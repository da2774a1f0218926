// Decides whether a channel is healthy, at rest, young or standing still, from its facts at one moment.
import type { MonoMs } from '../../core/clock.ts';
import type { ChannelFacts } from './facts.ts';
import type { OutputFacts, ProgressFacts, ReachFacts } from './output_facts.ts';
import type { ProcessFacts } from './process_facts.ts';
import {
  calmStaleOf,
  OBSERVER_LOST_MS,
  PROBE_FAILURES_MIN,
  PROCESS_STALE_MS,
  probeStaleOf,
  stallAfterOf,
  startGraceOf,
  VOUCH_MS,
} from './setup.ts';

/** Undefined: not known. Absent, stale or failing observation is never health. */
export interface Health {
  readonly healthy: boolean | undefined;
  readonly because: string;
}

const healthy = (because: string): Health => ({ healthy: true, because });
const unhealthy = (because: string): Health => ({ healthy: false, because });
const unknown = (because: string): Health => ({ healthy: undefined, because });

const seconds = (ms: number): string => `${Math.round(ms / 1000)} s`;

/** The state in the process table is recent and readable. */
export const processKnown = (process: ProcessFacts | undefined, nowMs: MonoMs): process is ProcessFacts =>
  process !== undefined && process.unreadableSinceMs === undefined && nowMs - process.lastMs <= PROCESS_STALE_MS;

/** Everything that is looked at was looked at since then. */
export const isSeenSince = ({ process, output, reach }: ChannelFacts, sinceMs: MonoMs): boolean =>
  [process?.lastMs, output?.last.monoMs, reach?.last.monoMs].every((atMs) => atMs === undefined || atMs > sinceMs);

/** A person asked for it; what a change of Reeve's has left stopped, nobody did (law S6). */
export const isStoppedByPerson = (process: ProcessFacts | undefined): boolean =>
  process?.stoppedOnPurpose === true && !process.stoppedByUs;

/** An on-demand channel without viewers does not run. */
export function restsOnDemand(facts: ChannelFacts, nowMs: MonoMs): boolean {
  const { process, viewers, setup, halfDone } = facts;
  if (setup.expected !== 'on_demand') return false;
  if (viewers !== undefined && nowMs - viewers.monoMs <= OBSERVER_LOST_MS) return viewers.viewers === 0;
  if (!processKnown(process, nowMs)) return false;
  // What a change of Reeve's left stopped rests for nobody (law S6).
  const isSure = halfDone !== undefined && halfDone.certainty !== 'maybe';
  if (isSure && (halfDone.startsNothing !== true || process.stoppedByUs)) return false;
  if (process.state === 'stopped') return true;
  return process.state === 'exited' && (process.lastEnd === undefined || endedOrderly(process));
}

/** The last process ended in order: by a stop that was ordered, or with exit code 0. */
export function endedOrderly(process: ProcessFacts): boolean {
  const { lastEnd } = process;
  return lastEnd !== undefined && (lastEnd.ordered || lastEnd.exitCode === 0 || endedByOrder(lastEnd));
}

const ORDERED_SIGNALS: ReadonlySet<number> = new Set([1, 2, 3, 15]);
/** What ffmpeg answers to a signal that asks it to stop. */
const ORDERED_EXIT = 255;

/** Somebody asked the process to stop, outside the engine's own stop. */
export const endedByOrder = (end: {
  readonly exitCode: number | undefined;
  readonly exitSignal: number | undefined;
}) => (end.exitSignal !== undefined ? ORDERED_SIGNALS.has(end.exitSignal) : end.exitCode === ORDERED_EXIT);

/** The process is so young that no output is normal. False for a process that does not run. */
export function isYoung(facts: ChannelFacts, nowMs: MonoMs): boolean {
  const { process, output } = facts;
  if (process === undefined) {
    return facts.watchedMs !== undefined && nowMs - facts.watchedMs < startGraceOf(output?.targetDurationMs);
  }
  if (process.state !== 'running' && process.state !== 'starting') return false;
  return nowMs - process.bornMs < startGraceOf(output?.targetDurationMs);
}

/** Whether viewers get a picture: the process runs and its output moves. */
export function healthOf(facts: ChannelFacts, nowMs: MonoMs): Health {
  const { process } = facts;
  if (restsOnDemand(facts, nowMs)) return healthy('there is no viewer, and it is made on demand');
  if (process === undefined) return outputHealth(facts, nowMs);
  if (!processKnown(process, nowMs)) {
    const seen = outputHealth(facts, nowMs);
    return seen.healthy === false ? seen : unknown('the state of its process is not known');
  }
  if (process.stoppedOnPurpose) {
    return unknown(process.stoppedByUs ? 'Reeve stopped it, and it has not been started again' : 'stopped on purpose');
  }
  if (process.state === 'starting') return startingHealth(facts, process, nowMs);
  if (process.state === 'stopping') return unknown('the process is stopping');
  if (process.state !== 'running') return unhealthy(`the process is ${process.state}`);
  return outputHealth(facts, nowMs);
}

/**
 * An engine may call a process starting for minutes (supervisord's `startsecs`, the first check of a container, a unit
 * that is never notified): whether it plays is for its output to say, as soon as that is none that was left over.
 */
function startingHealth(facts: ChannelFacts, process: ProcessFacts, nowMs: MonoMs): Health {
  const { output, reach, progress } = facts;
  // What it writes may be its log.
  const movedMs = output?.changedMs ?? reach?.lastOkMs ?? progress?.advancedMs ?? 0;
  const isOwn = movedMs > process.stateSinceMs + startGraceOf(output?.targetDurationMs);
  return isOwn && outputHealth(facts, nowMs).healthy === true
    ? healthy('its engine calls it starting, and its output moves')
    : unknown('the process is starting');
}

function outputHealth(facts: ChannelFacts, nowMs: MonoMs): Health {
  if (facts.output !== undefined) return playlistHealth(facts, facts.output, nowMs);
  if (facts.reach !== undefined) return reachHealth(facts, facts.reach, nowMs);
  if (facts.setup.hasOutputProbe) return unknown('its output was not looked at yet');
  return inwardHealth(facts, nowMs);
}

/**
 * The last look is recent. An older one at a calm channel counts for as long as its encoder goes on: what it saw then
 * is neither trouble nor, without that, health.
 */
function isLookedAt({ setup, progress, process }: ChannelFacts, lastMs: MonoMs, nowMs: MonoMs): boolean {
  if (nowMs - lastMs <= probeStaleOf(setup.outputEveryMs)) return true;
  if (nowMs - lastMs > calmStaleOf(setup)) return false;
  const goesOnMs = Math.max(progress?.advancedMs ?? 0, process?.bytes?.movedMs ?? 0);
  return goesOnMs >= (process?.seenMs ?? 0) && nowMs - goesOnMs <= VOUCH_MS;
}

function playlistHealth(facts: ChannelFacts, output: OutputFacts, nowMs: MonoMs): Health {
  const { process } = facts;
  if (!isLookedAt(facts, output.last.monoMs, nowMs)) return unknown('its playlist is not looked at');
  const young = isYoung(facts, nowMs);
  if (output.failStreak > 0) return missingHealth(output, young);
  if (output.emptyStreak >= 2) return unhealthy('its newest segments are empty');
  const still = standstillOf(facts, nowMs);
  if (still !== undefined) {
    return young ? unknown('it has just started') : unhealthy(`its playlist is unchanged for ${seconds(still)}`);
  }
  if (lacksSegments(facts, nowMs)) {
    return young ? unknown('it has just started') : unhealthy('the segments that its playlist names are missing');
  }
  if (output.revisions.at(-1)?.ended) return unknown('its playlist is closed');
  if (!output.everChanged) return unknown('its playlist was not seen to change yet');
  const ofThisProcess =
    process === undefined || process.starts.length === 0 || (output.changedMs ?? 0) >= process.seenMs;
  return ofThisProcess ? healthy('it runs and its playlist moves') : unknown('the new process has no output yet');
}

/** Come later, come less often: whoever answers so to a look says nothing of what there is. */
const PUTS_OFF: ReadonlySet<number> = new Set([408, 425, 429]);

/** The server has put the look off. */
export const isPutOff = ({ failure, status }: { failure?: string | undefined; status?: number | undefined }): boolean =>
  failure === 'http_status' && status !== undefined && PUTS_OFF.has(status);

/** It is elsewhere now, and no redirect of an output is followed: of the channel that says nothing. */
export const leadsElsewhere = ({ failure, status }: { failure?: string | undefined; status?: number | undefined }) =>
  failure === 'http_status' && status !== undefined && status >= 300 && status < 400;

/** A server that answers 404 says that there is no playlist; one that does not answer says nothing of the channel. */
function missingHealth({ last, failStreak }: OutputFacts, young: boolean): Health {
  const isRefused =
    last.failure === 'http_status' && (last.status ?? 500) < 500 && !isPutOff(last) && !leadsElsewhere(last);
  if (isRefused && !young && failStreak >= PROBE_FAILURES_MIN) return unhealthy('it has no playlist');
  return unknown(`its playlist could not be read (${last.failure ?? 'unknown'})`);
}

/** A list may be a moment ahead of its segments, or of the copy of them that is asked. */
const MISSING_MIN = 3;

/** The playlist moves, and what it names is not there: nobody can play it. */
export const lacksSegments = (facts: ChannelFacts, nowMs: MonoMs): boolean =>
  (facts.output?.missingStreak ?? 0) >= MISSING_MIN && standstillOf(facts, nowMs) === undefined;

/** It lists nothing but segments that are empty or not there. */
export const isUnplayable = (facts: ChannelFacts, nowMs: MonoMs): boolean =>
  (facts.output?.emptyStreak ?? 0) >= 2 || lacksSegments(facts, nowMs);

/** For how long the playlist has stood still, when that is longer than it may; judged between samples, not by now. */
export function standstillOf(facts: ChannelFacts, nowMs: MonoMs): number | undefined {
  const { output, setup } = facts;
  if (output?.changedMs === undefined || output.lastOkMs === undefined) return undefined;
  if (nowMs - output.lastOkMs > probeStaleOf(setup.outputEveryMs)) return undefined;
  const stillMs = output.lastOkMs - output.changedMs;
  return stillMs >= stallAfterOf(setup, output.targetDurationMs) ? stillMs : undefined;
}

function reachHealth(facts: ChannelFacts, reach: ReachFacts, nowMs: MonoMs): Health {
  if (!isLookedAt(facts, reach.last.monoMs, nowMs)) return unknown('its output is not looked at');
  if (reach.failStreak === 0) {
    return progressStands(facts, nowMs)
      ? unhealthy('it answers, but makes no progress')
      : healthy('its output answers');
  }
  if (reach.failStreak < PROBE_FAILURES_MIN || isYoung(facts, nowMs)) return unknown('its output did not answer once');
  if (isPutOff(reach.last)) return unknown(`its output could not be looked at (status ${reach.last.status})`);
  return unhealthy(`its output does not answer (${reach.last.failure ?? 'unknown'})`);
}

/** The encoder's last report is of the process that is seen now, and of none before it. */
export const isOfProcess = ({ lastMs }: ProgressFacts, process: ProcessFacts | undefined): boolean =>
  process !== undefined && lastMs >= process.seenMs - 1_000;

/** Where the output is not probed: the encoder's reports, then the bytes that its process writes. */
function inwardHealth(facts: ChannelFacts, nowMs: MonoMs): Health {
  const { progress, process } = facts;
  if (progress !== undefined && isOfProcess(progress, process)) {
    if (progressStands(facts, nowMs)) return unhealthy('its encoder makes no progress');
    if (nowMs - progress.advancedMs <= facts.setup.stallAfterMs)
      return healthy('it runs and its encoder makes progress');
  }
  if (process?.bytes !== undefined && process.bytes.movedMs > process.seenMs) {
    if (nowMs - process.bytes.movedMs <= facts.setup.stallAfterMs) return healthy('it runs and writes');
  }
  return unknown('nothing reports its output');
}

/** The encoder was reporting, and has been silent or stuck for longer than its habit allows. */
export function progressStands(facts: ChannelFacts, nowMs: MonoMs): boolean {
  const { progress, process, output, setup } = facts;
  if (progress === undefined || progress.reports < 2) return false;
  if (process !== undefined && progress.advancedMs < process.seenMs - 1_000) return false;
  return nowMs - progress.advancedMs >= Math.max(stallAfterOf(setup, output?.targetDurationMs), 3 * progress.gapMs);
}
