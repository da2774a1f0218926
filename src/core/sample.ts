/** Types of what probes and engines observe. */
import type { EpochMs, MonoMs } from './clock.ts';
import type { ChannelId, EngineId } from './scope.ts';

/** States as supervisors name them; `unknown` is an unreadable state, never a healthy one. */
export const PROCESS_STATES = [
  'running',
  'starting',
  'backoff',
  'stopping',
  'stopped',
  'exited',
  'fatal',
  'unknown',
] as const;
export type ProcessState = (typeof PROCESS_STATES)[number];

interface SampleBase {
  readonly at: EpochMs;
  readonly monoMs: MonoMs;
  /** The probe that took it. */
  readonly source: string;
}

/** Why a probe got no answer, or not a usable one. */
export type ProbeFailure =
  | 'refused'
  | 'timeout'
  | 'dns'
  | 'tls'
  | 'reset'
  | 'http_status'
  | 'invalid_answer'
  | 'too_large'
  | 'truncated'
  | 'corrupt'
  | 'slow'
  | 'unreachable';

/** One look at a channel's playlist and its newest segment. */
export interface PlaylistSample extends SampleBase {
  readonly kind: 'playlist';
  readonly channel: ChannelId;
  readonly ok: boolean;
  readonly failure?: ProbeFailure;
  readonly status?: number;
  /** Changes whenever the playlist's content does; equal twice means nothing was added. */
  readonly revision?: string;
  readonly mediaSequence?: number;
  readonly targetDurationMs?: number;
  /** Bytes of the newest segment; undefined when it was not looked at or could not be read. */
  readonly newestSegmentBytes?: number;
  /** The newest segment is not there (404, 410, no such file), or none is listed though more were to come. */
  readonly newestSegmentMissing?: boolean;
  /** Age by the server's own account (Last-Modified); undefined where it sends none. */
  readonly ageMs?: number;
  readonly ended?: boolean;
}

/** What the process table says of a channel, or an engine's equal of it. */
export interface ProcessSample extends SampleBase {
  readonly kind: 'process';
  readonly channel: ChannelId;
  readonly engine: EngineId;
  readonly state: ProcessState;
  readonly pid: number | undefined;
  /** Identifies one run of the process: pid and start time. Changes exactly when a new one starts. */
  readonly generation: string | undefined;
  /** How long this process has lived, by the engine's account. */
  readonly uptimeMs: number | undefined;
  readonly exitCode: number | undefined;
  /** 0: a signal ended it, and the engine does not say which. */
  readonly exitSignal: number | undefined;
  /** Somebody stopped it on purpose: a stopped channel is not a crashed one. */
  readonly stoppedOnPurpose: boolean;
  /** CPU time used so far, where the process is on this machine. */
  readonly cpuMs: number | undefined;
  /** Halted by a signal (state T), where the process is on this machine. */
  readonly halted: boolean | undefined;
  /** Bytes written so far by the process (`/proc/PID/io`), where readable. */
  readonly bytesWritten: number | undefined;
}

/** A look at what the channel reads from (its origin), independent of the channel's own process. */
export interface SourceSample extends SampleBase {
  readonly kind: 'source';
  readonly channel: ChannelId;
  readonly ok: boolean;
  readonly failure?: ProbeFailure;
  readonly status?: number;
  readonly retryAfterMs?: number;
  /** The server answers, and does not have it: nobody publishes it there now. */
  readonly absent?: true;
  /**
   * How long nothing had come any more when a good look ended, in milliseconds, 0 where left out. What fell silent in
   * the middle of the look was alive only until then.
   */
  readonly silentMs?: number;
  /**
   * Its witness is a counter that had moved between two looks, this far apart, 0 where left out: the source may have
   * fallen silent right after the first of them.
   */
  readonly spanMs?: number;
  /** The host and port that was asked, without path, query or credentials. */
  readonly host: string;
  /** Not what the channel reads from, but the server that it publishes to. */
  readonly ofServer?: true;
}

/** Plain reachability of a channel's output (TCP connect or HTTP status). */
export interface ReachSample extends SampleBase {
  readonly kind: 'reach';
  readonly channel: ChannelId;
  readonly ok: boolean;
  readonly failure?: ProbeFailure;
  readonly status?: number;
  /** The streaming server that the channel publishes to did not answer: of the channel itself that says nothing. */
  readonly serverFailed?: true;
}

/** A progress report of an encoder. Comes from log text, so it counts as log evidence. */
export interface ProgressSample extends SampleBase {
  readonly kind: 'progress';
  readonly channel: ChannelId;
  /** Position in the output, in media time. Successive values give the true speed. */
  readonly outTimeMs: number;
  readonly frame: number | undefined;
}

/** What an engine says of itself and its pool. */
export interface EngineSample extends SampleBase {
  readonly kind: 'engine';
  readonly engine: EngineId;
  readonly ok: boolean;
  readonly failure?: ProbeFailure | 'refused_credentials';
  /** 0 to 1: active over maximum; undefined where the engine does not report it. */
  readonly poolPressure: number | undefined;
  /** The engine is supposed to report a pool, so silence means unknown, not fine. */
  readonly reportsPool: boolean;
}

/** The machine that an engine's channels run on. */
export interface HostSample extends SampleBase {
  readonly kind: 'host';
  readonly engine: EngineId;
  readonly disks: readonly { readonly path: string; readonly usedRatio: number | undefined }[];
  /** Kills by the kernel's out-of-memory killer since boot (`/proc/vmstat`), where readable. */
  readonly oomKills: number | undefined;
  /** 0 to 1 per core: load by `/proc/pressure/cpu` "some avg10", where readable. */
  readonly cpuPressure: number | undefined;
}

/** How many watch, where an engine knows. */
export interface ViewerSample extends SampleBase {
  readonly kind: 'viewers';
  readonly channel: ChannelId;
  readonly viewers: number;
}

/** The verdict of an engine's credential probe for a channel or for all of an engine. */
export interface CredentialSample extends SampleBase {
  readonly kind: 'credential';
  readonly engine: EngineId;
  readonly ok: boolean;
}

/** A fact about the world from a source that log writers cannot reach (progress excepted). */
export type Sample =
  | PlaylistSample
  | ProcessSample
  | SourceSample
  | ReachSample
  | ProgressSample
  | EngineSample
  | HostSample
  | ViewerSample
  | CredentialSample;
