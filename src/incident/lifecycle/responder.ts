// Opens, updates and closes incidents from findings, and asks for runs: at most one of each per scope.
import type { RunEnd } from '../../agent/run.ts';
import type { FailureClass } from '../../core/classification.ts';
import type { Clock, MonoMs } from '../../core/clock.ts';
import type { GroundedContextEnvelope } from '../../core/envelope.ts';
import { invariant, InvariantError, messageOf } from '../../core/errors.ts';
import type { Ids } from '../../core/id.ts';
import type { Closing, Escalation, EscalationReason, Incident, Outcome } from '../../core/incident.ts';
import type { Append, Draft, JournalFact, Read } from '../../core/journal.ts';
import { type IncidentId, keyOfScope, type RunId, type Scope, type ScopeKey } from '../../core/scope.ts';
import type { Symptom } from '../../core/symptom.ts';
import type { Attempt } from '../../core/tool.ts';
import { type Seen, withAllDown } from './seen.ts';
import { type Intent, pageDueOf, type SharedBy, transitionFor, type TransitionPolicy } from './transitions.ts';
import { aboutOf, type NextRun, nextRun, openedDrafts, relapseDrafts, symptomDraft } from './drafts.ts';
import { asItHolds } from './still_holds.ts';
import { SymptomHistory } from './symptom_history.ts';
import { keyOfIncident, pageFor } from '../pages/page.ts';
import { type IncidentState, newlyOpen, type OpenIncident, openById, openOn } from './state.ts';

export interface ResponderDeps {
  readonly append: Append;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly incidents: Read<IncidentState>;
  /** Undefined for a scope that is not configured (any more). */
  readonly see: (scope: Scope, nowMs: MonoMs) => Seen | undefined;
  readonly policyOf: (incident: Pick<Incident, 'scope' | 'group'>) => TransitionPolicy;
  /** One run in the scope's own lane. Rejects when the lane is full or the daemon stops. */
  readonly run: (
    incident: Incident,
    run: RunId,
  ) => Promise<RunEnd & { readonly last: GroundedContextEnvelope | undefined }>;
  /** Drafts for a page, to be appended with the decision that raised it. */
  readonly raise: (page: Omit<Escalation, 'id' | 'at'>) => readonly Draft[];
  readonly resolve: (key: string, because: string) => readonly Draft[];
  /** A question for a person, with its hash, in the same append as the run's end. */
  readonly askApproval: (
    incident: Incident,
    run: RunId,
    envelope: GroundedContextEnvelope | undefined,
  ) => readonly Draft[];
  /** Ends the questions of an incident that still wait, or whose yes was not used. */
  readonly withdraw?: (incident: IncidentId) => { readonly drafts: readonly Draft[]; readonly yesUnused: boolean };
  /** When a run that is due may begin; undefined: now. */
  readonly startDelayMs?: (scope: Scope, seen: Seen, nowMs: MonoMs) => MonoMs | undefined;
  /** Drafts that put an incident on the list of an open page about it and others; empty where none is open. */
  readonly listElsewhere?: (incident: Incident, sharedBy: SharedBy, nowMs: MonoMs) => readonly Draft[];
  /** The probes of the scope look often for a while. */
  readonly lookCloser: (scope: Scope) => void;
  /** Something in Reeve itself went wrong; a person is notified by the caller of this. */
  readonly onFailure: (text: string) => void;
}

/** Intents in a row for one look. More is a loop, not work. */
const INTENTS_MAX = 6;

/** From what is seen to incidents and runs: at most one open incident and one run per scope. */
export class Responder implements Disposable {
  readonly #deps: ResponderDeps;
  /** When to look again, one timer per scope that waits for a moment. */
  readonly #timers = new Map<ScopeKey, { readonly atMs: MonoMs; readonly timer: Disposable }>();
  readonly #symptoms = new SymptomHistory();
  readonly #underWay = new Set<Promise<void>>();
  #stopped = false;

  constructor(deps: ResponderDeps) {
    this.#deps = deps;
  }

