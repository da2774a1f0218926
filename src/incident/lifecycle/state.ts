/** The projection of all open incidents. */
import type { FailureClass } from '../../core/classification.ts';
import type { MonoMs } from '../../core/clock.ts';
import { MINUTE_MS } from '../../core/duration.ts';
import { type Escalation, type Incident, type Outcome, reaching } from '../../core/incident.ts';
import type { JournalEntry, JournalFact, Projection } from '../../core/journal.ts';
import { type ChannelId, type IncidentId, keyOfScope, type Scope, type ScopeKey } from '../../core/scope.ts';
import type { PermitTerms, ToolCall } from '../../core/tool.ts';
import { isStaged, isStart, specOf } from '../../remediation/catalog.ts';
import { covers, denialOf, isUndoneBy, mayUndo, wasPutOff } from './undone.ts';

/** One open incident and how far its handling has come. */
export interface OpenIncident {
  readonly incident: Incident;
  readonly runs: number;
  /** A run is under way (or was, when Reeve died). */
  readonly running: boolean;
  readonly last: Outcome | undefined;
  readonly lastEndedMs: MonoMs | undefined;
  /** By then a person hears of it: the first wait that a rule announced. A wait that follows it ends no later. */
  readonly waitUntilMs?: MonoMs;
  /** When its last run ended that took any time: until then somebody was at work on it. */
  readonly workedMs?: MonoMs;
  /** When that run began. */
  readonly workFromMs?: MonoMs;
  /** Since when the present classification has held. */
  readonly classifiedMs: MonoMs;
  /** The classifications that a person was already notified of in this incident: no further run for these. */
  readonly told: readonly FailureClass[];
  /** The last verified cure; a relapse soon after makes it a failed one. */
  readonly cure: { readonly permit: PermitTerms; readonly fingerprint: string; readonly atMs: MonoMs } | undefined;
  /** Restarts that this incident has seen by Reeve. */
  readonly restarts: number;
  /** The channels that its last plan named. */
  readonly planned?: readonly ChannelId[];
  // Both hold until the next run ends. No times are compared: all of it may fall into one millisecond.
  /** What its last run was refused for is gone since then: it is worth another run, though a person was notified. */
  readonly reopened?: boolean;
  /** The trouble has another name since its last run. */
  readonly renamed?: boolean;
  /** Of a group or an engine: it took over a channel whose start had been refused, and has not run since (law L5). */
  readonly owesRun?: boolean;
}

/** A verified cure of an incident that is closed: a failure soon after it still means that it did not hold. */
export interface PastCure {
  readonly channel: ChannelId;
  readonly classification: FailureClass;
  readonly permit: PermitTerms;
  readonly fingerprint: string;
  readonly atMs: MonoMs;
}

export interface IncidentState {
  readonly open: readonly OpenIncident[];
  /** Oldest first; absent where there are none. */
  readonly cured?: readonly PastCure[];
  /** Of the configuration in force. Absent in a snapshot of an earlier version. */
  readonly configSha?: string;
}

/** Cures of closed incidents are remembered this long, and at most so many of them. */
const CURES_MS = 10 * MINUTE_MS;
const CURES_MAX = 256;
const WORK_MS_MIN = 1_000;
/** A run this soon after one that took time goes on with it. */
const NEXT_RUN_MS = 10_000;

type RunEnd = JournalFact & { readonly type: 'run.ended' };

/** Every open incident. At most one per channel and per group (docs/guard.md, words). */
export const incidentProjection: Projection<IncidentState> = {
  name: 'incidents',
  initial: { open: [] },
  apply(state, entry) {
    const { fact } = entry;
    if (fact.type === 'incident.opened')
      return { ...state, open: [...state.open, newlyOpen(fact.incident, entry.monoMs)] };
    if (fact.type === 'incident.closed') return closed(state, entry);
    if (fact.type === 'attempt.relapsed') return changedIn(withoutCure(state, fact.permit.id), entry);
    if (mayUndo(fact))
      return underConfiguration(
        reopened(state, (held) => isUndoneBy(fact, held, state.configSha)),
        fact,
      );
    return entry.incident !== undefined && CHANGES.has(fact.type) ? changedIn(state, entry) : state;
  },
};

