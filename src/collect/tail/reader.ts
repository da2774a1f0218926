/** What an open log file and the source that it belongs to agree on. */
import type { ChunkCount, DropReason } from '../../core/chunk.ts';
import type { TailLimits } from './types.ts';

/** The last bytes before the offset: when the file no longer has them, it was rewritten. */
export const ANCHOR_BYTES = 32;

/** The sink threw. That is a bug, and the lane of that source ends here; the others go on. */
export class SinkFailed extends Error {}

/** What a file asks of the source that it belongs to. */
export interface Reader<File> {
  /** Shared by all files: what it holds is only good until the next read. At least `ANCHOR_BYTES` + `lineBytesMax`. */
  readonly shared: Buffer;
  readonly limits: TailLimits;
  hand(file: File, span: { readonly start: number; readonly end: number; readonly backlog: boolean }): ChunkCount;
  drop(reason: DropReason, lines: number): void;
  gap(file: File, kind: 'truncated' | 'rewritten'): void;
  flooded(file: File, bytes: number): void;
}
