/** The state machine of an incident. */
import { CLASSIFICATIONS, type FailureClass } from '../../core/classification.ts';
import type { MonoMs } from '../../core/clock.ts';
import { MINUTE_MS } from '../../core/duration.ts';
import type { Closing } from '../../core/incident.ts';
import { PAGED_AND_PASSING } from '../../core/plan.ts';
import { sameScope } from '../../core/scope.ts';
import { specOf } from '../../remediation/catalog.ts';
import { atRest } from './drafts.ts';
import type { Snapshot } from './seen.ts';
import { announcedMs, type OpenIncident } from './state.ts';

/** An incident closes when its channel has been well for this long. */
export const RESOLVE_HOLD_MS = 5_000;
/** The same trouble within this time of a verified cure is a relapse. */
export const RELAPSE_MS = MINUTE_MS;

export interface TransitionPolicy {
  /** How long the trouble must have lasted before a run may change something. */
  readonly patienceMs: number;
  /** How long a channel must be healthy before its incident closes. */
  readonly resolveHoldMs: number;
  /** A failure this soon after a verified cure means that the cure did not hold. */
  readonly relapseMs: number;
}

/** The next thing to do for an incident. `none.againMs`: when looking again may tell something new. */
export type Intent =
  | { readonly kind: 'none'; readonly againMs: MonoMs | undefined }
  | { readonly kind: 'open'; readonly classification: FailureClass }
  | { readonly kind: 'reclassify'; readonly to: FailureClass }
  | { readonly kind: 'relapse' }
  | { readonly kind: 'run' }
  /** `sharedBy`: which page about more than this incident may speak for it. Absent: it needs its own. */
  | { readonly kind: 'tell'; readonly because: string; readonly sharedBy?: SharedBy }
  | ({ readonly kind: 'close' } & Closing);

/** `mass_outage`: only the page about all who wait for a start; `any`: also one about a containment. */
export type SharedBy = 'any' | 'mass_outage';

type Tell = Extract<Intent, { kind: 'tell' }>;
const CONTAINED_RETRY_MS = 5_000;
const WATCH_RETRY_MS = 30_000;
export const NOTIFIED_HOLD_MS = 30_000;
const SETTLING_LOOK_MS = 250;
const CROWD_LOOK_MS = 1_000;
/** What was refused for a reason that has passed is asked about again no later than this (law L5). */
const ASKED_AGAIN_MS = 5_000;
/** What never settles is an incident all the same; what changes its name meanwhile is one when its page is due. */
const TROUBLED_MS_MAX = 120_000;
/** Without any trouble for this long it is over, though it is unknown whether it plays. */
export const CLEAR_HOLD_MS = 120_000;
/** What is down, without a run under way, for this long beyond the persona's patience is paged (law L6). */
const OVERDUE_MS = 18_000;
/** A trouble that comes and goes in one incident is paged after this long, whatever it waits for. */
const OVERDUE_MS_MAX = 600_000;

/** Pure: from what is open and what is seen to the one next thing to do. Asked again after each. */
export function transitionFor(
  open: OpenIncident | undefined,
  sight: Snapshot,
  nowMs: MonoMs,
  policy: TransitionPolicy,
): Intent {
  return open === undefined ? judgeClosed(sight, nowMs, policy) : judgeOpen(open, sight, nowMs, policy);
}

/** Looked at again the moment it has settled; what settles at no known time is looked at now and then. */
const settleMs = ({ settledMs }: NonNullable<Snapshot['trouble']>, nowMs: MonoMs): MonoMs =>
  settledMs > nowMs ? Math.min(settledMs, nowMs + SETTLING_LOOK_MS) : nowMs + SETTLING_LOOK_MS;

type Wait = Extract<Intent, { kind: 'none' }>;
const none = (againMs?: MonoMs): Wait => ({ kind: 'none', againMs });