const underConfiguration = (state: IncidentState, fact: JournalFact): IncidentState =>
  fact.type === 'reeve.started' || fact.type === 'config.loaded' ? { ...state, configSha: fact.configSha } : state;

const changedIn = (state: IncidentState, entry: JournalEntry): IncidentState => ({
  ...state,
  open: state.open.map((held) => (held.incident.id === entry.incident ? changed(held, entry) : held)),
});

const CHANGES: ReadonlySet<string> = new Set([
  'run.started',
  'run.ended',
  'incident.reclassified',
  'attempt.verified',
  'tool.started',
  'escalation.raised',
  'approval.answered',
]);

const reopened = (state: IncidentState, isUndone: (held: OpenIncident) => boolean): IncidentState => ({
  ...state,
  open: state.open.map((held) => (held.last !== undefined && isUndone(held) ? { ...held, reopened: true } : held)),
});

/** The end of a shared cause's incident undoes what was refused to its channels because of it. */
function closed(state: IncidentState, { incident: id, monoMs, fact }: JournalEntry): IncidentState {
  const over = state.open.find(({ incident }) => incident.id === id);
  if (over === undefined) return state;
  const isTaken = fact.type === 'incident.closed' && fact.ending === 'absorbed' && wasPutOff(over.last);
  const left = state.open.filter((held) => held !== over);
  const rest = { ...state, open: isTaken ? left.map((held) => owing(held, over)) : left };
  const { incident, cure } = over;
  if (incident.scope.kind !== 'channel') {
    return reopened(rest, (held) => denialOf(held) === 'shared_cause' && covers(incident.scope, held.incident));
  }
  if (cure === undefined) return rest;
  const { classification, scope } = incident;
  const recent = (state.cured ?? []).filter(({ atMs }) => monoMs - atMs <= CURES_MS);
  return { ...rest, cured: [...recent, { channel: scope.id, classification, ...cure }].slice(-CURES_MAX) };
}

/** Who takes over a channel takes over that its start was put off. */
const owing = (held: OpenIncident, { incident }: OpenIncident): OpenIncident =>
  held.incident.scope.kind !== 'channel' && covers(held.incident.scope, incident) ? { ...held, owesRun: true } : held;

const withoutCure = (state: IncidentState, permit: string): IncidentState =>
  state.cured === undefined ? state : { ...state, cured: state.cured.filter((past) => past.permit.id !== permit) };

/** The last verified cure of this very trouble on the channel, in an incident that is closed. */
export const pastCure = (
  state: IncidentState,
  channel: ChannelId,
  classification: FailureClass,
): PastCure | undefined =>
  state.cured?.findLast((past) => past.channel === channel && past.classification === classification);

/** An incident of which nothing is known but that it was opened. */
export const newlyOpen = (incident: Incident, openedMs: MonoMs): OpenIncident => ({
  incident,
  runs: 0,
  running: false,
  last: undefined,
  lastEndedMs: undefined,
  classifiedMs: openedMs,
  told: [],
  cure: undefined,
  restarts: 0,
});

function changed(held: OpenIncident, entry: JournalEntry): OpenIncident {
  const { fact, monoMs } = entry;
  switch (fact.type) {
    case 'run.started':
      return { ...held, running: true, runs: held.runs + 1, owesRun: false };
    case 'run.ended':
      return {
        ...{ ...held, running: false, last: fact.outcome, lastEndedMs: monoMs, reopened: false, renamed: false },
        ...{ ...announcedBy(held, fact, monoMs), ...workedBy(held, fact, monoMs) },
      };
    case 'approval.answered':
      return fact.yes && fact.proposed === true ? { ...held, reopened: true } : held;
    case 'incident.reclassified':
      return {
        ...{ ...held, classifiedMs: monoMs, renamed: true },
        incident: { ...held.incident, classification: fact.to },
      };
    case 'attempt.verified':
      return fact.verification.cured && specOf(fact.permit.call.tool).curesOutput
        ? { ...held, cure: { permit: fact.permit, fingerprint: fact.fingerprint, atMs: monoMs } }
        : held;
    case 'attempt.relapsed':
      return held.cure?.permit.id === fact.permit.id ? { ...held, cure: undefined } : held;
    case 'tool.started':
      return startedBy(held, fact.permit.call);
    case 'escalation.raised':
      return toldOf(held, fact.escalation);
    default:
      return held;
  }
}

