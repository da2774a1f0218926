import type { FailureClass } from '../core/classification.ts';
import type { MonoMs } from '../core/clock.ts';
import type { Incident, Outcome } from '../core/incident.ts';
import type { JournalEntry, Projection } from '../core/journal.ts';
import { type IncidentId, keyOfScope, type Scope } from '../core/scope.ts';
import type { PermitTerms } from '../core/tool.ts';

/** One open incident and how far its handling has come. */
export interface OpenIncident {
  readonly incident: Incident;
  readonly runs: number;
  /** A run is under way (or was, when Reeve died). */
  readonly running: boolean;
  readonly last: Outcome | undefined;
  readonly lastEndedMs: MonoMs | undefined;
  /** Since when the present classification has held. */
  readonly classifiedMs: MonoMs;
  /** The classifications that a person was already told of in this incident: no further run for these. */
  readonly told: readonly FailureClass[];
  /** The last verified cure; a relapse soon after makes it a failed one. */
  readonly cure: { readonly permit: PermitTerms; readonly fingerprint: string; readonly atMs: MonoMs } | undefined;
  /** Restarts that this incident has seen by Reeve. */
  readonly restarts: number;
}

export interface IncidentState {
  readonly open: readonly OpenIncident[];
}

/** Every open incident. At most one per channel and per group (docs/guard.md, words). */
export const incidentProjection: Projection<IncidentState> = {
  name: 'incidents',
  initial: { open: [] },
  apply(state, entry) {
    const { fact } = entry;
    if (fact.type === 'incident.opened') return { open: [...state.open, opened(fact.incident, entry)] };
    if (entry.incident === undefined) return state;
    if (fact.type === 'incident.closed') {
      return { open: state.open.filter(({ incident }) => incident.id !== entry.incident) };
    }
    if (!CHANGES.has(fact.type)) return state;
    return { open: state.open.map((held) => (held.incident.id === entry.incident ? changed(held, entry) : held)) };
  },
};

const CHANGES: ReadonlySet<string> = new Set([
  'run.started',
  'run.ended',
  'incident.reclassified',
  'attempt.verified',
  'attempt.relapsed',
  'tool.started',
  'escalation.raised',
  'approval.answered',
]);

/** Tools whose verification is the channel's own output: only their cures can relapse. */
const OUTPUT_TOOLS: ReadonlySet<string> = new Set(['restart_channel', 'rebuild_playout']);

const opened = (incident: Incident, entry: JournalEntry): OpenIncident => ({
  incident,
  runs: 0,
  running: false,
  last: undefined,
  lastEndedMs: undefined,
  classifiedMs: entry.monoMs,
  told: [],
  cure: undefined,
  restarts: 0,
});

function changed(held: OpenIncident, entry: JournalEntry): OpenIncident {
  const { fact, monoMs } = entry;
  switch (fact.type) {
    case 'run.started':
      return { ...held, running: true, runs: held.runs + 1 };
    case 'run.ended':
      return { ...held, running: false, last: fact.outcome, lastEndedMs: monoMs };
    case 'incident.reclassified':
      return { ...held, incident: { ...held.incident, classification: fact.to }, classifiedMs: monoMs };
    case 'attempt.verified':
      return fact.verification.cured && OUTPUT_TOOLS.has(fact.permit.call.tool)
        ? { ...held, cure: { permit: fact.permit, fingerprint: fact.fingerprint, atMs: monoMs } }
        : held;
    case 'attempt.relapsed':
      return { ...held, cure: undefined };
    case 'tool.started':
      return fact.permit.call.tool === 'restart_channel' && fact.permit.call.target.kind === 'channel'
        ? { ...held, restarts: held.restarts + 1 }
        : held;
    case 'escalation.raised':
      return { ...held, told: [...new Set([...held.told, held.incident.classification])] };
    default:
      return held;
  }
}

export const openOn = (state: IncidentState, scope: Scope): OpenIncident | undefined =>
  state.open.find(({ incident }) => keyOfScope(incident.scope) === keyOfScope(scope));

export const openById = (state: IncidentState, id: IncidentId): OpenIncident | undefined =>
  state.open.find(({ incident }) => incident.id === id);
