/** Names the generations of processes that an engine reports. */
import type { MonoMs } from '../core/clock.ts';
import type { ProcessReading, ReadProcess } from '../core/engine.ts';
import type { ProcessSample } from '../core/sample.ts';
import type { ChannelId } from '../core/scope.ts';

/** What an engine says of one process. Seconds are by the engine's own clock. */
export interface GenerationEvent {
  /** 0: there is none. */
  readonly pid: number;
  readonly start: number;
  readonly now: number;
  readonly monoMs: MonoMs;
  /** The engine's own pid, where known. */
  readonly parent: number | undefined;
}

type GenerationPart = Pick<ProcessSample, 'pid' | 'generation' | 'uptimeMs' | 'cpuMs' | 'halted' | 'bytesWritten'>;

/** Identifies process generations, and reads /proc for those of this machine. */
export interface ProcessGenerations {
  look(channel: ChannelId, event: GenerationEvent): GenerationPart;
}

interface KnownGeneration {
  readonly pid: number;
  readonly startTicks: number | undefined;
  readonly generation: string;
  /** How old it was when it was first seen, and when that was. */
  readonly agedMs: number;
  readonly seenMs: MonoMs;
  /** As the engine told of it last. */
  readonly last: GenerationEvent;
}

const NO_GENERATION: GenerationPart = {
  pid: undefined,
  generation: undefined,
  uptimeMs: undefined,
  cpuMs: undefined,
  halted: undefined,
  bytesWritten: undefined,
};

/**
 * A generation is named when it is first seen and keeps its name and its start time while it is the same process. A
 * wall clock that is set while it runs may make the start that the engine reports move. While that clock has gone on as
 * ours, a later start is another process: in a container that was started anew it often has the very same pid.
 */
export function processGenerationsOf(
  local: boolean | 'auto',
  readProcess: ReadProcess | undefined,
): ProcessGenerations {
  const generations = new Map<ChannelId, KnownGeneration>();
  return {
    look(channel, event) {
      if (event.pid === 0) {
        generations.delete(channel);
        return NO_GENERATION;
      }
      const reading = provenReading(local, readProcess, event);
      const known = generations.get(channel);
      const current = known !== undefined && isSame(known, event, reading) ? known : bornOf(event, reading);
      generations.set(channel, { ...current, last: event });
      return {
        pid: event.pid,
        generation: current.generation,
        uptimeMs: current.agedMs + (event.monoMs - current.seenMs),
        cpuMs: reading?.cpuMs,
        halted: reading && (reading.state === 'T' || reading.state === 't'),
        bytesWritten: reading?.bytesWritten,
      };
    },
  };
}

function isSame(known: KnownGeneration, event: GenerationEvent, reading: ProcessReading | undefined): boolean {
  if (known.pid !== event.pid) return false;
  const [was, is] = [known.startTicks, reading?.startTicks];
  if (was !== undefined && is !== undefined) return was === is;
  return event.start <= known.last.start || wasClockSet(known.last, event);
}

/** Whole seconds on both sides, and a look that takes its time. */
const CLOCK_MS_MAX = 3_000;

const wasClockSet = (before: GenerationEvent, { now, monoMs }: GenerationEvent): boolean =>
  Math.abs((now - before.now) * 1_000 - (monoMs - before.monoMs)) > CLOCK_MS_MAX;

/** Clock ticks identify a generation better than seconds, and no clock that is set can move them. */
function bornOf(event: GenerationEvent, reading: ProcessReading | undefined): KnownGeneration {
  const began = reading === undefined ? `${event.start}` : `t${reading.startTicks}`;
  const agedMs = Math.max(0, event.now - event.start) * 1_000;
  const generation = `${event.pid}:${began}`;
  const { pid, monoMs: seenMs } = event;
  return { pid, startTicks: reading?.startTicks, generation, agedMs, seenMs, last: event };
}

/**
 * A pid from inside a container names a stranger here. With `auto` only a child of the engine's own pid counts, and
 * pid 1 proves nothing: it is somebody in every container.
 */
function provenReading(
  local: boolean | 'auto',
  readProcess: ReadProcess | undefined,
  { pid, parent }: GenerationEvent,
): ProcessReading | undefined {
  if (local === false || readProcess === undefined) return undefined;
  const reading = readProcess(pid);
  if (local === true) return reading;
  return parent !== undefined && parent !== 1 && reading?.parent === parent ? reading : undefined;
}