function judgeClosed(sight: Snapshot, nowMs: MonoMs, policy: TransitionPolicy): Intent {
  const { trouble } = sight;
  if (trouble === undefined || sight.covered || sight.quiet) return none();
  const { troubledMs = nowMs, sinceMs } = trouble;
  const latestMs = troubledMs + (sinceMs > troubledMs ? policy.patienceMs + OVERDUE_MS : TROUBLED_MS_MAX);
  if (trouble.settling && nowMs < latestMs) return none(Math.min(latestMs, settleMs(trouble, nowMs)));
  const openMs = Math.min(latestMs, trouble.sinceMs + CLASSIFICATIONS[trouble.classification].openHoldMs);
  return nowMs < openMs ? none(openMs) : { kind: 'open', classification: trouble.classification };
}

function judgeOpen(open: OpenIncident, sight: Snapshot, nowMs: MonoMs, policy: TransitionPolicy): Intent {
  if (open.running) return widerPage(open, sight, nowMs, policy);
  if (sight.covered) {
    if (sight.absorber === undefined) return none(nowMs + SETTLING_LOOK_MS);
    // One page that names it is always open: its own, until a person is notified of a whole that it is listed in.
    const isNamed = sight.absorber.notified && sight.absorber.lists;
    if (open.told.length > 0 && !isNamed) return none(nowMs + ASKED_AGAIN_MS);
    return { kind: 'close', ending: 'absorbed', because: 'a shared cause covers the channel' };
  }
  if (sight.handedOver) return { kind: 'close', ending: 'absorbed', because: 'its channels are started one by one' };
  if (sight.trouble === undefined) return closeWhenHeld(open, sight, nowMs, policy);
  if (sight.trouble.settling) {
    return pageDueOf(open, sight, nowMs, policy) ?? none(settleMs(sight.trouble, nowMs));
  }
  if (hasRelapsed(open, sight.trouble.classification, nowMs, policy)) return { kind: 'relapse' };
  if (sight.trouble.classification !== open.incident.classification) {
    return { kind: 'reclassify', to: sight.trouble.classification };
  }
  const due = runOrWait(open, sight, nowMs, policy);
  if (due.kind !== 'none') return due;
  return pageDueOf(open, sight, nowMs, policy) ?? due;
}

/** The page that law L6 asks for while an incident waits, also for a start that is due; undefined: none. */
export function pageDueOf(open: OpenIncident, sight: Snapshot, nowMs: MonoMs, policy: TransitionPolicy) {
  const wider = open.told.length > 0 ? widerPage(open, sight, nowMs, policy) : none();
  return overduePageOf(open, sight, nowMs, policy) ?? (wider.kind === 'tell' ? wider : undefined);
}

/**
 * Law L6: who went down after the page was sent, or the run began, is put on its list, by one page for all who did. A
 * run names those that the incident lists, and nobody else.
 */
function widerPage({ told }: OpenIncident, sight: Snapshot, nowMs: MonoMs, policy: TransitionPolicy): Tell | Wait {
  const { unlisted } = sight;
  if (sight.spokenFor === true || unlisted === undefined) return none();
  const dueMs = unlisted.sinceMs + policy.patienceMs + OVERDUE_MS;
  if (nowMs < dueMs) return none(dueMs);
  const [first = '', ...others] = unlisted.channels;
  const are = others.length === 0 ? 'is' : `and ${others.length} more are`;
  // Where it has a page, that is where people look for the others.
  return { kind: 'tell', because: `${first} ${are} down, too`, ...(told.length === 0 && { sharedBy: 'any' }) };
}

/**
 * Law L6: whatever an incident waits for (a place, a spacing, a containment, a trouble that keeps changing its name),
 * a person hears of it when the wait is longer than patience. Only a rule may announce a longer one. Undefined: paged
 * already, or not due yet.
 */
function overduePageOf(open: OpenIncident, sight: Snapshot, nowMs: MonoMs, policy: TransitionPolicy): Tell | undefined {
  const { told, last, incident } = open;
  if (told.length > 0 || sight.spokenFor === true || sight.trouble === undefined) return undefined;
  // When a shared cause is over, a channel may be its own for one look, until its group takes it up again.
  if (sight.listed === true && nowMs - incident.openedMs < ASKED_AGAIN_MS) return undefined;
  const silentMs = Math.max(sight.trouble.troubledMs ?? incident.openedMs, open.workedMs ?? 0);
  const dueMs = Math.min(silentMs + policy.patienceMs + OVERDUE_MS, incident.openedMs + OVERDUE_MS_MAX);
  if (nowMs < Math.max(dueMs, announcedMs(open))) return undefined;
  return { kind: 'tell', because: last?.because ?? 'the trouble lasts', sharedBy: 'any' };
}

