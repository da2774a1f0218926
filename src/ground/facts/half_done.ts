/** Changes that Reeve asked for, and which process a stop that is seen may be the doing of (law S6). */
import type { MonoMs } from '../../core/clock.ts';
import type { ProcessState } from '../../core/sample.ts';

/** A change that was asked for: the process that a restart is to replace, and when it was asked. */
export interface HalfDone {
  /** Undefined where an earlier process of Reeve asked for it. */
  readonly generation: string | undefined;
  readonly sinceMs: MonoMs;
  /** Whether there was such a restart is not known. */
  readonly certainty?: 'maybe';
  /** When the call ended; undefined while it is under way, or where its end is not known. */
  readonly endedMs?: MonoMs;
  /** It is no restart: it may stop the process on its way, and need not show a new one. */
  readonly startsNothing?: true;
  /** The end of one like it, just before, is not known. */
  readonly isLost?: true;
}

/** What a look at a process tells of its age. */
interface Seen {
  readonly state: ProcessState;
  readonly generation: string | undefined;
  readonly bornMs: MonoMs;
  readonly lastMs: MonoMs;
}

/** A stop may be seen this long after the call that made it has ended: the look at the engine comes later. */
const SEEN_LATE_MS = 5_000;

/**
 * What is seen now may have been stopped by that call: so soon after its end, or by the first look since. An engine
 * that was silent meanwhile shows late what Reeve did, and no person was seen to do it (law S6).
 */
export const mayBeOf = ({ endedMs }: HalfDone, lookedMs: MonoMs, nowMs: MonoMs): boolean =>
  endedMs === undefined || nowMs <= endedMs + SEEN_LATE_MS || lookedMs <= endedMs;

/** A late effect is over by then: the old process runs on, so the call did not stop it. */
const LATE_EFFECT_MS = 120_000;

/** A restart before it, which is not known to be over, says more. */
export function besideRestart(open: HalfDone | undefined, begun: Pick<HalfDone, 'generation' | 'sinceMs'>): HalfDone {
  if (open !== undefined && open.startsNothing !== true) return open;
  const isLost = open?.isLost === true || (open !== undefined && open.endedMs === undefined);
  return { ...begun, startsNothing: true, ...(isLost && { isLost }) };
}

/** Engines round the ages of processes. */
const AGE_ROUNDED_MS = 3_000;

/** The change found it running; where another process of Reeve asked for that, its age tells. */
const isOlder = ({ generation, bornMs }: Seen, change: HalfDone): boolean =>
  change.generation === undefined ? bornMs + AGE_ROUNDED_MS < change.sinceMs : generation === change.generation;

/** Until a new process runs. The old one may still be stopped by a call that came late. */
export function stillHalfDone(halfDone: HalfDone | undefined, process: Seen): HalfDone | undefined {
  if (halfDone === undefined || process.state !== 'running') return halfDone;
  const isNew = process.generation === undefined || !isOlder(process, halfDone);
  return isNew || process.lastMs - halfDone.sinceMs > LATE_EFFECT_MS ? undefined : halfDone;
}
