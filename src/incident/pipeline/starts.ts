// Attributes each observed start of a channel to Reeve or to others, and records it for the restart window.
import type { MonoMs } from '../../core/clock.ts';
import type { Append, Read, StartOrigin } from '../../core/journal.ts';
import type { ChannelId, EngineId } from '../../core/scope.ts';
import type { FactStore } from '../../ground/facts/facts.ts';
import type { GuardState } from '../../guard/state/state.ts';

/** A start this long after our own call ended may still be its doing. */
const OWN_WITHIN_MS = 120_000;

/**
 * Finds out who started a new process of a channel, and records it: every start counts, whoever began it. Ours is the
 * first new process after a call of ours that no process was matched to yet; the engine's own retries after that are
 * the engine's.
 */
export function noteStart(start: SeenStart, deps: StartDeps): StartOrigin {
  const { channel, generation, engine } = start;
  const origin = originOf(start, deps);
  deps.append([{ channel, fact: { type: 'start.observed', origin, generation, engine } }]);
  deps.factStore.started(channel, origin, generation);
  return origin;
}

export interface SeenStart {
  readonly channel: ChannelId;
  readonly generation: string;
  readonly engine: EngineId;
  readonly nowMs: MonoMs;
}

interface StartDeps {
  readonly guard: Read<GuardState>;
  readonly factStore: FactStore;
  readonly append: Append;
}

function originOf({ channel, nowMs }: SeenStart, { guard, factStore }: StartDeps): StartOrigin {
  const mark = guard().starts.findLast((one) => one.channel === channel);
  const ours = mark?.permit !== undefined && mark.life === undefined && mark.atMs > nowMs - OWN_WITHIN_MS;
  if (ours) return 'reeve';
  const ending = factStore.view(channel)?.process?.lastEnd;
  if (ending === undefined) return 'unknown';
  return ending.ordered ? 'operator' : 'engine';
}