  /** Looks at one scope and does what is due at the moment of that look. Cheap where nothing is. */
  look(scope: Scope, nowMs: MonoMs = this.#deps.clock.monotonicMs()): void {
    if (this.#stopped) return;
    for (let count = 0; count < INTENTS_MAX; count += 1) {
      const open = openOn(this.#deps.incidents(), scope);
      const seen = this.#deps.see(scope, nowMs);
      if (seen === undefined) return this.#forget(scope, open);
      const intent = transitionFor(open, seen.sight, nowMs, this.#policy(open, scope, seen));
      if (intent.kind === 'none') return this.#lookAgain(scope, intent.againMs);
      const startDelayMs = intent.kind === 'run' ? this.#deps.startDelayMs?.(scope, seen, nowMs) : undefined;
      const pageDue = startDelayMs && open && pageDueOf(open, seen.sight, nowMs, this.#policy(open, scope, seen));
      if (startDelayMs !== undefined && !pageDue) return this.#lookAgain(scope, startDelayMs);
      this.#obey(pageDue || intent, { scope, open, seen, nowMs });
    }
  }

  /** Keeps the symptoms, so that an incident's story begins with them; later ones are added, once per kind. */
  heard(symptom: Symptom): void {
    const open = openOn(this.#deps.incidents(), { kind: 'channel', id: symptom.channel });
    if (!this.#symptoms.add(symptom, open?.incident.id) || open === undefined) return;
    this.#deps.append([symptomDraft(open.incident, symptom)]);
  }

  /** Takes up what was open when Reeve stopped. */
  resume(): void {
    for (const { incident } of this.#deps.incidents().open) this.look(incident.scope);
  }

  /** Resolves when the end of every run that is under way is written down, with its page. */
  async written(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  [Symbol.dispose](): void {
    this.#stopped = true;
    for (const { timer } of this.#timers.values()) timer[Symbol.dispose]();
    this.#timers.clear();
  }

  #policy(open: OpenIncident | undefined, scope: Scope, seen: Seen): TransitionPolicy {
    return this.#deps.policyOf(open?.incident ?? { scope, group: seen.group });
  }

  /** The scope left the configuration: its incident is about nothing that exists. */
  #forget(scope: Scope, open: OpenIncident | undefined): void {
    if (open === undefined || open.running) return;
    this.#close(open, { ending: 'by_person', because: 'it is no longer configured', unseen: true });
    this.#lookAgain(scope, undefined);
  }

  #lookAgain(scope: Scope, atMs: MonoMs | undefined): void {
    const key = keyOfScope(scope);
    const armed = this.#timers.get(key);
    if (armed !== undefined && armed.atMs === atMs) return;
    armed?.timer[Symbol.dispose]();
    this.#timers.delete(key);
    if (atMs === undefined) return;
    const delayMs = Math.max(1, atMs - this.#deps.clock.monotonicMs());
    const timer = this.#deps.clock.after(delayMs, () => {
      this.#timers.delete(key);
      this.#lookSafely(scope);
    });
    this.#timers.set(key, { atMs, timer });
  }

  /** From a timer: no caller could receive an error of the host environment. */
  #lookSafely(scope: Scope): void {
    try {
      this.look(scope);
    } catch (thrown) {
      if (thrown instanceof InvariantError) throw thrown;
      this.#deps.onFailure(`look at ${keyOfScope(scope)}: ${messageOf(thrown)}`);
    }
  }

  #obey(intent: Exclude<Intent, { kind: 'none' }>, at: Moment): void {
    const { open } = at;
    if (intent.kind === 'open') return this.#open(intent.classification, at);
    invariant(open !== undefined, `${intent.kind} without an open incident`);
    switch (intent.kind) {
      case 'reclassify':
        return this.#reclassify(open.incident, intent.to, at.seen.because);
      case 'relapse':
        return this.#relapse(open, at);
      case 'run':
        return this.#start(open, at.seen);
      case 'tell':
        return this.#tell(open.incident, intent, at);
      case 'close':
        return this.#close(open, intent);
    }
  }

  /** A run that is due at once begins in the same transaction: one write less before the verdict. */
  #open(classification: FailureClass, moment: Moment): void {
    const { scope, seen, nowMs } = moment;
    const { clock, ids, append, lookCloser } = this.#deps;
    const incident: Incident = {
      id: ids.next('inc'),
      scope,
      group: seen.group,
      engine: seen.engine,
      openedAt: clock.now(),
      openedMs: nowMs,
      classification,
      channels: seen.channels,
    };
    const opened = openedDrafts(incident, this.#symptoms.before(scope, seen.channels, nowMs));
    const { relapseMs } = this.#deps.policyOf(incident);
    const relapse = relapseDrafts(this.#deps.incidents(), incident, { relapseMs, because: seen.because });
    const open = newlyOpen(incident, nowMs);
    const run = this.#isDue(open, moment) ? nextRun(open, seen.channels, ids.next('run')) : undefined;
    append([...opened, ...relapse, ...(run === undefined ? [] : [run.started])]);
    if (run === undefined) lookCloser(scope);
    else this.#begin(run);
  }

  #isDue(open: OpenIncident, { scope, seen, nowMs }: Moment): boolean {
    const intent = transitionFor(open, seen.sight, nowMs, this.#deps.policyOf(open.incident));
    return intent.kind === 'run' && this.#deps.startDelayMs?.(scope, seen, nowMs) === undefined;
  }

  /** A question about what the trouble was is no question about what it is; a yes to it is reported as void. */
  #reclassify(incident: Incident, to: FailureClass, because: string): void {
    const from = incident.classification;
    const { drafts = [], yesUnused = false } = this.#deps.withdraw?.(incident.id) ?? {};
    const void_ = `the trouble changed from ${from} to ${to}, so nothing was done on the yes`;
    this.#deps.append([
      { ...aboutOf(incident), fact: { type: 'incident.reclassified', from, to, because } },
      ...drafts,
      ...(yesUnused ? this.#page({ ...incident, classification: to }, 'approval_expired', { because: void_ }) : []),
    ]);
  }

  #tell(incident: Incident, { because, sharedBy }: Extract<Intent, { kind: 'tell' }>, { seen, nowMs }: Moment): void {
    const listed = (sharedBy && this.#deps.listElsewhere?.(incident, sharedBy, nowMs)) ?? [];
    const own = (): readonly Draft[] =>
      this.#page(withAllDown(incident, seen), 'lasting', { because, seen: seen.because });
    this.#deps.append(listed.length > 0 ? listed : own());
  }

  #relapse({ incident, cure }: OpenIncident, { seen }: Moment): void {
    invariant(cure !== undefined, 'a relapse without a cure');
    const { permit, fingerprint } = cure;
    const fact: JournalFact = { type: 'attempt.relapsed', permit, fingerprint, because: seen.because };
    this.#deps.append([{ ...aboutOf(incident), fact }]);
  }

  #close(open: OpenIncident, how: Closing): void {
    const { incident } = open;
    const { ending, because, unseen } = how;
    const openMs = this.#deps.clock.monotonicMs() - incident.openedMs;
    this.#deps.append([
      { ...aboutOf(incident), fact: { type: 'incident.closed', ending, because, openMs, ...(unseen && { unseen }) } },
      ...this.#deps.resolve(keyOfIncident(incident), `${ending}: ${because}`),
      ...(this.#deps.withdraw?.(incident.id).drafts ?? []),
    ]);
  }

  #page(
    incident: Incident,
    reason: EscalationReason,
    about: { readonly because: string; readonly seen?: string },
  ): readonly Draft[] {
    return this.#deps.raise(pageFor(incident, reason, { ...about, envelope: undefined, attempts: [] }));
  }

  #start(open: OpenIncident, seen: Seen): void {
    const run = nextRun(open, seen.channels, this.#deps.ids.next('run'));
    this.#deps.append([run.started]);
    this.#begin(run);
  }

  /** After its start was written, and before anything is awaited: a second look cannot start a second run. */
  #begin({ incident, id }: NextRun): void {
    this.#deps.lookCloser(incident.scope);
    const conducted = this.#conduct(incident, id)
      .catch((thrown: unknown) => this.#deps.onFailure(messageOf(thrown)))
      .finally(() => this.#underWay.delete(conducted));
    this.#underWay.add(conducted);
  }

  async #conduct(incident: Incident, runId: RunId): Promise<void> {
    const startedMs = this.#deps.clock.monotonicMs();
    const ended = await this.#deps.run(incident, runId).catch((thrown: unknown) => {
      this.#deps.onFailure(`run ${runId}: ${messageOf(thrown)}`);
      const outcome: Outcome = { kind: 'escalated', reason: 'internal', because: messageOf(thrown), denial: undefined };
      return { outcome, steps: 0, attempts: [], last: undefined };
    });
    const seen = this.#deps.see(incident.scope, this.#deps.clock.monotonicMs());
    const end = { ...ended, outcome: asItHolds(ended.outcome, seen) };
    const { channels } = withAllDown(incident, seen);
    const current = { ...(openById(this.#deps.incidents(), incident.id)?.incident ?? incident), channels };
    const fact: JournalFact = {
      type: 'run.ended',
      outcome: end.outcome,
      steps: end.steps,
      tookMs: this.#deps.clock.monotonicMs() - startedMs,
    };
    this.#deps.append([{ ...aboutOf(current), run: runId, fact }, ...this.#consequences(current, runId, end)]);
    this.look(incident.scope);
  }

  /** What goes into the same transaction as the run's end: the page, or the question (law L1). */
  #consequences(
    incident: Incident,
    runId: RunId,
    end: { outcome: Outcome; attempts: readonly Attempt[]; last: GroundedContextEnvelope | undefined },
  ): readonly Draft[] {
    const { outcome, attempts, last } = end;
    const about = { because: outcome.because, envelope: last, attempts };
    // A containment pages for itself, once per episode: a page per channel would be the second storm.
    if (outcome.kind === 'escalated' && outcome.reason !== 'containment') {
      return this.#deps.raise(pageFor(incident, outcome.reason, about));
    }
    if (outcome.kind !== 'approval_needed') return [];
    const question = this.#deps.askApproval(incident, runId, last);
    return [...question, ...this.#deps.raise(pageFor(incident, 'approval_needed', about))];
  }
}

interface Moment {
  readonly scope: Scope;
  readonly open: OpenIncident | undefined;
  readonly seen: Seen;
  readonly nowMs: MonoMs;
}
