/** Whether a shared cause is proven to be over: by its witness, or by a channel that came back (law S8). */
import type { EpochMs, MonoMs } from '../../core/clock.ts';
import type { ChannelId } from '../../core/scope.ts';
import { MINUTE_MS } from '../../core/duration.ts';
import type { ChannelFacts, FactStore } from '../facts/facts.ts';
import { isAbsent, type SourceFacts } from '../facts/output_facts.ts';
import type { HostFacts } from '../facts/engine_facts.ts';
import { maybeKilled } from '../rules/classify_input.ts';
import { serverOutOf } from './nearby.ts';
import { OF_ENGINE } from '../rules/families.ts';
import { DEATHS_QUIET_MS, type SharedCause } from './correlate.ts';

/** The answer, in the guard's type. */
export interface CauseProof {
  readonly isProven: boolean;
  /** Sources that were looked at since the last death are its witness. */
  readonly bySources: boolean;
  readonly says: string;
  /** When it may be proven, if nothing else happens. */
  readonly atMs: MonoMs | undefined;
}

/** A witness must have been well for this long, and no channel have died for as long. */
export const PROOF_MS = 10_000;
const LOOKS_MIN = 2;
const CANARY_WAIT_MS_MAX = 10 * MINUTE_MS;

/** How long after the last death a canary may begin: twice as long for each that was not verified (law S8). */
export const canaryWaitMs = (lost: number): number =>
  Math.min(DEATHS_QUIET_MS * 2 ** Math.min(lost, 30), CANARY_WAIT_MS_MAX);

export interface ProofInput {
  /** What is known of the channels of the cause's scope. */
  readonly known: readonly ChannelFacts[];
  /** Those of them that play. */
  readonly playing: ReadonlySet<ChannelId>;
  /** Their machine, where all of them are on one that is looked at. */
  readonly host?: HostFacts | undefined;
  /** Canaries of this cause that were not verified; default 0. */
  readonly lostCanaries?: number;
  /**
   * Since when what contains the scope now can have shown itself; default or 0: nothing does. Who came back before that
   * has shown the end of an earlier episode; who went down since belongs to this one, whatever names its cause now.
   */
  readonly episodeMs?: MonoMs;
}

/** What is known now that bears on the cause. */
export function proofInputOf(
  { scope, channels }: SharedCause,
  factStore: FactStore,
  isPlaying: (channel: ChannelId) => boolean,
): ProofInput {
  const named = channels.flatMap((id) => factStore.view(id) ?? []);
  // What an engine's cause has touched is started in groups, and each of them must be quiet.
  const groups = scope.kind === 'group' ? [scope.id] : named.map(({ setup }) => setup.group);
  const around = [...new Set(groups)].flatMap((group) => factStore.inGroup(group));
  const touched = new Set(channels);
  const known = [...named, ...around.filter(({ setup }) => !touched.has(setup.id))];
  const engine = known[0]?.setup.engine;
  const isOnOne = engine !== undefined && known.every(({ setup }) => setup.engine === engine);
  const playing = new Set(known.flatMap(({ setup }) => (isPlaying(setup.id) ? [setup.id] : [])));
  return { known, playing, host: isOnOne ? factStore.hostFacts(engine) : undefined };
}

/** Nothing showed itself but that channels went down. */
export const isOfDeath = ({ family }: SharedCause): boolean => family === 'dead' || family === 'stalled';

/** Whether anything can prove it now: what shows itself still, other than by deaths, is not over. */
export const mayBeProven = (cause: SharedCause): boolean => cause.phase !== 'active' || isOfDeath(cause);

/** What bears on one cause at one moment. */
interface Case extends ProofInput {
  readonly cause: SharedCause;
  readonly lastDeathMs: MonoMs;
  /** The sources that speak for the cause. */
  readonly sources: readonly SourceFacts[];
}

