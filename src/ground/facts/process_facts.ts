// Folds process samples into the generations of a channel's process, their ends and their counters.
import type { MonoMs } from '../../core/clock.ts';
import type { StartOrigin } from '../../core/journal.ts';
import type { ProcessSample, ProcessState } from '../../core/sample.ts';
import { type HalfDone, mayBeOf } from './half_done.ts';
import { OWN_ACTION_MS, RECALL_MS, SETTLED_GENERATION_MS } from './setup.ts';

/** The end of one process of a channel. */
export interface GenerationEnd {
  readonly monoMs: MonoMs;
  readonly exitCode: number | undefined;
  readonly exitSignal: number | undefined;
  /** A person, the engine's own stop or Reeve's own action: says nothing about the channel. */
  readonly ordered: boolean;
  /** The dead process itself was looked at; false: only its successor was. */
  readonly seen: boolean;
}

export interface GenerationStart {
  readonly monoMs: MonoMs;
  readonly generation: string;
  readonly origin: StartOrigin;
}

/** What the process table has reported of a channel. Every time is monotonic and is that of a sample. */
export interface ProcessFacts {
  readonly lastMs: MonoMs;
  readonly state: ProcessState;
  readonly stateSinceMs: MonoMs;
  /** Since when the state cannot be read. */
  readonly unreadableSinceMs: MonoMs | undefined;
  readonly generation: string | undefined;
  /** When this process was first seen. The start itself was no later. */
  readonly seenMs: MonoMs;
  /** When this process began, by the engine's account where it gives one. */
  readonly bornMs: MonoMs;
  /** Not running since; undefined while it runs. */
  readonly downSinceMs: MonoMs | undefined;
  readonly hasEnded: boolean;
  readonly stoppedOnPurpose: boolean;
  /** Stopped by an action of Reeve, and not started again since. */
  readonly stoppedByUs: boolean;
  readonly lastEnd: GenerationEnd | undefined;
  /** Ends without an order, newest last. */
  readonly ends: readonly MonoMs[];
  /** Processes in a row that ended without ever having settled. */
  readonly failedProcesses: number;
  readonly starts: readonly GenerationStart[];
  readonly haltedSinceMs: MonoMs | undefined;
  readonly cpu: Counter | undefined;
  readonly bytes: Counter | undefined;
}

/** A counter and when it last moved noticeably. */
export interface Counter {
  readonly value: number;
  readonly movedMs: MonoMs;
}

/** It runs and was stopped by a signal: no CPU time has been used since. */
export const isHaltedProcess = ({ state, cpu, haltedSinceMs = Number.NEGATIVE_INFINITY }: ProcessFacts): boolean =>
  state === 'running' && cpu !== undefined && cpu.movedMs <= haltedSinceMs;

const LIVING: ReadonlySet<ProcessState> = new Set(['running', 'starting', 'stopping']);
const KEEP = 16;
/** Less CPU time than this between two looks is idling. */
const CPU_NOTICEABLE_MS = 20;
/** An engine's ages are rounded: a process that is younger by no more is the same one. */
const YOUNGER_MS = 3_000;

/** What Reeve knows of the channel beside the samples of this process. */
export interface Known {
  /** When Reeve last began to change the channel. */
  readonly actedMs: MonoMs | undefined;
  /** An earlier process of Reeve saw the process end, no later than this. */
  readonly endedMs?: MonoMs | undefined;
  /** And had it in view until then. */
  readonly downUntilMs?: MonoMs | undefined;
  /** A change of Reeve's after which no new process has been seen. */
  readonly halfDone?: HalfDone | undefined;
}

/** Nothing but unreadable states was seen of the channel's process before. */
export const isFirstSight = (before: ProcessFacts | undefined): boolean =>
  before === undefined || (before.generation === undefined && before.lastMs === before.unreadableSinceMs);

