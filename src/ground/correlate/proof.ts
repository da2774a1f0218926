/** Whether a shared cause is proven to be over: by its witness, or by a channel that came back (law S8). */
import type { MonoMs } from '../../core/clock.ts';
import type { ChannelId } from '../../core/scope.ts';
import type { ChannelFacts } from '../facts/facts.ts';
import { DEATHS_QUIET_MS, type SharedCause } from './correlate.ts';

/** The answer, in the guard's words. */
export interface CauseProof {
  readonly isProven: boolean;
  readonly says: string;
  /** When it may be proven, if nothing else happens. */
  readonly atMs: MonoMs | undefined;
}

/** A witness must have been well for this long, and no channel have died for as long. */
export const PROOF_MS = 10_000;
const LOOKS_MIN = 2;

export interface ProofInput {
  /** What is known of the channels that the cause has touched. */
  readonly known: readonly ChannelFacts[];
  /** Those of them that play. */
  readonly playing: ReadonlySet<ChannelId>;
  /** Engines and machines that are in trouble themselves. */
  readonly engines: number;
}

/** Pure. A group whose sources nobody looks at has a canary for its witness, later. */
export function proofOf(cause: SharedCause, input: ProofInput, nowMs: MonoMs): CauseProof {
  const { known } = input;
  const lastDeathMs = Math.max(cause.sinceMs, ...known.map(({ process }) => process?.ends.at(-1) ?? cause.sinceMs));
  const sources = known.flatMap(({ setup, source }) => (setup.hasSource && source !== undefined ? [source] : []));
  const failing = sources.find(({ okSinceMs }) => okSinceMs === undefined);
  if (failing !== undefined) return waits(`source ${failing.last.host ?? ''} does not answer`, undefined);
  const unsure = sources.find(({ okStreak }) => okStreak < LOOKS_MIN);
  if (unsure !== undefined) return waits(`source ${unsure.last.host ?? ''} has answered once; needed twice`, undefined);
  const cameBack = cause.channels.find((id) => input.playing.has(id) && isNewSince(known, id, cause.sinceMs));
  const witness =
    sources.length > 0 ? 'its sources answer' : cameBack === undefined ? undefined : `${cameBack} is back`;
  const isOfDeath = cause.family === 'dead' || cause.family === 'stalled';
  const quietMs = isOfDeath && witness === undefined ? DEATHS_QUIET_MS : PROOF_MS;
  const wellMs = Math.max(0, ...sources.map(({ okSinceMs = 0 }) => okSinceMs)) + PROOF_MS;
  const shownMs = isOfDeath ? 0 : cause.lastMs + PROOF_MS;
  const atMs = Math.max(lastDeathMs + quietMs, wellMs, shownMs);
  const says = `${witness ?? 'nobody can witness, so a canary will'}; no death for ${quietMs / 1_000} s is waited for`;
  if (nowMs < atMs || (cause.phase === 'active' && !isOfDeath)) return waits(says, Math.max(atMs, nowMs + 1));
  return { isProven: true, says, atMs };
}

const waits = (says: string, atMs: MonoMs | undefined): CauseProof => ({ isProven: false, says, atMs });

function isNewSince(known: readonly ChannelFacts[], id: ChannelId, sinceMs: MonoMs): boolean {
  const process = known.find(({ setup }) => setup.id === id)?.process;
  return process !== undefined && process.bornMs > sinceMs;
}
