/** The window of recent starts. */
import type { MonoMs } from '../../core/clock.ts';
import { DAY_MS, MINUTE_MS } from '../../core/duration.ts';
import type { ChannelId, EngineId } from '../../core/scope.ts';
import type { PermitId } from '../../core/tool.ts';

/** One start of a channel, whoever began it. */
export interface StartMark {
  engine: EngineId | undefined;
  channel: ChannelId;
  /** The latest moment at which it can have begun: a permit's expiry, then the call, then its end. */
  atMs: MonoMs;
  /** Ours. */
  permit?: PermitId;
  /** One of a staged plan: the plan's permit. */
  plan?: PermitId;
  /** Of a staged plan, and verified: it counts as proof and not as part of a storm (law S2). */
  proven?: true;
  /** A person had announced it (`reeve maintenance add --rolling`): it is part of no storm (law S2). */
  planned?: true;
  /** The call has begun and has not ended: it may still start at any moment. */
  open?: true;
  /** The process of the channel in which it was seen. */
  life?: string;
}

/** Starts that are remembered, newest last. A window of more starts than this cannot be configured away. */
export const STARTS_KEPT = 1_024;
/** No longer window can be configured. */
const WINDOW_MS_MAX = DAY_MS;

/**
 * Adds a start. When the list is full one goes: the oldest, where it is outside every window; else the oldest of those
 * that count for nothing, which may be many (an announced restart of all channels). Where all count the oldest is
 * outside every window that the newer ones do not fill.
 */
export function addStart(starts: StartMark[], mark: StartMark): void {
  starts.push(mark);
  if (starts.length <= STARTS_KEPT) return;
  const isPast = starts[0]!.open !== true && starts[0]!.atMs <= mark.atMs - WINDOW_MS_MAX;
  starts.splice(isPast ? 0 : Math.max(0, uncounted(starts)), 1);
}

/** The place of the oldest that no window counts: announced, or one of more by others than a channel's churn needs. */
function uncounted(starts: readonly StartMark[]): number {
  const isOthers = ({ permit, planned }: StartMark): boolean => permit === undefined && planned !== true;
  const counts = new Map<ChannelId, number>();
  for (const mark of starts) if (isOthers(mark)) counts.set(mark.channel, (counts.get(mark.channel) ?? 0) + 1);
  const isMore = (mark: StartMark): boolean =>
    isOthers(mark) && counts.get(mark.channel)! > FOREIGN_PER_CHANNEL_MAX + 1;
  return starts.findIndex((mark) => mark.planned === true || isMore(mark));
}

/** Our start of this permit, or undefined when it is long gone. */
export function startOf(starts: readonly StartMark[], permit: PermitId): StartMark | undefined {
  return starts.findLast((mark) => mark.permit === permit);
}

export interface WindowLook {
  readonly windowMs: number;
  readonly nowMs: MonoMs;
  /** Only the starts of this engine; all when undefined. */
  readonly engine?: EngineId | undefined;
}

/** Starts that others make of one channel count so often in a window: a storm is many channels (law S2). */
const FOREIGN_PER_CHANNEL_MAX = 3;

/** Channels that others started more often than that within the window, and how often: their churn is their own. */
export function churning(starts: readonly StartMark[], look: WindowLook): ReadonlyMap<ChannelId, number> {
  const counts = new Map<ChannelId, number>();
  for (const { channel, permit, planned, atMs } of starts) {
    if (permit === undefined && planned !== true && atMs > look.nowMs - look.windowMs)
      counts.set(channel, (counts.get(channel) ?? 0) + 1);
  }
  return new Map([...counts].filter(([, count]) => count > FOREIGN_PER_CHANNEL_MAX));
}

/** Of the starts that others made, the newest few of each channel; all of ours. */
function withoutChurn(starts: readonly StartMark[]): readonly StartMark[] {
  const seen = new Map<ChannelId, number>();
  return starts
    .toReversed()
    .filter(({ channel, permit }) => {
      if (permit !== undefined) return true;
      const count = (seen.get(channel) ?? 0) + 1;
      seen.set(channel, count);
      return count <= FOREIGN_PER_CHANNEL_MAX;
    })
    .toReversed();
}

/**
 * When each start in the half-open window (now − W, now] began, oldest first, without those that are proofs of health
 * or were announced; one in flight counts as beginning now.
 */
export function startsIn(starts: readonly StartMark[], look: WindowLook): readonly MonoMs[] {
  const afterMs = look.nowMs - look.windowMs;
  return withoutChurn(starts.filter((mark) => mark.planned !== true))
    .filter((mark) => mark.proven !== true)
    .filter((mark) => look.engine === undefined || mark.engine === look.engine)
    .map((mark) => (mark.open === true ? Math.max(mark.atMs, look.nowMs) : mark.atMs))
    .filter((atMs) => atMs > afterMs)
    .sort((a, b) => a - b);
}

/** Law S2: starts of staged plans in the last minute, verified or not, and when one more fits under `max`. */
export function stagedRoom(starts: readonly StartMark[], max: number, nowMs: MonoMs): Room {
  const staged = starts.filter(({ plan }) => plan !== undefined).map(({ proven: _, ...mark }): StartMark => mark);
  return roomFor(staged, max, { windowMs: MINUTE_MS, nowMs });
}

export interface Room {
  readonly count: number;
  /** 0 when one more fits; else the milliseconds until it would, if nothing else starts. */
  readonly freeInMs: number;
}

/** Law S2: how many starts the window holds, and when one more fits under `max`. */
export function roomFor(starts: readonly StartMark[], max: number, look: WindowLook): Room {
  const times = startsIn(starts, look);
  const count = times.length;
  if (count < max) return { count, freeInMs: 0 };
  const last = times[count - Math.max(1, max)] ?? look.nowMs;
  return { count, freeInMs: Math.max(1, last + look.windowMs - look.nowMs) };
}

/** Never more than can be remembered, and never less than one whole number. */
export const startsMaxOf = (windowStartsMax: number): number => Math.min(windowStartsMax, STARTS_KEPT - 1);