/**
 * The cure of this incident's own channel did not hold. Another trouble says nothing of the cure, and the canary of a
 * staged start is not to blame for those that come after it.
 */
function hasRelapsed(
  { cure, incident }: OpenIncident,
  found: FailureClass,
  nowMs: MonoMs,
  policy: TransitionPolicy,
): boolean {
  if (cure === undefined || nowMs - cure.atMs > policy.relapseMs) return false;
  const { tool, target } = cure.permit.call;
  if (!sameScope(target, incident.scope)) return false;
  return found === incident.classification || specOf(tool).cures.includes(found);
}

function closeWhenHeld(open: OpenIncident, sight: Snapshot, nowMs: MonoMs, policy: TransitionPolicy): Intent {
  if (sight.quiet) return { kind: 'close', ...atRest(sight.stoppedByPerson) };
  if (sight.healthy !== true || sight.healthySinceMs === undefined) return closeWhenClear(open, sight, nowMs);
  // Once a person was notified, the end is notified too: a trouble that comes and goes must not page each time.
  const holdMs = open.told.length > 0 ? Math.max(policy.resolveHoldMs, NOTIFIED_HOLD_MS) : policy.resolveHoldMs;
  const closeMs = sight.healthySinceMs + holdMs;
  if (nowMs < closeMs) return none(closeMs);
  return over(open, `healthy for ${Math.round((nowMs - sight.healthySinceMs) / 1000)} s`);
}

const over = ({ cure }: OpenIncident, because: string): Intent => ({
  kind: 'close',
  ending: cure === undefined ? 'self_healed' : 'resolved',
  because,
});

/** Where nothing can tell of health, the absence of trouble has to do: what stays open hides what comes later. */
function closeWhenClear(open: OpenIncident, { healthy, clearSinceMs }: Snapshot, nowMs: MonoMs): Intent {
  if (healthy === false || clearSinceMs === undefined) return none();
  const closeMs = clearSinceMs + CLEAR_HOLD_MS;
  if (nowMs < closeMs) return none(closeMs);
  return over(open, `no sign of it for ${Math.round((nowMs - clearSinceMs) / 1000)} s; whether it plays is not known`);
}

/** Runs of one incident keep a growing distance: an incident that will not end must not become a loop. */
export function nextRunMs(open: OpenIncident): MonoMs {
  if (open.lastEndedMs === undefined) return 0;
  const spacingMs = open.runs < 3 ? 2_000 : Math.min(5_000 * 2 ** (open.runs - 3), 300_000);
  return open.lastEndedMs + spacingMs;
}

function runOrWait(open: OpenIncident, sight: Snapshot, nowMs: MonoMs, policy: TransitionPolicy): Intent {
  const dueMs = dueOf(open, sight, nowMs, policy);
  // When that page ends and the trouble has not, it is due at once.
  if (dueMs === 'tell' && sight.inCrowd === true) return none(nowMs + CROWD_LOOK_MS);
  if (dueMs === 'tell') {
    const shared = open.last?.kind === 'watching' ? ({ sharedBy: 'mass_outage' } as const) : {};
    return { kind: 'tell', because: open.last?.because ?? 'the trouble lasts', ...shared };
  }
  if (dueMs === 'never') return none();
  const runMs = Math.max(dueMs, Math.min(nextRunMs(open), askedAgainMs(open, sight)));
  return nowMs < runMs ? none(runMs) : { kind: 'run' };
}

/**
 * A start that only waited (for a place, a spacing, the end of a containment, a person's thaw) has tried nothing: no
 * distance grows.
 */
