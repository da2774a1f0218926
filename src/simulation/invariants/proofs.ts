/** The oracle of the proof that a shared cause is over (S8). */
import type { JournalEntry } from '../../core/journal.ts';
import type { EngineSample, PlaylistSample, ProcessSample, Sample } from '../../core/sample.ts';
import type { ChannelPlan } from '../scenario.ts';
import type { Invocation } from '../effect_log.ts';
import { type InvariantContext, type Oracle, planOf } from './context.ts';

/** S8: a witness is well for this long and so many looks, and nothing has died for as long. */
const WELL_MS = 10_000;
const LOOKS = 2;
/** S8: where nothing can witness, this long after the last death a canary may. */
const CANARY_MS = 30_000;
/** A call may take effect so late, and be seen a look later. */
const LATE_EFFECT_MS = 45_000;
const DEAD: ReadonlySet<string> = new Set(['exited', 'fatal', 'backoff']);

interface Look {
  readonly ok: boolean;
  readonly monoMs: number;
}

/** What the looks at one thing have found, newest last. */
interface Looks {
  failedMs: number;
  readonly okMs: number[];
  /** The first good one since the last that failed. */
  wellMs: number | undefined;
}

interface Channel {
  generation?: string | undefined;
  /** When the present generation was first seen, where it was not the first of all. */
  bornMs?: number | undefined;
  alive?: boolean | undefined;
  diedMs: number;
  sequence?: number | undefined;
  movedMs: number;
  /** Until when a new generation is the one that Reeve itself asked for, in the world's time. */
  askedUntilMs: number;
}

const noLooks = (): Looks => ({ failedMs: Number.NEGATIVE_INFINITY, okMs: [], wellMs: undefined });
const noChannel = (): Channel => ({
  diedMs: Number.NEGATIVE_INFINITY,
  movedMs: Number.NEGATIVE_INFINITY,
  askedUntilMs: 0,
});

/**
 * The proof of S8 that a shared cause is over, from the samples that the probes delivered and from nothing that Reeve
 * has made of them. Times are those of the samples.
 */
export class Proofs implements Oracle {
  readonly #case: InvariantContext;
  readonly #channels = new Map<string, Channel>();
  readonly #sources = new Map<string, Looks>();
  readonly #engines = new Map<string, Looks>();
  /** By kind and subject: when the newest sample was taken. */
  readonly #newestMs = new Map<string, number>();

  constructor(world: InvariantContext) {
    this.#case = world;
  }

