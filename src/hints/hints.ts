/** What is asked of the hints: one for a stalling attempt, what came of it, and the figures that follow. No model. */
import { createHash } from 'node:crypto';
import type { Clock } from '../core/clock.ts';
import type { Ids } from '../core/id.ts';
import type { Append, JournalEntry } from '../core/journal.ts';
import { BlindSpots, type BlindSpotSettings, type BlindSpotSummary } from './blind_spots.ts';
import type { Bundle, BundleCluster } from './bundle.ts';
import { EMBEDDING_DIMENSIONS, HintLibrary, type Reloaded, type RouterBackend } from './library.ts';
import { bucketOf, type Priority, priorityAfter, type PriorityChange, priorityOf } from './maturity.ts';
import { MinuteBudget } from './minute_budget.ts';
import { fallOf, type HintStatistics, statisticsOf } from './outcomes.ts';
import { queriesOf } from './queries.ts';
import { type HintSources, readSources } from './sources.ts';
import { snippetOf } from './snippet.ts';
import type { HintStore, OutcomeRow } from './store.ts';
import { FREE_ATTEMPTS_CLIENT, type Strategy, strategyFor } from './strategy.ts';
import { constraintFor, excerptOf, phraseOf, symptomOf } from './symptoms.ts';

export interface HintsDeps {
  readonly store: HintStore;
  readonly append: Append;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Takes secrets out of what outside clients send. */
  readonly redact: (text: string) => string;
  /** Where the hints lie. Nothing need be there: two of the three strategies need no index. */
  readonly sources: HintSources;
  readonly backend: RouterBackend;
  /** Cosine that a cluster must reach, 0 to 1. */
  readonly similarityFloor: number;
  readonly blindSpots: BlindSpotSettings;
  /** Facts that outside clients may cause within a minute: the journal has room for more than hints. */
  readonly factsPerMinuteMax: number;
  /** Of Reeve, for the state of the hints. */
  readonly version: string;
}

/** What an outside client sends. */
export interface HintRequest {
  readonly errorLog: string;
  /** Oldest first, finite. */
  readonly previousScores: readonly number[];
  /** The attempt that is about to be made, from 1. */
  readonly currentIteration: number;
}

/** The answer to it. What does not belong to a strategy is left out. */
export interface HintAnswer {
  readonly promptSnippet: string;
  readonly injected: boolean;
  readonly strategy: Strategy;
  readonly symptom?: string;
  readonly matchedSymptom?: string;
  readonly similarity?: number;
  readonly injectionId?: string;
  readonly patternId?: string;
  readonly isStaging?: true;
}

export interface Feedback {
  readonly injectionId: string;
  readonly postScore: number;
  readonly iterationsToResolve?: number | undefined;
  readonly agentNotes?: string | undefined;
}

/** A cluster that was found for a text. */
export interface FoundHint {
  readonly cluster: BundleCluster;
  readonly pattern: string;
  readonly body: string | undefined;
  readonly matched: string;
  readonly similarity: number;
  readonly staging: boolean;
}

/** Another trust than before, and where it is. */
export interface Promotion {
  readonly patternId: string;
  readonly clusterId: string;
  readonly oldPriority: number;
  readonly newPriority: number;
}

const NOTES_CHARS = 2_000;
const SCORES_KEPT = 10;

/** One daemon's hints. Every fact is journaled first; the file follows it. */
export class Hints {
  readonly #deps: HintsDeps;
  readonly #library: HintLibrary;
  readonly #spots: BlindSpots;
  readonly #budget: MinuteBudget;
  #statistics: HintStatistics | undefined;

  constructor(deps: HintsDeps) {
    this.#deps = deps;
    this.#library = new HintLibrary(deps.store, deps.backend);
    this.#spots = new BlindSpots(deps.blindSpots);
    this.#budget = new MinuteBudget(deps.clock, deps.factsPerMinuteMax);
    const since = deps.clock.now() - deps.blindSpots.windowMs;
    for (const [hash, atMs] of deps.store.crossings(since)) this.#spots.noteCrossing(hash, atMs);
  }

