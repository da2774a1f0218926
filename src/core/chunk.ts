/** Types of log chunks and of the account of their lines. */
import type { EpochMs, MonoMs } from './clock.ts';
import type { ChannelId } from './scope.ts';

/**
 * Whole records of one log source: the bytes in [start, end) end with `\n` or `\r`.
 * The buffer is shared and only valid during the call.
 */
export interface Chunk {
  readonly source: string;
  /** Where the file stands, for sources that may have several: what one began another does not end. */
  readonly path?: string;
  /** The channel that owns the file; undefined where the text must say. */
  readonly channel: ChannelId | undefined;
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  /** Others sent it over the network: its text is a witness, its claims to be an encoder's report are not. */
  readonly pushed?: boolean;
  /** Written before Reeve began to watch: counted, but evidence of nothing. */
  readonly backlog: boolean;
  readonly at: EpochMs;
  readonly monoMs: MonoMs;
}

/** Law L3: lines = matched + unmatched. Lines are counted by `\n`; records that end in `\r` are progress. */
export interface ChunkCount {
  readonly lines: number;
  readonly matched: number;
  readonly unmatched: number;
  readonly progress: number;
}

/** Takes a chunk at once, without waiting. */
export type ChunkSink = (chunk: Chunk) => ChunkCount;

export const DROP_REASONS = ['flood', 'line_too_long', 'source_lost', 'backlog_cut'] as const;
export type DropReason = (typeof DROP_REASONS)[number];

/** How far a file was read and what came of it, committed together: counts are exact over a crash. */
export interface Checkpoint {
  readonly source: string;
  readonly path: string;
  readonly device: string;
  readonly inode: string;
  /** SHA-256 of the first bytes (at most 256), with how many they were: reveals a reused inode. */
  readonly headHash: string;
  readonly headBytes: number;
  readonly offset: number;
  readonly lines: number;
  readonly matched: number;
  readonly unmatched: number;
  readonly dropped: readonly { readonly reason: DropReason; readonly lines: number }[];
}

/** Keeps checkpoints over restarts, one for each source, device and inode. */
export interface CheckpointStore {
  load(source: string): readonly Checkpoint[];
  /** All or none. */
  save(checkpoints: readonly Checkpoint[]): void;
  /**
   * These files are gone for good. Every other checkpoint is kept: without it a file would be read and counted again.
   */
  forget(source: string, files: readonly Pick<Checkpoint, 'device' | 'inode'>[]): void;
}

/** Something a supervisor logged about a process: a hint to look at once, never evidence of its own. */
export interface Notice {
  readonly kind: 'started' | 'exited';
  readonly channel: ChannelId;
  readonly pid: number | undefined;
  readonly monoMs: MonoMs;
}