  /** Whoever starts has seen nothing yet. What died before is dead for as long as it is. */
  entry({ fact }: JournalEntry): void {
    if (fact.type !== 'reeve.started') return;
    this.#sources.clear();
    this.#engines.clear();
    this.#newestMs.clear();
    for (const channel of this.#channels.values()) Object.assign(channel, { alive: undefined, generation: undefined });
  }

  invoked({ tool, channel, atMs }: Invocation): void {
    if (tool !== 'restart_channel' || channel === undefined) return;
    this.#channel(channel).askedUntilMs = atMs + LATE_EFFECT_MS;
  }

  seen(sample: Sample): void {
    const key = `${sample.kind} ${'channel' in sample ? sample.channel : sample.engine}`;
    const newestMs = this.#newestMs.get(key) ?? Number.NEGATIVE_INFINITY;
    const isFailure = (sample.kind === 'source' || sample.kind === 'engine') && !sample.ok;
    // What comes after a later one of its kind tells nothing new, but for an answer that was missing.
    if (sample.monoMs < newestMs && !isFailure) return;
    this.#newestMs.set(key, Math.max(newestMs, sample.monoMs));
    if (sample.kind === 'engine') note(at(this.#engines, sample.engine, noLooks), this.#lookAt(sample));
    else if (sample.kind === 'source') note(at(this.#sources, sample.channel, noLooks), sample);
    else if (sample.kind === 'process') this.#process(sample);
    else if (sample.kind === 'playlist') this.#output(sample);
  }

  /** A full pool is a trouble that its readings name, and so is its end (S8). */
  #lookAt({ ok, poolPressure = 0, monoMs }: EngineSample): Look {
    return { ok: ok && poolPressure < this.#case.limits.poolPressureMax, monoMs };
  }

  /**
   * What is missing for a staged start in the group at this moment; undefined: it is proven. `engine`: the plan is that
   * engine's, whose cause others of its channels may have named, and witness.
   */
  missing(group: string, at: { nowMs: number; sinceMs: number; starts?: string; engine?: string }): string | undefined {
    const ofEngine = at.engine === undefined ? undefined : this.#missing((one) => one.engine === at.engine, at);
    if (at.engine !== undefined && ofEngine === undefined) return undefined;
    return this.#missing((one) => one.group === group, at);
  }

  #missing(isMember: (plan: ChannelPlan) => boolean, at: { nowMs: number; sinceMs: number; starts?: string }) {
    const { nowMs, sinceMs, starts } = at;
    const members = this.#case.script.channels.filter(isMember).map(({ id }) => id);
    const diedMs = Math.max(...members.map((id) => this.#channel(id).diedMs));
    if (starts !== undefined && fails(this.#sources.get(starts))) return `the source of ${starts} itself fails`;
    const engines = new Set(members.flatMap((id) => planOf(this.#case, id)?.engine ?? []));
    const failed = this.#failedEngines(engines, sinceMs);
    for (const { who, looks } of failed) {
      const unwell = unwellness(who, looks, { nowMs, sinceMs, diedMs });
      if (unwell !== undefined) return unwell;
    }
    const sources = members.flatMap((id) => {
      const looks = this.#sources.get(id);
      if (looks === undefined || (fails(looks) && this.#wasDead(id, sinceMs))) return [];
      return [{ looks, unwell: unwellness(`the source of ${id}`, looks, { nowMs, sinceMs, diedMs }) }];
    });
    const unwell = sources.flatMap((one) => one.unwell ?? []);
    const speaksFor = ({ looks, unwell: missing }: (typeof sources)[number]) =>
      missing === undefined && wellSince(looks, diedMs) >= LOOKS;
    const isAnswered = sources.some(speaksFor);
    // One source that fails while another of the group answers is that channel's own trouble: it names no shared cause.
    if (unwell.length > (isAnswered ? 1 : 0)) return unwell[0];
    const isWitnessed = isAnswered || failed.some(({ looks }) => wellSince(looks, diedMs) >= LOOKS);
    const back = isWitnessed ? undefined : members.find((id) => this.#cameBack(id, sinceMs));
    const quietMs = isWitnessed || back !== undefined ? WELL_MS : CANARY_MS;
    if (nowMs - diedMs < quietMs) return `the last death is ${nowMs - diedMs} ms ago, ${quietMs} ms are needed`;
    return undefined;
  }

  /** Only an engine that was named as a cause is a witness of its end. */
  #failedEngines(engines: ReadonlySet<string>, sinceMs: number) {
    return [...engines].flatMap((id) => {
      const looks = this.#engines.get(id);
      return looks !== undefined && looks.failedMs >= sinceMs ? [{ who: `engine ${id}`, looks }] : [];
    });
  }

  /** The cause's witness is whoever named it: the source of a channel that was dead before names another trouble. */
  #wasDead(id: string, sinceMs: number): boolean {
    const { alive, diedMs } = this.#channel(id);
    return alive === false && diedMs < sinceMs;
  }

  #cameBack(id: string, sinceMs: number): boolean {
    const { bornMs, movedMs, alive } = this.#channel(id);
    return alive === true && bornMs !== undefined && bornMs > sinceMs && movedMs > bornMs;
  }

  #process({ channel: id, state, generation, monoMs, stoppedOnPurpose }: ProcessSample): void {
    if (state === 'unknown') return;
    const channel = this.#channel(id);
    const isNew = generation !== undefined && channel.generation !== undefined && generation !== channel.generation;
    const isDead = DEAD.has(state) && !stoppedOnPurpose;
    const isReeves = this.#case.nowMs() <= channel.askedUntilMs;
    if (channel.alive === true && (isDead || (isNew && !isReeves))) channel.diedMs = monoMs;
    if (isNew && isDead) channel.diedMs = monoMs;
    if (isNew) Object.assign(channel, { bornMs: monoMs, askedUntilMs: 0 });
    Object.assign(channel, { generation: generation ?? channel.generation, alive: state === 'running' });
  }

  #output({ channel: id, ok, mediaSequence, monoMs }: PlaylistSample): void {
    const channel = this.#channel(id);
    if (!ok || mediaSequence === undefined) return;
    if (channel.sequence !== undefined && mediaSequence !== channel.sequence) channel.movedMs = monoMs;
    channel.sequence = mediaSequence;
  }

  #channel(id: string): Channel {
    return at(this.#channels, id, noChannel);
  }
}

function at<T>(map: Map<string, T>, key: string, fresh: () => T): T {
  const held = map.get(key) ?? fresh();
  map.set(key, held);
  return held;
}

/** The last look at it failed. */
const fails = (looks: Looks | undefined): boolean =>
  looks !== undefined && looks.failedMs > (looks.okMs.at(-1) ?? Number.NEGATIVE_INFINITY);

/** Good looks since the last failed one that are not older than the last death. */
const wellSince = ({ failedMs, okMs }: Looks, diedMs: number): number =>
  okMs.filter((ms) => ms > failedMs && ms >= diedMs).length;

/** Why it cannot witness that the cause is over; undefined where it can, or was not looked at since the last death. */
function unwellness(
  who: string,
  looks: Looks,
  { nowMs, sinceMs, diedMs }: { readonly nowMs: number; readonly sinceMs: number; readonly diedMs: number },
): string | undefined {
  const { failedMs, wellMs } = looks;
  if (nowMs - failedMs < WELL_MS) return `${who} failed ${nowMs - failedMs} ms ago`;
  if (wellMs === undefined || (failedMs > sinceMs && nowMs - wellMs < WELL_MS)) return `${who} is not well for long`;
  return wellSince(looks, diedMs) === 1 ? `${who} was well at one look since the last death` : undefined;
}

const KEPT = 16;

function note(looks: Looks, { ok, monoMs }: Look): void {
  if (ok) looks.okMs.push(monoMs);
  else looks.failedMs = monoMs;
  if (!ok || looks.wellMs === undefined) looks.wellMs = looks.okMs.find((ms) => ms > looks.failedMs);
  if (looks.okMs.length > KEPT) looks.okMs.shift();
}
