/** Parts a cause over several engines, when it is over, into what each of them has to start. */
import type { MonoMs } from '../../core/clock.ts';
import { MINUTE_MS } from '../../core/duration.ts';
import type { ChannelId, EngineId, Scope } from '../../core/scope.ts';
import { groupsOf, keyOf } from './cause_index.ts';
import type { SeenChannels } from './seen_channel.ts';
import type { SharedCause } from './shared_cause.ts';

/** What was not proven to be over is for each engine to start when it has been over for as long as it contains. */
const PARTED_MS = MINUTE_MS;

interface PartsInput {
  readonly seen: SeenChannels;
  readonly isProven?: (cause: SharedCause) => boolean;
}

/**
 * What a cause over several engines has left down is started by the plans of these, one for each: of all of them
 * together nothing can be asked, so whoever waited for that would be down for good (law L5). Empty: it stays whole.
 */
export function partsOf(
  cause: SharedCause,
  { seen, isProven }: PartsInput,
  nowMs: MonoMs,
): readonly { readonly of: string; readonly part: SharedCause }[] {
  const { scope, phase, channels, down, overMs = nowMs } = cause;
  if (scope.kind !== 'fleet' || phase === 'active' || down.length === 0) return [];
  if (isProven?.(cause) !== true && nowMs - overMs < PARTED_MS) return [];
  const seenOn = (engine: EngineId, ids: readonly ChannelId[]) =>
    seen.of(ids).filter(({ ref }) => ref.engine === engine);
  const on = (engine: EngineId, ids: readonly ChannelId[]) => seenOn(engine, ids).map(({ ref }) => ref.id);
  const engines = [...new Set(seen.of(down).map(({ ref }) => ref.engine))];
  return engines.map((id) => {
    const own: Scope = { kind: 'engine', id };
    const key = keyOf({ scope: own, family: cause.family });
    const touched = cause.groups === undefined ? {} : { groups: groupsOf(seenOn(id, channels)) };
    const part = { ...cause, ...touched, scope: own, key, channels: on(id, channels), down: on(id, down) };
    return { of: cause.key, part };
  });
}
