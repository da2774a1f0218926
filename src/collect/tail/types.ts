/** Options, limits and statistics of the tail. */
import type { ChunkCount, DropReason } from '../../core/chunk.ts';
import type { EpochMs } from '../../core/clock.ts';
import type { ChannelId } from '../../core/scope.ts';

/** One log to follow. */
export interface TailSource {
  /** Unique over all sources. */
  readonly id: string;
  /** An exact path (it may be a symbolic link), or a pattern with `*`, `?`, `[…]` and `{a,b}` in any segment. */
  readonly path: string;
  /** The channel that owns the log; without it the text must say, which may speak of many: it is read first. */
  readonly channel?: ChannelId | undefined;
}

export interface TailLimits {
  /** What one source may hand over before the next one is read. */
  readonly readBytes: number;
  /** After this long the event loop runs. */
  readonly readMs: number;
  /** A longer line is not kept; it is counted. Also the size of the one buffer that all files share. */
  readonly lineBytesMax: number;
  /** How much of what was there before the first start is read, as backlog. */
  readonly backlogBytes: number;
  /** A file further behind than this skips to `floodKeepBytes` before its end; what it skips is counted. */
  readonly floodBytes: number;
  readonly floodKeepBytes: number;
  /** Between two looks at the files, for what the file system does not notify. */
  readonly pollMs: number;
  /** A file of which its directory notifies everything is asked at one of so many looks only. */
  readonly heardLooks: number;
  /** Longest time that counts are not yet in the checkpoint. */
  readonly checkpointMs: number;
  /** How long a rotated file is followed after it went quiet, for writers that are slow to let go of it. */
  readonly lingerMs: number;
  /** Files that are open at once, over all sources. */
  readonly filesMax: number;
  /** Files that one pattern may match; the others of more are not followed. */
  readonly matchesMax: number;
  /** Rotated files of one source that are followed at once; the oldest of more is skipped and counted. */
  readonly generationsMax: number;
}

export const DEFAULT_TAIL_LIMITS: TailLimits = {
  readBytes: 32 * 1024,
  readMs: 4,
  lineBytesMax: 1024 * 1024,
  backlogBytes: 64 * 1024,
  floodBytes: 64 * 1024 * 1024,
  floodKeepBytes: 16 * 1024 * 1024,
  pollMs: 3_000,
  heardLooks: 5,
  checkpointMs: 1_000,
  lingerMs: 10_000,
  filesMax: 4_096,
  matchesMax: 4_096,
  generationsMax: 16,
};

const SOURCE_STATES = ['following', 'missing', 'unreadable', 'refused', 'too_many_files', 'failed'] as const;
export type SourceState = (typeof SOURCE_STATES)[number];

/** Law L3: `lines` = `matched` + `unmatched` + the sum of `dropped`, exactly, over restarts and crashes. */
export interface SourceStats extends ChunkCount {
  readonly source: string;
  readonly state: SourceState;
  readonly dropped: readonly { readonly reason: DropReason; readonly lines: number }[];
  /** Files that are open now, rotated ones included. */
  readonly files: number;
  /** Not yet read, as far as the last look showed. */
  readonly behindBytes: number;
  /**
   * Since this start: how often something may have been lost uncounted (a file truncated, or gone before it was
   * read).
   */
  readonly gaps: number;
}

const TAIL_NOTICES = [
  'following',
  'missing',
  'unreadable',
  'refused',
  'rotated',
  'truncated',
  'rewritten',
  'lost',
  'flood',
  'too_many_files',
  'watch_failed',
  'checkpoint_failed',
  'failed',
] as const;

/** Sent once per change, so that an operator is informed and a metric counted. */
export interface TailNotice {
  readonly kind: (typeof TAIL_NOTICES)[number];
  readonly at: EpochMs;
  readonly source: string;
  /** Cleaned: names of files are as untrusted as their text. */
  readonly path: string;
  readonly because: string;
}