/** Pure. A group whose sources are not probed has a canary for its witness, later. */
export function proofOf(cause: SharedCause, input: ProofInput, nowMs: MonoMs): CauseProof {
  const { known } = input;
  const lastDeathMs = Math.max(cause.sinceMs, ...known.map(diedMs));
  const sources = withoutOwnTrouble(lookedAt(cause, input), lastDeathMs, nowMs);
  const missing = unproven(sources, lastDeathMs);
  if (missing !== undefined) return waits(missing, undefined);
  const all: Case = { ...input, cause, lastDeathMs, sources };
  const witness = witnessOf(all);
  // A look at the engine or its machine names those of the engine, and says as well when they are over.
  const isWitnessed = witness !== undefined || OF_ENGINE.has(cause.family);
  const quietMs = isWitnessed ? PROOF_MS : canaryWaitMs(input.lostCanaries ?? 0);
  const atMs = Math.max(lastDeathMs + quietMs, shownOverMs(all));
  const whoSays = witness?.says ?? 'nobody can witness, so a canary will';
  const says = `${whoSays}; no death for ${quietMs / 1_000} s is waited for`;
  if (nowMs < atMs || !mayBeProven(cause)) return waits(says, Math.max(atMs, nowMs + 1));
  return { isProven: true, bySources: witness?.bySources === true, says, atMs };
}

/** The sources of the cause's scope; that of a channel that was dead before and has its own trouble says nothing. */
function lookedAt(cause: SharedCause, { known, episodeMs = 0 }: ProofInput): readonly Looked[] {
  const touched = new Set(cause.channels);
  const sinceMs = episodeMs > 0 ? Math.min(cause.sinceMs, episodeMs) : cause.sinceMs;
  return known.flatMap((facts) => {
    const { setup, process } = facts;
    const source = speakingFor(facts);
    const isOld = !touched.has(setup.id) && source?.okSinceMs === undefined && isDeadBefore(process, sinceMs);
    // What a server that answers does not have is missing for want of its publisher, who may be one of the dead.
    if (source === undefined || isOld || (cause.phase === 'over' && isAbsent(source))) return [];
    return [{ source, mayBeOwn: isOfDeath(cause) || !touched.has(setup.id) }];
  });
}

/** What it reads from; else the server that it publishes to, where that failed when it went down. */
const speakingFor = (facts: ChannelFacts): SourceFacts | undefined =>
  facts.setup.hasSource ? facts.source : serverOutOf(facts);

interface Witness {
  readonly says: string;
  readonly bySources: boolean;
}

/** The first that can say so: sources that were looked at since, a channel that came back, the machine. */
function witnessOf(all: Case): Witness | undefined {
  const { cause, known, playing, episodeMs, sources, lastDeathMs } = all;
  if (sources.some(({ last }) => last.monoMs >= lastDeathMs)) return { says: 'its sources answer', bySources: true };
  const backMs = Math.max(cause.sinceMs, episodeMs ?? cause.sinceMs);
  const cameBack = cause.channels.find((id) => playing.has(id) && isNewSince(known, id, backMs));
  if (cameBack !== undefined) return { says: `${cameBack} is back`, bySources: false };
  if (sources.length > 0 || !machineIsWell(cause, all, lastDeathMs)) return undefined;
  return { says: 'its machine has killed no more and no disk of it is full', bySources: false };
}

/** From when on what has named the cause says for long enough that it is over. */
function shownOverMs({ cause, known, sources, lastDeathMs }: Case): MonoMs {
  const wellMs = Math.max(0, ...sources.map(({ okSinceMs = 0 }) => okSinceMs)) + PROOF_MS;
  // Findings follow the sources some looks later: where sources named the cause, they alone say since when it is over.
  const isBySources = cause.family === 'upstream' && cause.channels.every((id) => isLookedAt(known, id, lastDeathMs));
  return isOfDeath(cause) || isBySources ? wellMs : Math.max(wellMs, cause.lastMs + PROOF_MS);
}

/** The source of the channel was looked at since then. */
function isLookedAt(known: readonly ChannelFacts[], id: ChannelId, sinceMs: MonoMs): boolean {
  const facts = known.find(({ setup }) => setup.id === id);
  const source = facts && (facts.source ?? speakingFor(facts));
  return source !== undefined && source.last.monoMs >= sinceMs;
}