/** Folds one sample in. */
export function nextProcess(before: ProcessFacts | undefined, sample: ProcessSample, known: Known): ProcessFacts {
  const { actedMs } = known;
  if (before === undefined || isFirstSight(before)) {
    return recalled(firstReading(sample, known), sample, known);
  }
  if (sample.state === 'unknown') return { ...before, unreadableSinceMs: before.unreadableSinceMs ?? sample.monoMs };
  if (runsOn(before, sample)) {
    const counters = countersOf(before, before, sample);
    return { ...before, lastMs: sample.monoMs, unreadableSinceMs: undefined, ...counters };
  }
  const moved = withGeneration(before, sample, actedMs);
  const counters = countersOf(moved, before, sample);
  return { ...withState(moved, sample, known), ...counters };
}

/** The same process runs on: most looks at most channels show no more. */
const runsOn = (before: ProcessFacts, sample: ProcessSample): boolean =>
  sample.state === 'running' &&
  before.state === 'running' &&
  !before.hasEnded &&
  before.failedProcesses === 0 &&
  before.stoppedOnPurpose === sample.stoppedOnPurpose &&
  sample.generation !== undefined &&
  sample.generation === before.generation;

/** The first sight of a process is a baseline: neither a start nor an end. */
function firstReading(sample: ProcessSample, { halfDone }: Known): ProcessFacts {
  const { monoMs, state } = sample;
  const dead = !LIVING.has(state);
  return {
    lastMs: monoMs,
    state,
    stateSinceMs: monoMs,
    unreadableSinceMs: state === 'unknown' ? monoMs : undefined,
    generation: sample.generation,
    seenMs: monoMs,
    bornMs: monoMs - (sample.uptimeMs ?? 0),
    downSinceMs: state === 'running' || state === 'unknown' ? undefined : monoMs,
    hasEnded: dead,
    stoppedOnPurpose: sample.stoppedOnPurpose,
    stoppedByUs: halfDone !== undefined && state !== 'running' && sample.stoppedOnPurpose,
    lastEnd: undefined,
    ends: [],
    failedProcesses: 0,
    starts: [],
    haltedSinceMs: sample.halted ? monoMs : undefined,
    cpu: counterOf(undefined, sample.cpuMs, monoMs),
    bytes: counterOf(undefined, sample.bytesWritten, monoMs),
  };
}

/**
 * A process that is still down as the earlier process of Reeve left it, a moment ago, has died, and was not found dead.
 * It may have died long before that: a cure that waits for a person waits for hours.
 */
function recalled(facts: ProcessFacts, sample: ProcessSample, { endedMs, downUntilMs }: Known): ProcessFacts {
  if (endedMs === undefined) return facts;
  const isThatEnd = sample.monoMs - Math.max(endedMs, downUntilMs ?? endedMs) <= RECALL_MS;
  if (!isThatEnd || sample.state !== 'exited' || sample.stoppedOnPurpose) return facts;
  const { exitCode, exitSignal } = sample;
  const lastEnd = { monoMs: endedMs, exitCode, exitSignal, ordered: false, seen: true };
  return { ...facts, lastEnd, ends: [endedMs], failedProcesses: 1 };
}

/** Ends the old generation and begins the new one, where the sample shows either. */
function withGeneration(before: ProcessFacts, sample: ProcessSample, actedMs: MonoMs | undefined): ProcessFacts {
  const generation = generationOf(before, sample);
  const fresh = generation !== undefined && generation !== before.generation;
  let facts = before;
  if (fresh) {
    if (!facts.hasEnded) facts = withEnd(facts, sample, { actedMs, seen: false });
    facts = withStart(facts, sample, generation);
  }
  if (!LIVING.has(sample.state) && !facts.hasEnded) return withEnd(facts, sample, { actedMs, seen: true });
  return facts;
}

/** Engines without pids show a new process by a shorter uptime, or by running after having been down. */
function generationOf(before: ProcessFacts, sample: ProcessSample): string | undefined {
  if (sample.generation !== undefined) return sample.generation;
  if (sample.state !== 'running') return before.generation;
  const younger = sample.uptimeMs !== undefined && sample.monoMs - sample.uptimeMs - before.bornMs > YOUNGER_MS;
  const named = before.generation !== undefined && !before.generation.startsWith('seen-');
  if (named && !before.hasEnded) return before.generation;
  return before.hasEnded || younger ? `seen-${sample.monoMs}` : before.generation;
}

