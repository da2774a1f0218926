/** Reads from a replay's journal what was decided. */
import { createHash } from 'node:crypto';
import type { FailureClass, Severity } from '../core/classification.ts';
import type { EpochMs } from '../core/clock.ts';
import type { EscalationReason, IncidentEnding } from '../core/incident.ts';
import type { FactType, JournalEntry, JournalFact } from '../core/journal.ts';
import { describeDecider, type Plan } from '../core/plan.ts';
import { keyOfScope, type ScopeKey } from '../core/scope.ts';
import { describeCall, type ToolName } from '../core/tool.ts';
import { canonicalJson } from '../core/wire.ts';
import { TOOL_SPECS } from '../remediation/catalog.ts';

/** One hop of an incident that decided something. `step` says it without times and ids, so that two can be compared. */
export interface DecisionLine {
  readonly at: EpochMs;
  readonly kind: 'plan' | 'guard' | 'act' | 'verified' | 'outcome' | 'page';
  readonly step: string;
  readonly because: string;
  /** The guard refused, or an attempt did not help. */
  readonly no: boolean;
}

export interface IncidentStory {
  readonly id: string;
  readonly scope: ScopeKey;
  readonly classification: FailureClass;
  readonly classifications: readonly FailureClass[];
  readonly channels: readonly string[];
  readonly openedAt: EpochMs;
  readonly closedAt: EpochMs | undefined;
  readonly ending: IncidentEnding | 'open';
  readonly symptoms: readonly string[];
  readonly decisions: readonly DecisionLine[];
}

/** A change that would have been made. */
export interface WouldAct {
  readonly at: EpochMs;
  readonly incident: string;
  readonly tool: ToolName;
  readonly target: ScopeKey;
  /** By the record: fresh output followed, or it did not. Undefined: the recording ended before. */
  readonly helped: boolean | undefined;
  readonly viewerSeconds: number | undefined;
}

export interface Paged {
  readonly at: EpochMs;
  readonly incident: string | undefined;
  readonly scope: ScopeKey;
  readonly severity: Severity;
  readonly reason: EscalationReason;
  readonly summary: string;
}

export interface Contained {
  readonly scope: ScopeKey;
  readonly reason: string;
  readonly detail: string;
  readonly from: EpochMs;
  readonly to: EpochMs | undefined;
}

/** What was decided in one course of a recording. */
export interface Decided {
  /** Of everything here; the same recording and policy give the same. */
  readonly sha256: string;
  readonly incidents: readonly IncidentStory[];
  readonly wouldAct: readonly WouldAct[];
  readonly refusedByCode: readonly { readonly code: string; readonly count: number }[];
  readonly pages: readonly Paged[];
  readonly containments: readonly Contained[];
  /** Containments because of too many starts. */
  readonly storms: number;
  /** Starts that the recording shows, whoever made them. */
  readonly startsSeen: number;
}

/** Reads the journal of a replay. */
export function decidedIn(entries: readonly JournalEntry[]): Decided {
  const reading = new Reading();
  for (const entry of entries) reading.take(entry);
  return reading.done();
}

type LineOf<T extends FactType> = (fact: Extract<JournalFact, { type: T }>) => Omit<DecisionLine, 'at'> | undefined;
type Tellers = { readonly [T in FactType]?: LineOf<T> };

/** What each kind of fact adds to the story of its incident. */
const TELLERS: Tellers = {
  'plan.made': ({ plan }) => ({ kind: 'plan', step: planStep(plan), because: plan.because, no: false }),
  'guard.decided': ({ call, decision }) =>
    decision.verdict === 'allow'
      ? { kind: 'guard', step: `allows ${call}`, because: 'every question passes', no: false }
      : { kind: 'guard', step: `refuses ${call}: ${decision.code}`, because: decision.because, no: true },
  'tool.started': ({ permit }) => ({
    kind: 'act',
    step: `would do ${describeCall(permit.call)}`,
    because: '',
    no: false,
  }),
  'attempt.verified': ({ permit, verification: { cured, because } }) => ({
    kind: 'verified',
    step: `${permit.call.tool} ${cured ? 'helped, by the record' : 'not seen to help'}`,
    because,
    no: !cured,
  }),
  'run.ended': ({ outcome }) => ({
    kind: 'outcome',
    step: outcome.kind === 'escalated' ? `escalated (${outcome.reason})` : outcome.kind,
    because: outcome.because,
    no: false,
  }),
  'escalation.raised': ({ escalation }) => ({
    kind: 'page',
    step: `pages (${escalation.reason})`,
    because: escalation.summary,
    no: false,
  }),
};