/**
 * What was killed may have been killed by its machine: for channels without a source two looks since the last death at
 * its memory and disks are the witness. What ended by itself, or by its own fault, has none there.
 */
function machineIsWell({ channels, family }: SharedCause, { known, host }: ProofInput, lastDeathMs: MonoMs): boolean {
  const touched = known.filter(({ setup }) => channels.includes(setup.id));
  const wasKilled = touched.every(({ setup, process }) => {
    const end = process?.lastEnd;
    return !setup.hasSource && end !== undefined && !end.ordered && maybeKilled(end);
  });
  return family === 'dead' && touched.length > 0 && wasKilled && (host?.wellBeforeMs ?? 0) > lastDeathMs;
}

/** What went down right after a change of Reeve's may have died all the same. */
function diedMs({ process }: ChannelFacts): MonoMs {
  const { ends = [], stoppedOnPurpose = true, downSinceMs = Number.NEGATIVE_INFINITY } = process ?? {};
  return Math.max(ends.at(-1) ?? Number.NEGATIVE_INFINITY, stoppedOnPurpose ? Number.NEGATIVE_INFINITY : downSinceMs);
}

/** Down since before the cause began: that its source fails is another trouble, and nobody dies of it now. */
const isDeadBefore = (process: ChannelFacts['process'], sinceMs: MonoMs): boolean =>
  process?.downSinceMs !== undefined && process.downSinceMs < sinceMs;

interface Looked {
  readonly source: SourceFacts;
  /** Nothing says that it has named the cause. */
  readonly mayBeOwn: boolean;
}

/**
 * One source that fails, or does at times, while another of the group answers is the trouble of its own channel, and
 * names no shared cause: whoever died of something else would wait for it, and be down for so much longer. Two that
 * fail are shared, whether the cause has touched their channels or not, and so is one beside which none answers.
 */
function withoutOwnTrouble(looked: readonly Looked[], sinceMs: MonoMs, nowMs: MonoMs): readonly SourceFacts[] {
  const isWell = ({ okSinceMs, okStreak, last }: SourceFacts): boolean =>
    okSinceMs !== undefined && nowMs - okSinceMs >= PROOF_MS && (okStreak >= LOOKS_MIN || last.monoMs < sinceMs);
  const sources = looked.map(({ source }) => source);
  const [own, ...others] = looked.filter(({ source }) => !isWell(source));
  if (own?.mayBeOwn !== true || others.length > 0) return sources;
  const rest = sources.filter((source) => source !== own.source);
  return rest.some(({ okBeforeMs = 0 }) => okBeforeMs >= sinceMs) ? rest : sources;
}

/** What the sources that are looked at still have to say. One that was not looked at since says nothing. */
function unproven(sources: readonly SourceFacts[], sinceMs: MonoMs): string | undefined {
  const failing = sources.find(({ okSinceMs }) => okSinceMs === undefined);
  if (failing !== undefined) return `${nameOf(failing)} does not answer`;
  const looked = sources.filter(({ last }) => last.monoMs >= sinceMs);
  const unsure = looked.find(({ okStreak, okBeforeMs = 0 }) => okStreak < LOOKS_MIN || okBeforeMs < sinceMs);
  if (unsure === undefined) return undefined;
  const needed = `needed twice over ${PROOF_MS / 1_000} s`;
  return `${nameOf(unsure)} has answered once, at ${timeOfDay(unsure.last.at)}; ${needed}`;
}

const nameOf = ({ last }: SourceFacts): string => `${last.ofServer ? 'server' : 'source'} ${last.host ?? ''}`;

/** By the wall clock, UTC: for people only (law T1). */
const timeOfDay = (at: EpochMs): string => new Date(at).toISOString().slice(11, 19);

const waits = (says: string, atMs: MonoMs | undefined): CauseProof => ({
  isProven: false,
  bySources: false,
  says,
  atMs,
});

function isNewSince(known: readonly ChannelFacts[], id: ChannelId, sinceMs: MonoMs): boolean {
  const process = known.find(({ setup }) => setup.id === id)?.process;
  return process !== undefined && process.bornMs > sinceMs;
}