const withStart = (facts: ProcessFacts, sample: ProcessSample, generation: string): ProcessFacts => ({
  ...facts,
  generation,
  seenMs: sample.monoMs,
  bornMs: Math.max(facts.lastMs, sample.monoMs - (sample.uptimeMs ?? 0)),
  hasEnded: false,
  haltedSinceMs: undefined,
  cpu: undefined,
  bytes: undefined,
  starts: [...facts.starts, { monoMs: sample.monoMs, generation, origin: 'unknown' as const }].slice(-KEEP),
});

function withEnd(
  facts: ProcessFacts,
  sample: ProcessSample,
  how: { readonly actedMs: MonoMs | undefined; readonly seen: boolean },
): ProcessFacts {
  const { monoMs } = sample;
  const ours = how.actedMs !== undefined && monoMs - how.actedMs <= OWN_ACTION_MS && facts.seenMs < how.actedMs;
  const ordered = ours || sample.stoppedOnPurpose;
  const settled = monoMs - facts.bornMs >= SETTLED_GENERATION_MS;
  return {
    ...facts,
    hasEnded: true,
    lastEnd: {
      monoMs,
      exitCode: how.seen ? sample.exitCode : undefined,
      exitSignal: how.seen ? sample.exitSignal : undefined,
      ordered,
      seen: how.seen,
    },
    ends: ordered ? facts.ends : [...facts.ends, monoMs].slice(-KEEP),
    failedProcesses: ordered ? facts.failedProcesses : settled ? 1 : facts.failedProcesses + 1,
  };
}

function withState(facts: ProcessFacts, sample: ProcessSample, { actedMs, halfDone }: Known): ProcessFacts {
  const { monoMs, state } = sample;
  const running = state === 'running';
  const mayBeOurs = halfDone !== undefined && mayBeOf(halfDone, facts.lastMs, monoMs);
  const ours = mayBeOurs || (actedMs !== undefined && monoMs - actedMs <= OWN_ACTION_MS);
  return {
    ...facts,
    lastMs: monoMs,
    state,
    stateSinceMs: state === facts.state ? facts.stateSinceMs : monoMs,
    unreadableSinceMs: undefined,
    downSinceMs: running ? undefined : (facts.downSinceMs ?? monoMs),
    stoppedOnPurpose: sample.stoppedOnPurpose,
    stoppedByUs: !running && sample.stoppedOnPurpose && (facts.stoppedByUs || ours),
    lastEnd: facts.hasEnded ? completed(facts.lastEnd, sample) : facts.lastEnd,
    failedProcesses: running && monoMs - facts.bornMs >= SETTLED_GENERATION_MS ? 0 : facts.failedProcesses,
  };
}

/** An engine may report the exit code one look later than the death. What is over here died while Reeve watched. */
function completed(end: GenerationEnd | undefined, sample: ProcessSample): GenerationEnd | undefined {
  if (end === undefined) return undefined;
  return {
    ...end,
    exitCode: end.exitCode ?? sample.exitCode,
    exitSignal: end.exitSignal ?? sample.exitSignal,
    ordered: end.ordered || sample.stoppedOnPurpose,
  };
}

function countersOf(
  facts: ProcessFacts,
  before: ProcessFacts,
  sample: ProcessSample,
): Pick<ProcessFacts, 'haltedSinceMs' | 'cpu' | 'bytes'> {
  const sameProcess = facts.generation === before.generation;
  return {
    haltedSinceMs: sample.halted === true ? (facts.haltedSinceMs ?? sample.monoMs) : undefined,
    cpu: counterOf(sameProcess ? before.cpu : undefined, sample.cpuMs, sample.monoMs, CPU_NOTICEABLE_MS),
    bytes: counterOf(sameProcess ? before.bytes : undefined, sample.bytesWritten, sample.monoMs),
  };
}

/** Undefined where the sample does not say: an unread counter has not stood still. */
function counterOf(
  before: Counter | undefined,
  value: number | undefined,
  monoMs: MonoMs,
  noticeable = 1,
): Counter | undefined {
  if (value === undefined) return undefined;
  if (before === undefined || Math.abs(value - before.value) >= noticeable) return { value, movedMs: monoMs };
  return before;
}
