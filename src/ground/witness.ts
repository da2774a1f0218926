import type { MonoMs } from '../core/clock.ts';
import type { Signal } from '../core/envelope.ts';
import type { Origin, SymptomKind } from '../core/symptom.ts';
import { fullestDisk } from './engine_facts.ts';
import { progressStands, standstillOf } from './health.ts';
import { diedBySignal, type Look, sourceFailure } from './look.ts';
import type { ProcessFacts } from './process_facts.ts';
import { DISK_FULL_RATIO, PROBE_FAILURES_MIN, stallAfterOf } from './setup.ts';
import type { SymptomFacts } from './symptom_facts.ts';

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

/** Something may be said by nobody. */
export type Witness = Signal | undefined;

export const spoken = (...witnesses: readonly Witness[]): readonly Signal[] =>
  witnesses.filter((one): one is Signal => one !== undefined);

export const symptomSignal = (one: SymptomFacts): Signal =>
  signal(one.origin, `${one.kind}, ${one.count} in ${seconds(one.windowMs)}`, one.lastMs, one.kind);

/** The process table: the process is not there. */
export function deadSignal(look: Look): Witness {
  const { process } = look;
  if (!look.down || process === undefined) return undefined;
  return signal('process', `the process is ${process.state}${exitOf(process)}`, process.lastMs);
}

function exitOf(process: ProcessFacts): string {
  const end = process.lastEnd;
  if (end?.exitSignal) return ` (signal ${end.exitSignal})`;
  if (diedBySignal(process)) return ' (killed by a signal)';
  return end?.exitCode === undefined ? '' : ` (exit ${end.exitCode})`;
}

/** The process table: lives end one after another. */
export const churnSignal = (look: Look): Witness =>
  look.process === undefined || look.recentEnds < 2
    ? undefined
    : signal('process', `${look.recentEnds} lives ended within 60 s`, look.process.lastMs);

/**
 * The process table: it is there and does nothing. CPU time decides, for a process that is being throttled
 * is halted most of the time it is looked at, and still works.
 */
export function idleSignal(look: Look): Witness {
  const { process, facts, nowMs } = look;
  if (process?.state !== 'running') return undefined;
  const stallMs = stallAfterOf(facts.setup, facts.output?.targetDurationMs);
  const idleMs = process.cpu === undefined ? 0 : process.lastMs - process.cpu.movedMs;
  if (idleMs >= stallMs) {
    const halted = process.haltedSinceMs !== undefined;
    return signal('process', `${halted ? 'halted, ' : ''}no CPU time used for ${seconds(idleMs)}`, process.lastMs);
  }
  const mute = process.bytes === undefined ? 0 : nowMs - process.bytes.movedMs;
  return mute >= stallMs ? signal('process', `nothing written for ${seconds(mute)}`, process.lastMs) : undefined;
}

/** The process is halted by a signal and has used no CPU time since. */
export function isHalted(look: Look): boolean {
  const { process } = look;
  if (process?.state !== 'running' || process.cpu === undefined) return false;
  return process.cpu.movedMs <= (process.haltedSinceMs ?? Number.NEGATIVE_INFINITY);
}

/** The probe of the playlist: it stands still, is missing, or lists nothing but empty segments. */
export function outputSignal(look: Look): Witness {
  const { output } = look.facts;
  if (output === undefined) return reachSignal(look);
  if (output.emptyStreak >= 2) return emptySignal(look);
  if (output.failStreak >= PROBE_FAILURES_MIN && output.last.failure === 'http_status') {
    return signal('probe', `no playlist (status ${output.last.status ?? 'unknown'})`, output.last.monoMs);
  }
  const still = standstillOf(look.facts, look.nowMs);
  return still === undefined
    ? undefined
    : signal('probe', `playlist unchanged for ${seconds(still)}`, output.last.monoMs);
}

/** The probe, for a process that is dead anyway: a playlist that misses one segment already tells. */
export function silentOutputSignal(look: Look): Witness {
  const { output } = look.facts;
  const sooner = outputSignal(look);
  if (sooner !== undefined || output?.changedMs === undefined || output.lastOkMs === undefined) return sooner;
  const still = output.lastOkMs - output.changedMs;
  const late = still >= Math.max(1.5 * (output.targetDurationMs ?? 2_000), 2_500);
  return late ? signal('probe', `playlist unchanged for ${seconds(still)}`, output.lastOkMs) : undefined;
}

function reachSignal(look: Look): Witness {
  const { reach } = look.facts;
  if (reach === undefined || reach.failStreak < PROBE_FAILURES_MIN) return undefined;
  return signal('probe', `the output does not answer (${reach.last.failure ?? 'unknown'})`, reach.last.monoMs);
}

export function emptySignal(look: Look): Witness {
  const { output } = look.facts;
  if (output === undefined || output.emptyStreak < 2) return undefined;
  return signal('probe', `${output.emptyStreak} new segments of 0 bytes`, output.last.monoMs);
}

/** The server of the output does not answer at all, or answers nonsense. */
export function serverSignal(look: Look): Witness {
  const { output } = look.facts;
  if (output === undefined || output.failStreak < PROBE_FAILURES_MIN) return undefined;
  const status = output.last.status ?? 0;
  if (output.last.failure === 'http_status' && status < 500 && status !== 401 && status !== 403) return undefined;
  return signal('probe', `the playlist cannot be read (${output.last.failure ?? 'unknown'})`, output.last.monoMs);
}

/** The encoder's own reports stopped, or repeat the same position. A silence is witnessed now, not when it began. */
export function progressSignal(look: Look): Witness {
  const { progress } = look.facts;
  if (progress === undefined || !progressStands(look.facts, look.nowMs)) return undefined;
  return signal(
    'log',
    `no progress for ${seconds(look.nowMs - progress.advancedMs)}`,
    progress.lastMs,
    'stalled_output',
  );
}

/** The probe of the source: it fails. */
export function sourceSignal(look: Look): Witness {
  const failed = sourceFailure(look);
  if (failed === undefined) return undefined;
  const status = failed.status === undefined ? '' : ` ${failed.status}`;
  return signal('probe', `source ${failed.host} fails (${failed.failure ?? 'unknown'}${status})`, failed.monoMs);
}

export function diskSignal(look: Look): Witness {
  const disk = fullestDisk(look.context.host);
  if (disk === undefined || disk.ratio < DISK_FULL_RATIO || look.context.host === undefined) return undefined;
  return signal(
    'host',
    `${disk.path} is ${Math.floor(disk.ratio * 100)} % full`,
    look.context.host.last.monoMs,
    'disk_full',
  );
}

export const engineSignal = (look: Look): Witness =>
  look.context.engine.last === undefined || look.context.engine.failStreak === 0
    ? undefined
    : signal(
        'metric',
        `the engine failed ${look.context.engine.failStreak} times in a row`,
        look.context.engine.last.monoMs,
      );
