// Makes signals of facts: one independent piece of evidence for a classification each.
import type { MonoMs } from '../../core/clock.ts';
import type { Signal } from '../../core/envelope.ts';
import type { Origin, SymptomKind } from '../../core/symptom.ts';
import { failuresText, fullestDisk } from '../facts/engine_facts.ts';
import type { ChannelFacts } from '../facts/facts.ts';
import { isPutOff, lacksSegments, leadsElsewhere, progressStands, standstillOf } from '../facts/health.ts';
import { diedBySignal, type ClassifyInput, sourceFailure } from './classify_input.ts';
import { isHaltedProcess, type ProcessFacts } from '../facts/process_facts.ts';
import { calmStaleOf, DISK_FULL_RATIO, PROBE_FAILURES_MIN, stallAfterOf } from '../facts/setup.ts';
import type { SymptomFacts } from '../facts/symptom_facts.ts';

/*
 * Witnesses: each looks at one kind of fact and says what it saw, or says nothing.
 * The origin is that of the fact, never of the conclusion: what comes from a log stays `log`.
 */

const seconds = (ms: number): string => `${Math.round(ms / 1000)} s`;
const signal = (origin: Origin, says: string, monoMs: MonoMs, symptom?: SymptomKind): Signal => ({
  origin,
  says,
  symptom,
  monoMs,
});

/** A text may have no known author. */
export type MaybeSignal = Signal | undefined;

export const spoken = (...witnesses: readonly MaybeSignal[]): readonly Signal[] =>
  witnesses.filter((one): one is Signal => one !== undefined);

export const symptomSignal = (one: SymptomFacts): Signal => ({
  ...signal(one.origin, `${one.kind}, ${one.count} in ${seconds(one.windowMs)}`, one.lastMs, one.kind),
  ...(one.pushed === true ? { pushed: true } : {}),
});

/** The process table: the process is not there. */
export function deadSignal(input: ClassifyInput): MaybeSignal {
  const { process } = input;
  if (!input.down || process === undefined) return undefined;
  return signal('process', `the process is ${process.state}${exitOf(process)}`, process.lastMs);
}

function exitOf(process: ProcessFacts): string {
  const end = process.lastEnd;
  if (end?.exitSignal) return ` (signal ${end.exitSignal})`;
  if (diedBySignal(process)) return ' (killed by a signal)';
  return end?.exitCode === undefined ? '' : ` (exit ${end.exitCode})`;
}

/** The process table: processes end one after another. */
export const churnSignal = (input: ClassifyInput): MaybeSignal =>
  input.process === undefined || input.recentEnds < 2
    ? undefined
    : signal('process', `${input.recentEnds} processes ended within 60 s`, input.process.lastMs);

/**
 * The process table: it is there and does nothing. CPU time decides, for a process that is being throttled
 * is halted most of the time it is looked at, and still works.
 */
export function idleSignal(input: ClassifyInput): MaybeSignal {
  const { process, facts, nowMs } = input;
  if (process?.state !== 'running') return undefined;
  const stallMs = stallAfterOf(facts.setup, facts.output?.targetDurationMs);
  const idleMs = process.cpu === undefined ? 0 : process.lastMs - process.cpu.movedMs;
  if (idleMs >= stallMs) {
    const halted = process.haltedSinceMs !== undefined;
    return signal('process', `${halted ? 'halted, ' : ''}no CPU time used for ${seconds(idleMs)}`, process.lastMs);
  }
  const mute = process.bytes === undefined ? 0 : nowMs - process.bytes.movedMs;
  if (mute < stallMs || wasMuteWhileWell(facts, calmStaleOf(facts.setup) + stallMs)) return undefined;
  return signal('process', `nothing written for ${seconds(mute)}`, process.lastMs);
}

/** What a process sends over the network is not counted as written: then its silence tells nothing of its output. */
function wasMuteWhileWell({ process, output, reach }: ChannelFacts, patienceMs: number): boolean {
  const wellMs = output?.changedMs ?? reach?.lastOkMs;
  return wellMs !== undefined && (process?.bytes?.movedMs ?? wellMs) < wellMs - patienceMs;
}

/** The process is halted by a signal and has used no CPU time since. */
export const isHalted = ({ process }: ClassifyInput): boolean => process !== undefined && isHaltedProcess(process);

/** The probe of the playlist: it stands still, is missing, or lists nothing but empty or missing segments. */
export function outputSignal(input: ClassifyInput): MaybeSignal {
  const { output } = input.facts;
  if (output === undefined) return reachSignal(input);
  if (output.emptyStreak >= 2) return emptySignal(input);
  if (lacksSegments(input.facts, input.nowMs)) {
    return signal('probe', `${output.missingStreak} new segments that are not there`, output.last.monoMs);
  }
  // Of a process that is dead anyway: some servers lead to a picture of their own where a stream is gone.
  const isElsewhere = leadsElsewhere(output.last) && !input.down;
  const isGone = output.last.failure === 'http_status' && !isPutOff(output.last) && !isElsewhere;
  if (isGone && output.failStreak >= PROBE_FAILURES_MIN) {
    return signal('probe', `no playlist (status ${output.last.status ?? 'unknown'})`, output.last.monoMs);
  }
  const still = standstillOf(input.facts, input.nowMs);
  return still === undefined
    ? undefined
    : signal('probe', `playlist unchanged for ${seconds(still)}`, output.last.monoMs);
}

