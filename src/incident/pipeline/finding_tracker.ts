/** Keeps the newest finding of every channel and engine. */
import type { MonoMs } from '../../core/clock.ts';
import type { Read } from '../../core/journal.ts';
import type { Limits } from '../../core/limits.ts';
import type { ChannelId, ChannelRef, EngineId, GroupId, Scope } from '../../core/scope.ts';
import type { LogReading, Symptom } from '../../core/symptom.ts';
import { classify, type Finding, type Trouble } from '../../ground/rules/classify.ts';
import { classifyEngine } from '../../ground/rules/classify_engine.ts';
import { causeOf } from '../../ground/correlate/cause_of.ts';
import { causesAround, coveredBy } from '../../ground/correlate/cause_index.ts';
import { correlate, type SharedCause, suspected } from '../../ground/correlate/correlate.ts';
import type { FactStore, ChannelFacts } from '../../ground/facts/facts.ts';
import { familyOf } from '../../ground/rules/families.ts';
import type { ClassifyContext } from '../../ground/rules/classify_input.ts';
import {
  backAfterCut,
  cutOffLines,
  nearbyIn,
  nearbySources,
  type NearbySources,
  serverOutOf,
} from '../../ground/correlate/nearby.ts';
import { episodeOf, lostCanaries } from '../../guard/state/canaries.ts';
import type { GuardState } from '../../guard/state/state.ts';
import { LogReadings } from './log_readings.ts';
import { classOf, trackedAfter, type TrackedChannel, withoutHealth } from './tracked_channel.ts';
import { TroubledChannels } from './troubled_channels.ts';
import type { Want } from '../../ground/rules/rule.ts';
import { isSameContext, FindingCache } from '../../ground/rules/finding_cache.ts';
import { SeenChannels, seenOf } from '../../ground/correlate/seen_channel.ts';
import { type CauseProof, mayBeProven, proofInputOf, proofOf } from '../../ground/correlate/proof.ts';
import { isSeenSince } from '../../ground/facts/health.ts';
import { viewersOf } from '../../ground/facts/viewers.ts';

export interface FindingTrackerDeps {
  readonly factStore: FactStore;
  readonly limits: () => Limits;
  /** What the last lines of its log say as a whole; undefined: it cannot be read. */
  readonly readLog?: ((channel: ChannelId) => LogReading) | undefined;
  /** Hears what was read, after the facts have taken it in. */
  readonly onReading?: (reading: Symptom) => void;
  readonly onWants: (channel: ChannelId, wants: readonly Want[]) => void;
  readonly guardState: Read<GuardState>;
}

/** While there is trouble, correlation is worked out anew at most this often, and at once on any change. */
const CORRELATE_EVERY_MS = 200;

/** Keeps the newest finding of every channel and engine, and what they have in common. */
export class FindingTracker {
  readonly #deps: FindingTrackerDeps;
  readonly #channels = new Map<ChannelId, TrackedChannel>();
  readonly #seen = new SeenChannels();
  readonly #troubled = new TroubledChannels();
  /** Those in no trouble, each with what its judgement rests on. */
  readonly #standing = new Map<ChannelId, FindingCache>();
  #engines = new Map<EngineId, Trouble>();
  #causes: readonly SharedCause[] = [];
  readonly #readings = new LogReadings();
  readonly #handedOver = new Set<ChannelId>();
  #correlatedMs = Number.NEGATIVE_INFINITY;
  #changed = true;
  /** When the machine was last seen to have slept. */
  #wokeMs = Number.NEGATIVE_INFINITY;

  constructor(deps: FindingTrackerDeps) {
    this.#deps = deps;
  }

  /** Of a cause that is over these are no longer the group's: each is its own incident's, until it plays. */
  handOver(channels: readonly ChannelId[]): void {
    for (const id of channels) this.#handedOver.add(id);
    this.#causes = this.#causes.map((cause) => this.#withoutHandedOver(cause));
    this.#changed = true;
  }

  isHandedOver(channel: ChannelId): boolean {
    return this.#handedOver.has(channel);
  }