const planStep = (plan: Plan): string =>
  `plans ${plan.kind === 'act' ? describeCall(plan.call) : plan.kind}, by ${describeDecider(plan.by)}`;

type Open = { -readonly [Key in keyof IncidentStory]: IncidentStory[Key] } & {
  decisions: DecisionLine[];
  symptoms: string[];
  classifications: FailureClass[];
};

class Reading {
  readonly #incidents = new Map<string, Open>();
  readonly #acts = new Map<string, WouldAct>();
  readonly #refused = new Map<string, number>();
  readonly #pages: Paged[] = [];
  readonly #containments: Contained[] = [];
  #starts = 0;

  take(entry: JournalEntry): void {
    const { fact } = entry;
    if (fact.type === 'incident.opened') return this.#open(entry, fact);
    this.#count(entry);
    const story = entry.incident === undefined ? undefined : this.#incidents.get(entry.incident);
    if (story === undefined) return;
    if (fact.type === 'symptom.raised') addOnce(story.symptoms, `${fact.symptom.kind} (${fact.symptom.origin})`);
    else if (fact.type === 'incident.reclassified') addOnce(story.classifications, fact.to);
    else if (fact.type === 'incident.closed') Object.assign(story, { closedAt: entry.at, ending: fact.ending });
    const teller = TELLERS[fact.type] as ((fact: JournalFact) => Omit<DecisionLine, 'at'> | undefined) | undefined;
    const line = teller?.(fact);
    if (line !== undefined) story.decisions.push({ at: entry.at, ...line });
  }

  done(): Decided {
    const incidents = [...this.#incidents.values()];
    const refusedByCode = [...this.#refused]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([code, count]) => ({ code, count }));
    const decided = {
      incidents,
      wouldAct: [...this.#acts.values()],
      refusedByCode,
      pages: this.#pages,
      containments: this.#containments,
      storms: this.#containments.filter(({ reason }) => reason === 'restart_storm').length,
      startsSeen: this.#starts,
    };
    return { sha256: createHash('sha256').update(canonicalJson(decided)).digest('hex'), ...decided };
  }

  #open({ at }: JournalEntry, { incident }: Extract<JournalFact, { type: 'incident.opened' }>): void {
    const { id, scope, classification, channels } = incident;
    this.#incidents.set(id, {
      id,
      scope: keyOfScope(scope),
      classification,
      classifications: [classification],
      channels,
      openedAt: at,
      closedAt: undefined,
      ending: 'open',
      symptoms: [],
      decisions: [],
    });
  }

  #count({ at, incident, fact }: JournalEntry): void {
    switch (fact.type) {
      case 'guard.decided':
        if (fact.decision.verdict === 'deny') {
          this.#refused.set(fact.decision.code, (this.#refused.get(fact.decision.code) ?? 0) + 1);
        }
        break;
      case 'start.observed':
        this.#starts += 1;
        break;
      case 'tool.started':
        this.#act(at, fact);
        break;
      case 'attempt.verified':
        this.#judge(fact.permit.id, fact.verification.cured);
        break;
      case 'escalation.raised': {
        const { scope, severity, reason, summary } = fact.escalation;
        this.#pages.push({ at, incident, scope: keyOfScope(scope), severity, reason, summary });
        break;
      }
      case 'containment.raised': {
        const { scope, reason, detail } = fact;
        this.#containments.push({ scope: keyOfScope(scope), reason, detail, from: at, to: undefined });
        break;
      }
      case 'containment.cleared':
        this.#clear(keyOfScope(fact.scope), fact.reason, at);
        break;
    }
  }

  #act(at: EpochMs, { permit }: Extract<JournalFact, { type: 'tool.started' }>): void {
    const { id, incident, call, viewerSeconds } = permit;
    if (TOOL_SPECS.get(call.tool)?.effect !== 'change') return;
    const target = keyOfScope(call.target);
    this.#acts.set(id, { at, incident, tool: call.tool, target, helped: undefined, viewerSeconds });
  }

  #judge(permit: string, helped: boolean): void {
    const act = this.#acts.get(permit);
    if (act !== undefined) this.#acts.set(permit, { ...act, helped });
  }

  #clear(scope: ScopeKey, reason: string, to: EpochMs): void {
    const at = this.#containments.findLastIndex((one) => one.scope === scope && one.reason === reason);
    const held = this.#containments[at];
    if (held !== undefined && held.to === undefined) this.#containments[at] = { ...held, to };
  }
}

function addOnce<T>(list: T[], item: T): void {
  if (!list.includes(item)) list.push(item);
}