  /** To be called with every entry of the journal, in order. */
  onEntry(entry: JournalEntry): void {
    if (!this.#deps.store.take(entry)) return;
    this.#statistics = undefined;
    const { fact } = entry;
    if (fact.type === 'hint.priority_set') this.#library.refresh();
    if (fact.type === 'hint.scored') this.#judge(fact.injection);
  }

  /**
   * Decides, finds and writes down. Throws RangeError on scores or an iteration that are none, QUEUE_FULL where more is
   * written than the journal should take.
   */
  build(request: HintRequest, who: string): HintAnswer {
    const text = this.#deps.redact(excerptOf(request.errorLog));
    const symptom = symptomOf(text);
    const constraint = constraintFor(symptom);
    const { currentIteration: iteration, previousScores: scores } = request;
    const course = { iteration, scores, freeAttempts: FREE_ATTEMPTS_CLIENT };
    const strategy = strategyFor({ ...course, safety: constraint !== undefined });
    if (strategy === 'FREE_EXPLORATION') return { promptSnippet: '', injected: false, strategy, symptom };
    if (strategy === 'SAFETY') return { promptSnippet: constraint ?? '', injected: true, strategy, symptom };
    const phrase = phraseOf(symptom);
    const found = this.find(text) ?? (phrase === undefined ? undefined : this.find(phrase));
    if (found === undefined) {
      if (symptom === 'Unknown_Error') this.#note(text);
      return { promptSnippet: '', injected: false, strategy, symptom };
    }
    this.#budget.spend();
    const injectionId = this.inject(found, { symptom, scores, iteration, asker: 'client', who });
    return {
      promptSnippet: snippetOf(found.cluster, found.body, found.staging),
      ...{ injected: true, strategy, symptom, matchedSymptom: found.matched },
      ...{ similarity: Math.round(found.similarity * 10_000) / 10_000, injectionId, patternId: found.pattern },
      ...(found.staging && { isStaging: true as const }),
    };
  }

  /** The best cluster for a text, by the whole of it and by its last lines. */
  find(text: string): FoundHint | undefined {
    const found = this.#library.nearest(queriesOf(text), this.#deps.similarityFloor);
    if (found === undefined) return undefined;
    const { cluster, matched, similarity, isStaging: staging } = found;
    const [pattern = cluster.id] = cluster.associatedPatterns;
    return { cluster, pattern, body: this.#library.bodyOf(pattern), matched, similarity, staging };
  }

  /** Writes down that a hint was sent. Gives the id that feedback names. */
  inject(
    { cluster, pattern, matched, similarity, staging }: FoundHint,
    asked: {
      readonly symptom: string;
      readonly scores: readonly number[];
      readonly iteration: number;
      readonly asker: 'planner' | 'client';
      readonly who: string;
      readonly incident?: string;
      readonly channel?: string | undefined;
      readonly fingerprint?: string;
    },
  ): string {
    const { incident, channel, scores, ...fields } = asked;
    const own = this.#deps.ids.next('inj');
    const injection = createHash('sha256').update(`${own} ${this.#deps.clock.now()}`).digest('hex').slice(0, 32);
    const fact = {
      type: 'hint.injected',
      injection,
      pattern,
      cluster: cluster.id,
      matched,
      similarity,
      staging,
    } as const;
    this.#deps.append([{ incident, channel, fact: { ...fact, ...fields, scores: scores.slice(-SCORES_KEPT) } }]);
    return injection;
  }

  /**
   * From an outside client: false where no hint was sent under this id. A second report takes the place of the first.
   * Throws QUEUE_FULL as `build` does.
   */
  feedback(feedback: Feedback, who: string): boolean {
    if (this.#deps.store.outcome(feedback.injectionId) === undefined) return false;
    this.#budget.spend();
    return this.score(feedback, who);
  }

  /** The same from Reeve's own loop. */
  score({ injectionId, postScore, iterationsToResolve, agentNotes }: Feedback, who: string): boolean {
    const outcome = this.#deps.store.outcome(injectionId);
    if (outcome === undefined) return false;
    const fact = {
      ...({ type: 'hint.scored', injection: injectionId, postScore, who } as const),
      ...(iterationsToResolve !== undefined && { iterations: iterationsToResolve }),
      ...(agentNotes !== undefined && { notes: this.#deps.redact(agentNotes.slice(0, NOTES_CHARS)) }),
    };
    this.#deps.append([{ incident: outcome.incident ?? undefined, fact }]);
    return true;
  }

  /** What hints achieved, by how far each is trusted now. */
  statistics(): HintStatistics {
    this.#statistics ??= statisticsOf(this.#deps.store.scored(), (id) => this.#library.bucketOf(id));
    return this.#statistics;
  }

  blindSpots(): BlindSpotSummary & BlindSpotSettings {
    return { ...this.#deps.blindSpots, ...this.#spots.summary(this.#deps.clock.now()) };
  }

  /** Oldest first; also those without a report yet. */
  outcomes(since: number, limit: number): readonly OutcomeRow[] {
    return this.#deps.store.outcomes(since, limit);
  }

  /** Reads the bundle anew. Throws CONFIG_INVALID; then the last good one stays in use. */
  reload(rebuild = false): Reloaded {
    return this.take(readSources(this.#deps.sources), rebuild);
  }

  /** Uses a bundle that was read already. */
  take(bundle: Bundle, rebuild = false): Reloaded {
    const done = this.#library.sync(bundle, rebuild);
    this.#statistics = undefined;
    return done;
  }

  /** Another trust for the cluster that a hint belongs to; undefined where none has it. */
  promote(
    pattern: string,
    change: PriorityChange,
    by: { readonly who: string; readonly because: string },
  ): Promotion | undefined {
    const owner = this.#library.ownerOf(pattern);
    if (owner === undefined) return undefined;
    const from = priorityOf(owner.priority);
    const to = priorityAfter(owner.priority, change);
    this.#set(owner, { pattern, from, to, ...by });
    return { patternId: pattern, clusterId: owner.id, oldPriority: from, newPriority: to };
  }

  /** Every cluster with its trust as it is now. */
  clusters(): readonly BundleCluster[] {
    return this.#library.clusters();
  }

  health() {
    const { backend, clusterCount, writtenAt } = this.#library;
    const blindSpotCount = this.blindSpots().active.length;
    const { similarityFloor, version } = this.#deps;
    const dimensions = EMBEDDING_DIMENSIONS;
    return { backend, clusterCount, writtenAt, similarityFloor, blindSpotCount, dimensions, version };
  }

  #set(
    owner: BundleCluster,
    change: { pattern: string; from: Priority; to: Priority; who: string; because: string },
  ): void {
    const stated = this.#library.statedOf(owner.id);
    const fact = {
      type: 'hint.priority_set',
      cluster: owner.id,
      ...change,
      ...(stated !== undefined && { stated }),
    } as const;
    this.#deps.append([{ fact }]);
  }

  /** A hint whose record fell is sent no more, until a person says otherwise. */
  #judge(injection: string): void {
    const pattern = this.#deps.store.outcome(injection)?.pattern;
    const owner = pattern === undefined ? undefined : this.#library.ownerOf(pattern);
    if (pattern === undefined || owner === undefined || bucketOf(owner.priority) === 'demoted') return;
    const because = fallOf(this.#deps.store.judged(pattern, owner.id));
    if (because === undefined) return;
    this.#set(owner, { pattern, from: priorityOf(owner.priority), to: -1, who: 'reeve', because });
  }

  #note(text: string): void {
    const spot = this.#spots.record(text, this.#deps.clock.now());
    // Whoever sends ever new errors fills no journal; the window shows them all the same.
    if (spot === undefined || !this.#budget.take()) return;
    const { prefixHash, count, firstSeenMs, lastSeenMs, sampleExcerpt: excerpt } = spot;
    const seen = { prefixHash, count, firstSeenMs, lastSeenMs, excerpt };
    this.#deps.append([{ fact: { type: 'hint.blind_spot', ...seen, ...this.#deps.blindSpots } }]);
  }
}
