/** The hints as Reeve's own planner uses them: at most one for a step, scored by what the loop made of the step. */
import type { GroundedContextEnvelope } from '../core/envelope.ts';
import type { JournalEntry } from '../core/journal.ts';
import type { Attempt } from '../core/tool.ts';
import type { Hints } from './hints.ts';
import { lineOf } from './snippet.ts';
import type { HintStore } from './store.ts';
import { FREE_ATTEMPTS_PLANNER, strategyFor } from './strategy.ts';

export interface PlannerHintsDeps {
  readonly hints: Hints;
  readonly store: HintStore;
  readonly read: (query: {
    readonly incident: string;
    readonly types: readonly string[];
    readonly throughSeq?: number;
  }) => Iterable<JournalEntry>;
}

/** What a planner knows when it asks. */
export interface PlannerStep {
  readonly incident: string;
  readonly envelope: GroundedContextEnvelope;
  /** Of this run; those of earlier runs are read from the journal. */
  readonly attempts: readonly Attempt[];
  /** Log lines without the text that an outsider can write. */
  readonly shapes: readonly string[];
  /** False where a person only looks at the prompt: then nothing is written down. */
  readonly isSent: boolean;
}

/** What a planner is sent while a scope is contained: a fixed sentence, no index. */
const CONTAINED = 'starts are held back here: choose what only looks, wait, or call a person';
/** Before anything was tried nothing was gained: so one attempt that did not help is a plateau. */
const BEFORE = 0;

/**
 * What an attempt gained. The loop gives a mere look a score of its own, so that a run may go on after it; but the
 * trouble is as it was, unless all is well.
 */
const gainOf = (score: number, hasChanged: boolean): number => (hasChanged || score === 1 ? score : BEFORE);

/** Asked within a step of a run, so it is quick, and a failure of it is no failure of the step. */
export class PlannerHints {
  readonly #deps: PlannerHintsDeps;

  constructor(deps: PlannerHintsDeps) {
    this.#deps = deps;
  }

  /** One line, or undefined: the planner is left alone, or nothing is known. */
  hintFor({ incident, envelope, attempts, shapes, isSent }: PlannerStep): string | undefined {
    const { fingerprint, failureClassification: found } = envelope;
    const earlier = this.#scores(incident, fingerprint);
    const gains = attempts.map(({ score, verification }) => gainOf(score, verification !== undefined));
    const scores = [BEFORE, ...earlier, ...gains];
    const course = { iteration: scores.length, scores, freeAttempts: FREE_ATTEMPTS_PLANNER };
    const strategy = strategyFor({ ...course, safety: envelope.containmentMode.active });
    if (strategy === 'SAFETY') return CONTAINED;
    if (strategy === 'FREE_EXPLORATION') return undefined;
    const symptom = found ?? 'unknown';
    const hint = this.#deps.hints.find([symptom.replaceAll('_', ' '), envelope.lastErrorType, ...shapes].join('\n'));
    if (hint === undefined) return undefined;
    const channel = envelope.channelId;
    const asked = { symptom, scores, iteration: scores.length, asker: 'planner', who: 'planner' } as const;
    if (isSent) this.#deps.hints.inject(hint, { ...asked, incident, channel, fingerprint });
    return lineOf(hint.cluster, hint.body);
  }

  /** To be called with every entry: the first change that a model chose after a hint says what the hint was worth. */
  onEntry({ fact, incident, seq }: JournalEntry): void {
    if (fact.type !== 'attempt.scored' || fact.by.kind !== 'model' || incident === undefined) return;
    // A look neither helps nor harms: the hint is judged by what is changed after it.
    if (fact.cured === undefined && fact.score !== 1) return;
    const pending = this.#deps.store.pendingOf(incident);
    if (pending === undefined) return;
    const made = this.#scores(incident, fact.fingerprint, seq).length;
    if (made < pending.iteration) return;
    const iterationsToResolve = fact.score === 1 ? made - pending.iteration + 1 : undefined;
    this.#deps.hints.score(
      { injectionId: pending.injection, postScore: fact.score, iterationsToResolve },
      fact.by.model,
    );
  }

  #scores(incident: string, fingerprint: string, throughSeq?: number): readonly number[] {
    const query = { incident, types: ['attempt.scored'], ...(throughSeq !== undefined && { throughSeq }) };
    return [...this.#deps.read(query)].flatMap(({ fact }) =>
      fact.type === 'attempt.scored' && fact.fingerprint === fingerprint
        ? [gainOf(fact.score, fact.cured !== undefined)]
        : [],
    );
  }
}
