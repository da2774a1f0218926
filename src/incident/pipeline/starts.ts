// Attributes each observed start of a channel to Reeve or to others, and records it for the restart window.
import type { MonoMs } from '../../core/clock.ts';
import type { Append, Read, StartOrigin } from '../../core/journal.ts';
import { type ControlState, rollingOf } from '../../control/state.ts';
import { type ChannelId, type EngineId, keyOfScope, scopesOf } from '../../core/scope.ts';
import type { FactStore } from '../../ground/facts/facts.ts';
import type { ProcessState } from '../../core/sample.ts';
import type { ProcessFacts } from '../../ground/facts/process_facts.ts';
import { AGE_ROUNDED_MS } from '../../guard/state/fold.ts';
import { type GuardState, subjectAt } from '../../guard/state/state.ts';

/** A start this long after our own call ended may still be its doing. */
const OWN_WITHIN_MS = 120_000;

/**
 * Finds out who started a new process of a channel, and records it: every start counts, whoever began it. Ours is the
 * first new process after a call of ours that no process was matched to yet; the engine's own retries after that are
 * the engine's.
 */
export function noteStart(start: SeenStart, deps: StartDeps): StartOrigin {
  const { channel, generation, engine, agoMs } = start;
  const origin = originOf(start, deps);
  const ago = agoMs === undefined ? {} : { agoMs };
  const window = origin === 'reeve' ? undefined : announced(start, deps);
  const planned = window === undefined ? {} : { planned: window.id };
  const { process } = deps.factStore.view(channel) ?? {};
  const over = isOver(process) ? { over: true as const } : {};
  const early = mayPrecede(start, process, deps.guard()) ? { mayPrecede: true as const } : {};
  const more = { ...ago, ...planned, ...over, ...early };
  deps.append([{ channel, fact: { type: 'start.observed', origin, generation, engine, ...more } }]);
  deps.factStore.started(channel, origin, generation);
  return origin;
}

/** Whether it is the effect of that change its age does not tell, which engines round (law S6). */
function mayPrecede({ channel, agoMs }: SeenStart, process: ProcessFacts | undefined, state: GuardState): boolean {
  const { unproven } = subjectAt(state, keyOfScope({ kind: 'channel', id: channel }));
  if (agoMs !== undefined || unproven === undefined || process === undefined) return false;
  return process.seenMs <= unproven.sinceMs;
}

const NOT_OVER: ReadonlySet<ProcessState> = new Set(['running', 'starting', 'unknown']);

const isOver = (process: Pick<ProcessFacts, 'state'> | undefined): boolean =>
  process !== undefined && !NOT_OVER.has(process.state);

/**
 * Law S2: a process that is found at first sight counts as a start as long as it is younger than the window, for a
 * storm that ran while Reeve was away is a storm. False: it is older, or an earlier process of Reeve has counted it.
 */
export function countsAtFirstSight(
  { channel, generation, agoMs }: SeenStart,
  state: GuardState,
  windowMs: number,
): boolean {
  if (agoMs === undefined) return true;
  return agoMs < windowMs && subjectAt(state, keyOfScope({ kind: 'channel', id: channel })).life !== generation;
}

export interface SeenStart {
  readonly channel: ChannelId;
  readonly generation: string;
  readonly engine: EngineId;
  readonly nowMs: MonoMs;
  /** It began so long ago; undefined: it was watched, and began just now. */
  readonly agoMs?: number | undefined;
}

interface StartDeps {
  readonly guard: Read<GuardState>;
  readonly control: Read<ControlState>;
  readonly factStore: FactStore;
  readonly append: Append;
}

/** The maintenance window in which a person announced that channels would be restarted. */
function announced({ channel, nowMs, agoMs = 0 }: SeenStart, { control, factStore }: StartDeps) {
  const setup = factStore.view(channel)?.setup;
  return setup === undefined ? undefined : rollingOf(control(), scopesOf(setup), nowMs - agoMs);
}

function originOf({ channel, nowMs, agoMs }: SeenStart, { guard, factStore }: StartDeps): StartOrigin {
  const mark = guard().starts.findLast((one) => one.channel === channel);
  const ours = mark?.permit !== undefined && mark.life === undefined && mark.atMs > nowMs - OWN_WITHIN_MS;
  const use = subjectAt(guard(), keyOfScope({ kind: 'channel', id: channel })).uses.restart_channel;
  const isBefore = agoMs !== undefined && nowMs - agoMs + AGE_ROUNDED_MS < (use?.startedMs ?? 0);
  if (ours && !isBefore) return 'reeve';
  const ending = factStore.view(channel)?.process?.lastEnd;
  if (ending === undefined) return 'unknown';
  return ending.ordered ? 'operator' : 'engine';
}
