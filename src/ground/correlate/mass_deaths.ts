/** Finds out whether more channels died at once than may be started one by one. */
import type { MonoMs } from '../../core/clock.ts';
import type { Limits } from '../../core/limits.ts';
import { type ChannelRef, type EngineId, keyOfScope, type ScopeKey } from '../../core/scope.ts';

/** So many groups whose channels died at once are one trouble of the whole. */
export const MASS_GROUPS_MIN = 3;

/** What makes several troubles one. */
export type CauseLimits = Pick<Limits, 'sharedCauseChannelsMin' | 'sharedCauseWindowMs' | 'windowStartsMax'>;

interface Down {
  readonly ref: ChannelRef;
  readonly firstSeenMs: MonoMs;
  /** The engine does not see to it itself any more. */
  readonly isCertain: boolean;
}

/**
 * The groups whose channels died with others of their engine, and what to say of it. Started one by one these would
 * hold every place of the window of starts for a minute; a plan of the group gives its place back with its proof.
 */
export function massDeaths(dead: readonly Down[], limits: CauseLimits): ReadonlyMap<ScopeKey, string> {
  const needed = Math.max(limits.sharedCauseChannelsMin, Math.ceil(limits.windowStartsMax / 2));
  const byEngine = Map.groupBy(dead, ({ ref }): EngineId => ref.engine);
  const found = [...byEngine].flatMap(([engine, members]) => {
    const groups = new Set(members.map(({ ref }) => ref.group));
    const isMass =
      groups.size >= MASS_GROUPS_MIN &&
      // One that is certain speaks for all: else the last places would go to those that become certain a moment later.
      members.some(({ isCertain }) => isCertain) &&
      withinWindow(members, needed, limits.sharedCauseWindowMs);
    const says = `${members.length} channels of ${groups.size} groups of ${engine} at once`;
    return isMass ? [...groups].map((id) => [keyOfScope({ kind: 'group', id }), says] as const) : [];
  });
  return new Map(found);
}

/** That many began within one window, wherever it lies. */
export function withinWindow(members: readonly Pick<Down, 'firstSeenMs'>[], needed: number, windowMs: number): boolean {
  const begun = members.map(({ firstSeenMs }) => firstSeenMs).sort((a, b) => a - b);
  return begun.some((ms, index) => (begun[index + needed - 1] ?? Number.POSITIVE_INFINITY) - ms <= windowMs);
}
