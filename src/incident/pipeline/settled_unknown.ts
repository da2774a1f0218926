/** Settles calls of unknown end whose subject has been seen healthy since. */
import type { MonoMs } from '../../core/clock.ts';
import type { Draft, Read } from '../../core/journal.ts';
import { parseScope, type Scope } from '../../core/scope.ts';
import { type GuardState, subjectsOf } from '../../guard/state/state.ts';
import { isWell, wellSinceMs } from '../lifecycle/causes.ts';
import type { ChannelIndex } from './channel_index.ts';
import type { FindingTracker } from './finding_tracker.ts';

export interface SettledUnknownDeps {
  readonly watch: Pick<FindingTracker, 'watched' | 'engine'>;
  readonly guardState: Read<GuardState>;
  readonly channelIndex: Pick<ChannelIndex, 'channelsIn'>;
  /** How long a channel must be healthy before an UNKNOWN start on it is settled. */
  readonly healthyHoldMs: number;
}

/** A call of unknown end blocks what it was made on until that is seen healthy (law S6). One draft for each. */
export function settledUnknown(deps: SettledUnknownDeps, nowMs: MonoMs): readonly Draft[] {
  return subjectsOf(deps.guardState()).flatMap(([key, { unknown }]): readonly Draft[] => {
    const scope = unknown === undefined ? undefined : parseScope(key);
    if (unknown === undefined || scope === undefined) return [];
    const since = healthySinceMs(deps, scope, unknown.sinceMs);
    if (since === undefined || nowMs - since < deps.healthyHoldMs) return [];
    const because = `healthy for ${Math.round((nowMs - since) / 1000)} s`;
    const fact = { type: 'unknown.settled', because } as const;
    return [scope.kind === 'channel' ? { channel: scope.id, fact } : { fact: { ...fact, scope } }];
  });
}

/** Since when the scope has been healthy, as seen after that moment; undefined: it is not known to be. */
function healthySinceMs(
  { watch, channelIndex }: SettledUnknownDeps,
  scope: Scope,
  afterMs: MonoMs,
): MonoMs | undefined {
  const all = channelIndex.channelsIn(scope).map((id) => watch.watched(id));
  if (scope.kind === 'channel') {
    const since = all[0]?.healthySinceMs;
    return since !== undefined && since >= afterMs ? since : undefined;
  }
  if (scope.kind === 'engine' && watch.engine(scope.id) !== undefined) return undefined;
  const isHealthy = all.every(isWell) && all.some((one) => one?.finding.healthy === true);
  return isHealthy ? Math.max(afterMs, ...all.map(wellSinceMs)) : undefined;
}