  #withoutHandedOver(cause: SharedCause): SharedCause {
    if (cause.phase === 'active' || !cause.down.some((id) => this.#handedOver.has(id))) return cause;
    return { ...cause, down: cause.down.filter((id) => !this.#handedOver.has(id)) };
  }

  /** Whether what killed channels of the group, or the channel with others, is over; undefined: no cause is known. */
  proofOf(scope: Scope, nowMs: MonoMs): CauseProof | undefined {
    const cause = this.#causeOver(scope);
    if (cause === undefined) return undefined;
    const proofs = [cause, ...this.#alsoAround(scope, cause)].map((one) => this.proofOfCause(one, nowMs));
    return proofs.find(({ isProven }) => !isProven) ?? proofs[0];
  }

  /** The same as a bare answer, without what no proof can change. */
  isProvenOver(scope: Scope, nowMs: MonoMs): boolean {
    const cause = this.#causeOver(scope);
    return cause !== undefined && mayBeProven(cause) && this.proofOf(scope, nowMs)?.isProven === true;
  }

  /** What contains the group besides: that its own cause is over is no proof that a wider one is (law S8). */
  #alsoAround(scope: Scope, own: SharedCause): readonly SharedCause[] {
    if (this.#causes.length < 2 || scope.kind === 'engine' || scope.kind === 'fleet') return [];
    const group = scope.kind === 'group' ? scope.id : this.#channels.get(scope.id)?.ref.group;
    const members = group === undefined ? [] : this.#deps.factStore.inGroup(group);
    const refs = members.map(({ setup }) => setup);
    return causesAround(this.#causes, refs).filter((one) => one !== own && one.phase === 'active');
  }

  #causeOver(scope: Scope): SharedCause | undefined {
    const ref = scope.kind === 'channel' ? this.#channels.get(scope.id)?.ref : undefined;
    return (ref && coveredBy(this.#causes, ref)) ?? this.causeOf(scope);
  }

  /** That such a cause is over. */
  proofOfCause(cause: SharedCause, nowMs: MonoMs): CauseProof {
    const { factStore, guardState, limits } = this.#deps;
    const input = proofInputOf(cause, factStore, (id) => this.#channels.get(id)?.healthySinceMs !== undefined);
    const episodeMs = episodeOf(cause.scope, guardState(), limits().sharedCauseWindowMs);
    return proofOf(cause, { ...input, lostCanaries: lostCanaries(guardState(), cause, nowMs), episodeMs }, nowMs);
  }

  get causes(): readonly SharedCause[] {
    return this.#causes;
  }

  watched(channel: ChannelId | undefined): TrackedChannel | undefined {
    return channel === undefined ? undefined : this.#channels.get(channel);
  }

  /** The channels that are in trouble now. */
  get troubled(): Iterable<ChannelId> {
    return this.#troubled.ids;
  }

  all(): readonly TrackedChannel[] {
    return [...this.#channels.values()];
  }

  engine(engine: EngineId): Trouble | undefined {
    return this.#engines.get(engine);
  }

  /** Law T3: what was seen before the machine slept or Reeve stood still is neither health nor silence any more. */
  #noteSleep(): void {
    const wokeMs = this.#deps.guardState().clockJumpedMs;
    if (wokeMs === undefined || wokeMs === this.#wokeMs) return;
    this.#wokeMs = wokeMs;
    this.#standing.clear();
    for (const [id, one] of this.#channels) this.#channels.set(id, withoutHealth(one, wokeMs));
  }

  /** Judges the channel by what is known now. True when it is in trouble or its finding has changed. */
  refresh(channel: ChannelId, nowMs: MonoMs): boolean {
    this.#noteSleep();
    const facts = this.#deps.factStore.view(channel);
    if (facts === undefined) {
      this.#troubled.delete(channel);
      this.#standing.delete(channel);
      this.#readings.forget(channel);
      this.#seen.delete(channel);
      return this.#channels.delete(channel);
    }
    const context = this.#contextOf(facts, nowMs);
    const held = this.#troubled.get(channel);
    // What is in trouble is asked about several times at one look, and the same question has the same answer.
    if (held?.judgedMs === nowMs && held.facts === facts && isSameContext(held.context, context)) return true;
    if (this.#standing.get(channel)?.stands(facts, context, nowMs) === true) return false;
    const before = this.#channels.get(channel);
    const { facts: asRead, finding } = this.#judge(facts, context, nowMs);
    const isSeen = isSeenSince(facts, this.#wokeMs);
    const after = trackedAfter(before, { ref: facts.setup, finding, isSeen, nowMs, viewers: viewersOf(facts, nowMs) });
    this.#channels.set(channel, after);
    this.#seen.set(seenOf(after, () => this.#deps.factStore.view(channel)?.source));
    if (finding.trouble) {
      const family = familyOf(finding.classification);
      this.#troubled.set(channel, { family, facts: asRead, context, judgedMs: nowMs });
      this.#standing.delete(channel);
    } else {
      this.#troubled.delete(channel);
      if (isSeen) this.#standing.set(channel, new FindingCache(facts, context, nowMs, finding.healthy === true));
    }
    if (finding.trouble && finding.wants.length > 0) this.#deps.onWants(channel, finding.wants);
    const isSame = before !== undefined && classOf(before.finding) === classOf(finding);
    const changed = !isSame || isSettling(before.finding) !== isSettling(finding);
    this.#changed ||= changed;
    return changed || finding.trouble;
  }

  /** By what is known, and by what the log says as a whole where that is due. */
  #judge(facts: ChannelFacts, context: ClassifyContext, nowMs: MonoMs) {
    const finding = classify(facts, context, nowMs);
    const { readLog, factStore, onReading } = this.#deps;
    const before = this.#channels.get(facts.setup.id);
    const times = { troubledMs: before?.finding.trouble === true ? before.troubledMs : nowMs, nowMs };
    const reading = this.#readings.take(facts.setup.id, finding, times, readLog);
    if (reading === undefined) return { facts, finding };
    factStore.symptom(reading);
    onReading?.(reading);
    const asRead = factStore.view(facts.setup.id) ?? facts;
    return { facts: asRead, finding: classify(asRead, context, nowMs) };
  }

  #contextOf(facts: ChannelFacts, nowMs: MonoMs): ClassifyContext {
    const { factStore, limits } = this.#deps;
    const { id, engine } = facts.setup;
    return {
      engine: factStore.engineFacts(engine),
      host: factStore.hostFacts(engine),
      limits: limits(),
      autorestartGraceMs: factStore.engineSetup(engine)?.autorestartGraceMs ?? 0,
      sharingSource: this.#troubled.sharing(id, facts.source?.last.host),
      nearby: this.#nearby(facts, nowMs),
      wokeMs: this.#wokeMs,
    };
  }

  refreshEngine(engine: EngineId, nowMs: MonoMs): void {
    const { factStore, limits } = this.#deps;
    const look = { engine, facts: factStore.engineFacts(engine), host: factStore.hostFacts(engine), limits: limits() };
    const assessment = classifyEngine(look, nowMs);
    const before = this.#engines.get(engine);
    if (assessment === undefined) this.#engines.delete(engine);
    else this.#engines.set(engine, assessment);
    this.#changed ||= before?.classification !== assessment?.classification;
  }

  /** Works out what is shared, when that may have changed. True when the causes are not what they were. */
  correlate(nowMs: MonoMs): boolean {
    this.#noteSleep();
    const idle = this.#causes.length === 0 && this.#engines.size === 0 && this.#troubled.size === 0;
    const due = this.#changed || (!idle && nowMs - this.#correlatedMs >= CORRELATE_EVERY_MS);
    if (!due) return false;
    this.#changed = false;
    this.#correlatedMs = nowMs;
    const before = this.#causes;
    const engines = [...this.#engines].map(([engine, assessment]) => ({ engine, assessment }));
    for (const id of this.#handedOver) if (!this.#troubled.has(id)) this.#handedOver.delete(id);
    const isProven = (cause: SharedCause): boolean => this.proofOfCause(cause, nowMs).isProven;
    const [limits, handedOver] = [this.#deps.limits(), this.#handedOver];
    this.#causes = correlate({ seen: this.#seen, engines, limits, isProven, handedOver }, before, nowMs);
    return stateOf(before) !== stateOf(this.#causes);
  }

  /** The group's incident speaks for this channel. */
  covered(ref: ChannelRef): boolean {
    return coveredBy(this.#causes, ref) !== undefined;
  }

  suspected(ref: ChannelRef): boolean {
    return suspected(this.#causes, ref) !== undefined;
  }

  causeOf(scope: Scope): SharedCause | undefined {
    return causeOf(this.#causes, scope);
  }

  /** Groups in which no channel may be changed by itself now. */
  sharedGroups(): readonly GroupId[] {
    const active = this.#causes.filter(({ phase }) => phase === 'active');
    if (active.length === 0) return [];
    const refs = this.all().map(({ ref }) => ref);
    return [...new Set(refs.filter((ref) => suspected(active, ref) !== undefined).map(({ group }) => group))];
  }

  /** Asked only of a channel that complains, or whose server may: most do not. */
  #nearby(facts: ChannelFacts, nowMs: MonoMs): NearbySources | undefined {
    const { setup, symptoms } = facts;
    if (setup.hasSource || (symptoms.length === 0 && facts.server === undefined)) return undefined;
    const server = serverOutOf(facts);
    if (server !== undefined) return nearbySources([server]);
    const cutOff = cutOffLines(facts, nowMs);
    if (cutOff.length > 0) return backAfterCut(facts, cutOff, nowMs);
    const healthySinceMs = (id: ChannelId): MonoMs | undefined => this.#channels.get(id)?.healthySinceMs;
    return nearbyIn(this.#deps.factStore.inGroup(setup.group), healthySinceMs, nowMs);
  }
}

const isSettling = (finding: Finding): boolean => finding.trouble && finding.settling;

const stateOf = (causes: readonly SharedCause[]): string =>
  causes.map(({ key, phase, classification, down }) => `${key}|${phase}|${classification}|${down.join()}`).join(';');