/** A page that comes once more, because the trouble lasts or has reached others, tells of no other classification. */
function toldOf(held: OpenIncident, { reason, channels = [] }: Escalation): OpenIncident {
  const { told, incident } = held;
  const isOnceMore = reason === 'lasting' && told.length > 0;
  return {
    ...held,
    incident: channels.length > 0 ? reaching(incident, channels) : incident,
    told: isOnceMore ? told : [...new Set([...told, incident.classification])],
  };
}

function startedBy(held: OpenIncident, call: ToolCall): OpenIncident {
  const planned = isStaged(call) ? { planned: call.channels } : {};
  return isStart(call) ? { ...held, ...planned, restarts: held.restarts + 1 } : { ...held, ...planned };
}

/**
 * The names of a trouble come from log text too, so another name must not begin the wait anew (law L6). A wait that is
 * over without a page belongs to a trouble that went away, unless it ran out during this very run, or the one right
 * before it: then a person has waited for what the run did not cure. Waiting for a second witness is no rule's wait.
 */
function announcedBy(held: OpenIncident, { outcome, tookMs }: RunEnd, monoMs: MonoMs) {
  if (outcome.kind !== 'watching' || outcome.escalateAfterMs === undefined || outcome.denial !== undefined) return {};
  const { waitUntilMs, workedMs, workFromMs } = held;
  const ownMs = workBeganMs(held, monoMs - tookMs);
  const isNext = workedMs !== undefined && ownMs - workedMs <= NEXT_RUN_MS;
  const isAnnounced = waitUntilMs !== undefined && waitUntilMs >= (isNext ? (workFromMs ?? ownMs) : ownMs);
  return isAnnounced ? {} : { waitUntilMs: monoMs + outcome.escalateAfterMs };
}

/** Until when the last run waits before a person is notified; a rule's wait ends no later than the first. 0: none. */
export function announcedMs({ last, lastEndedMs = 0, waitUntilMs = Number.POSITIVE_INFINITY }: OpenIncident): MonoMs {
  if (last?.kind !== 'watching' || last.escalateAfterMs === undefined) return 0;
  const ownMs = lastEndedMs + last.escalateAfterMs;
  return last.denial === undefined ? Math.min(ownMs, waitUntilMs) : ownMs;
}

/** A refusal is no work, though it may take time: a planner that thinks, a disk that makes its record wait. */
function workedBy(held: OpenIncident, { outcome, steps, tookMs }: RunEnd, monoMs: MonoMs) {
  const isRefused = steps === 0 && 'denial' in outcome && outcome.denial !== undefined;
  if (isRefused || tookMs < WORK_MS_MIN) return {};
  return { workedMs: monoMs, workFromMs: workBeganMs(held, monoMs - tookMs) };
}

/** What a containment put off was due when it was refused: whose trouble has lasted since has waited since. */
const workBeganMs = ({ last, lastEndedMs = Number.POSITIVE_INFINITY }: OpenIncident, beganMs: MonoMs): MonoMs =>
  last?.kind === 'escalated' && last.reason === 'containment' ? Math.min(lastEndedMs, beganMs) : beganMs;

/** Of the open incidents that were asked about last: they are the same for all channels of one look. */
const byScope = new WeakMap<IncidentState['open'], ReadonlyMap<ScopeKey, OpenIncident>>();

export function openOn({ open }: IncidentState, scope: Scope): OpenIncident | undefined {
  const known = byScope.get(open) ?? new Map(open.map((held) => [keyOfScope(held.incident.scope), held]));
  byScope.set(open, known);
  return known.get(keyOfScope(scope));
}

export const openById = (state: IncidentState, id: IncidentId): OpenIncident | undefined =>
  state.open.find(({ incident }) => incident.id === id);
