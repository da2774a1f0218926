/** The engine port. */
import type { ChannelId, EngineId } from './scope.ts';
import type { EngineSample, ProcessSample, ViewerSample, CredentialSample } from './sample.ts';
import type { Capability } from './tool.ts';

/** What an engine reported in one poll. Absent means unknown, never healthy. */
export interface EngineReport {
  readonly engine: EngineSample;
  /** Where it did not answer well: in words, for a person. */
  readonly because?: string;
  readonly processes: readonly ProcessSample[];
  readonly viewers: readonly ViewerSample[];
  readonly credential: CredentialSample | undefined;
}

/** What `/proc` shows of one process of this machine. */
export interface ProcessReading {
  /** The kernel's letter: R, S, D, T (halted by a signal), t, Z … */
  readonly state: string;
  /** The pid of its parent. */
  readonly parent: number;
  /** Clock ticks from the boot to its start: with the pid it identifies one process, whatever the wall clock does. */
  readonly startTicks: number;
  /** CPU time used so far. */
  readonly cpuMs: number;
  /** Bytes written so far; undefined where the kernel does not let us read it. */
  readonly bytesWritten: number | undefined;
}

/** Undefined when there is no such process. Never throws. */
export type ReadProcess = (pid: number) => ProcessReading | undefined;

/** Handed to every change: the engine may use the permit as idempotency key; the fence orders permits per channel. */
export interface ActionContext {
  readonly permit: string;
  readonly fence: number;
  readonly signal: AbortSignal;
}

/**
 * One streaming service. Adapters map its own terms to these; every call goes through a transport with
 * breaker, deadline and size cap, and throws a `ReeveError` when the service does not answer well.
 * A capability that is not listed is refused by the guard and never called.
 */
export interface Engine {
  readonly id: EngineId;
  readonly kind: string;
  readonly capabilities: ReadonlySet<Capability>;
  /**
   * One cheap look at all channels. Has no effect on the service. A service that does not answer well is a report
   * whose `engine.ok` is false, with the reason; only the signal's abort is thrown.
   */
  observe(signal: AbortSignal): Promise<EngineReport>;
  /**
   * The same look at one channel, where that is quicker than the list of all. Empty: something newer is known of it.
   * Throws a `ReeveError` when the service does not answer well, which says nothing of the channel.
   */
  observeChannel?(channel: ChannelId, signal: AbortSignal): Promise<readonly (ProcessSample | ViewerSample)[]>;
  /** Begins a new process of the channel. Called at most once per permit. Resolves when the service accepted it. */
  restart?(channel: ChannelId, context: ActionContext): Promise<string>;
  /** The newest lines the service has of the channel; at most `bytesMax`. Untrusted text, not yet redacted. */
  recentLogs?(channel: ChannelId, bytesMax: number, signal: AbortSignal): Promise<string>;
  refreshCredentials?(context: ActionContext): Promise<string>;
  /** True when the service's credentials work. Read-only. */
  probeCredentials?(signal: AbortSignal): Promise<boolean>;
  /** Rebuilds what the channel plays. `itemsAdded` 0 is a failure, whatever the service says. */
  rebuildPlayout?(
    channel: ChannelId,
    context: ActionContext,
  ): Promise<{ readonly itemsAdded: number; readonly summary: string }>;
  /** True when the channel has something to play now. Read-only. */
  probePlayout?(channel: ChannelId, signal: AbortSignal): Promise<boolean>;
  invalidateCache?(channel: ChannelId | undefined, context: ActionContext): Promise<string>;
  /** Entries in the service's cache, as its own statistics show. Read-only. */
  probeCache?(signal: AbortSignal): Promise<number>;
  [Symbol.asyncDispose]?(): Promise<void>;
}