function askedAgainMs({ last, lastEndedMs, planned = [], owesRun, reopened }: OpenIncident, sight: Snapshot): MonoMs {
  const { refusalIsOver, contained, trouble } = sight;
  const isOwed = owesRun === true || reopened === true;
  if (isOwed && !contained && lastEndedMs !== undefined) return lastEndedMs + ASKED_AGAIN_MS;
  // Who went down while others were started waited for that plan: a plan that has helped is no reason to wait longer.
  const isLeftOut = trouble?.down?.some((id) => !planned.includes(id)) === true;
  if (last?.kind === 'resolved' && isLeftOut && lastEndedMs !== undefined) return lastEndedMs + ASKED_AGAIN_MS;
  const denial = last !== undefined && 'denial' in last ? last.denial : undefined;
  const retryMs = last?.kind === 'watching' && denial === undefined ? last.retryAfterMs : undefined;
  if (retryMs !== undefined && lastEndedMs !== undefined) return lastEndedMs + Math.max(retryMs, ASKED_AGAIN_MS);
  const isPassing = denial !== undefined && PAGED_AND_PASSING.has(denial);
  const isFree = denial === 'containment' ? !contained : isPassing && refusalIsOver === true;
  return isFree && lastEndedMs !== undefined ? lastEndedMs + ASKED_AGAIN_MS : Number.POSITIVE_INFINITY;
}

/** When the next run is due; `tell`: a person must hear of it now; `never`: not before something changes. */
function dueOf(
  open: OpenIncident,
  sight: Snapshot,
  nowMs: MonoMs,
  policy: TransitionPolicy,
): MonoMs | 'never' | 'tell' {
  const { last, lastEndedMs } = open;
  const patientMs = (sight.trouble?.sinceMs ?? nowMs) + policy.patienceMs;
  if (last === undefined || lastEndedMs === undefined) return patientMs;
  // A cause may be over in the very millisecond in which the run that waited for it ended.
  const reopened = open.reopened === true || (sight.trouble?.leftMs ?? 0) >= lastEndedMs;
  const isFree = sight.refusalIsOver === true;
  const changed = reopened || open.renamed === true;
  switch (last.kind) {
    case 'resolved':
      return patientMs;
    case 'watching':
      if (isEvidenceLate(open, nowMs)) return 'tell';
      // Its page is due, too: the next wait must not begin without it, or one that lists it.
      if ((changed || isFree) && (sight.inCrowd === true || !isWaitOver(open, nowMs))) return patientMs;
      if (last.escalateAfterMs === undefined) return lastEndedMs + (last.retryAfterMs ?? WATCH_RETRY_MS);
      return untilPaged(open, announcedMs(open), nowMs);
    case 'approval_needed':
      if (sight.approval === 'yes' || changed) return nowMs;
      // Expired is not denied: it is asked again, on fresh evidence.
      if (sight.approval === 'expired') return nowMs;
      return sight.approval === 'none' ? untilPaged(open, nowMs, nowMs) : 'never';
    case 'escalated':
      if (last.reason === 'containment') return sight.contained ? nowMs + CONTAINED_RETRY_MS : nowMs;
      return reopened || isFree || (changed && !isPaged(open)) ? patientMs : 'never';
  }
}

/** It was refused for want of evidence: asking again postpones no page. */
function isEvidenceLate({ incident, last, told }: OpenIncident, nowMs: MonoMs): boolean {
  if (last?.kind !== 'watching' || last.denial === undefined || told.length > 0) return false;
  return last.escalateAfterMs !== undefined && nowMs >= incident.openedMs + last.escalateAfterMs;
}

/** What a rule waited for has not come, and no person was notified: a page about more may have spoken for it. */
function isWaitOver(open: OpenIncident, nowMs: MonoMs): boolean {
  const { last, told } = open;
  if (last?.kind !== 'watching' || last.escalateAfterMs === undefined || last.denial !== undefined) return false;
  return told.length === 0 && nowMs >= announcedMs(open);
}

const isPaged = (open: OpenIncident): boolean => open.told.includes(open.incident.classification);

/** A wait that no person was notified of ends in a page; once paged it goes on until the trouble changes. */
function untilPaged(open: OpenIncident, tellMs: MonoMs, nowMs: MonoMs): MonoMs | 'never' | 'tell' {
  if (isPaged(open)) return 'never';
  return nowMs >= tellMs ? 'tell' : tellMs;
}