/** The probe, for a process that is dead anyway: a playlist that misses one segment is enough. */
export function silentOutputSignal(input: ClassifyInput): MaybeSignal {
  const { output } = input.facts;
  const sooner = outputSignal(input);
  if (sooner !== undefined || output?.changedMs === undefined || output.lastOkMs === undefined) return sooner;
  const still = output.lastOkMs - output.changedMs;
  const late = still >= Math.max(1.5 * (output.targetDurationMs ?? 2_000), 2_500);
  return late ? signal('probe', `playlist unchanged for ${seconds(still)}`, output.lastOkMs) : undefined;
}

function reachSignal(input: ClassifyInput): MaybeSignal {
  const { reach } = input.facts;
  if (reach === undefined || reach.failStreak < PROBE_FAILURES_MIN || isPutOff(reach.last)) return undefined;
  return signal('probe', `the output does not answer (${reach.last.failure ?? 'unknown'})`, reach.last.monoMs);
}

export function emptySignal(input: ClassifyInput): MaybeSignal {
  const { output } = input.facts;
  if (output === undefined || output.emptyStreak < 2) return undefined;
  return signal('probe', `${output.emptyStreak} new segments of 0 bytes`, output.last.monoMs);
}

/** The server of the output does not answer at all, answers nonsense, or lets nobody look for now. */
export function serverSignal(input: ClassifyInput): MaybeSignal {
  const { output } = input.facts;
  if (output === undefined) return statusServerSignal(input);
  if (output.failStreak < PROBE_FAILURES_MIN) return undefined;
  if (isPutOff(output.last)) return putOffSignal(output.last);
  if (leadsElsewhere(output.last)) return elsewhereSignal(output.last);
  const status = output.last.status ?? 0;
  if (output.last.failure === 'http_status' && status < 500 && status !== 401 && status !== 403) return undefined;
  return signal('probe', `the playlist cannot be read (${output.last.failure ?? 'unknown'})`, output.last.monoMs);
}

const putOffSignal = ({ status, monoMs }: { status?: number; monoMs: MonoMs }): Signal =>
  signal('probe', `it puts looks off (status ${status})`, monoMs);

const elsewhereSignal = ({ status, monoMs }: { status?: number; monoMs: MonoMs }): Signal =>
  signal('probe', `its address leads elsewhere (status ${status}), and is not followed`, monoMs);

/** A server to which channels are published. One whose process is halted may be the channel itself. */
function statusServerSignal(input: ClassifyInput): MaybeSignal {
  const { reach } = input.facts;
  if (reach === undefined || reach.failStreak < PROBE_FAILURES_MIN || isHalted(input)) return undefined;
  if (isPutOff(reach.last)) return putOffSignal(reach.last);
  if (reach.last.serverFailed !== true) return undefined;
  return signal('probe', `its server does not answer (${reach.last.failure ?? 'unknown'})`, reach.last.monoMs);
}

/** The encoder's own reports stopped, or repeat the same position. A silence is witnessed now, not when it began. */
export function progressSignal(input: ClassifyInput): MaybeSignal {
  const { progress } = input.facts;
  if (progress === undefined || !progressStands(input.facts, input.nowMs)) return undefined;
  return signal(
    'log',
    `no progress for ${seconds(input.nowMs - progress.advancedMs)}`,
    progress.lastMs,
    'stalled_output',
  );
}

/** The probe of the source: it fails. */
export function sourceSignal(input: ClassifyInput): MaybeSignal {
  const failed = sourceFailure(input);
  if (failed === undefined) return undefined;
  const status = failed.status === undefined ? '' : ` ${failed.status}`;
  return signal('probe', `source ${failed.host} fails (${failed.failure ?? 'unknown'}${status})`, failed.monoMs);
}

export function diskSignal(input: ClassifyInput): MaybeSignal {
  const disk = fullestDisk(input.context.host);
  if (disk === undefined || disk.ratio < DISK_FULL_RATIO || input.context.host === undefined) return undefined;
  return signal(
    'host',
    `${disk.path} is ${Math.floor(disk.ratio * 100)} % full`,
    input.context.host.last.monoMs,
    'disk_full',
  );
}

export const engineSignal = (input: ClassifyInput): MaybeSignal =>
  input.context.engine.last === undefined || input.context.engine.failStreak === 0
    ? undefined
    : signal('metric', failuresText(input.context.engine), input.context.engine.last.monoMs);
