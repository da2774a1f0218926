import type { FailureClass } from '../core/classification.ts';
import type { MonoMs } from '../core/clock.ts';
import type { IncidentEnding } from '../core/incident.ts';
import type { OpenIncident } from './state.ts';

/** What is seen of one channel (or of one shared cause) at one moment. */
export interface Sight {
  readonly trouble:
    | {
        readonly classification: FailureClass;
        /** The engine may still deal with it itself, until `settledMs`. */
        readonly settling: boolean;
        readonly settledMs: MonoMs;
        /** Since when this classification has held. */
        readonly sinceMs: MonoMs;
      }
    | undefined;
  readonly healthy: boolean | undefined;
  readonly healthySinceMs: MonoMs | undefined;
  /** No output is expected now (stopped on purpose, nobody watches). */
  readonly quiet: boolean;
  /** A shared cause covers the channel: its group's incident speaks for it. */
  readonly covered: boolean;
  /** High-risk tools are contained for this scope. */
  readonly contained: boolean;
  /** A person's answer to this incident's question. */
  readonly approval: 'none' | 'pending' | 'yes';
}

export interface DeskPolicy {
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
  | { readonly kind: 'tell'; readonly because: string }
  | { readonly kind: 'close'; readonly ending: IncidentEnding; readonly because: string };

const CONTAINED_RETRY_MS = 5_000;
const WATCH_RETRY_MS = 30_000;
const TOLD_HOLD_MS = 30_000;
const SETTLING_LOOK_MS = 250;

/** Upstream troubles often come to several channels within seconds: wait that long for the others. */
const OPEN_HOLD_MS: Partial<Record<FailureClass, number>> = {
  upstream_auth_expired: 3_000,
  upstream_url_expired: 3_000,
  upstream_not_found: 3_000,
  upstream_rate_limited: 3_000,
  upstream_unavailable: 3_000,
  telemetry_untrusted: 5_000,
  control_plane_down: 5_000,
  host_exhausted: 1_000,
  unknown: 5_000,
};

/** Pure: from what is open and what is seen to the one next thing to do. Asked again after each. */
export function judge(open: OpenIncident | undefined, sight: Sight, nowMs: MonoMs, policy: DeskPolicy): Intent {
  return open === undefined ? judgeClosed(sight, nowMs) : judgeOpen(open, sight, nowMs, policy);
}

/** Looked at again the moment it has settled; what settles at no known time is looked at now and then. */
const settleMs = ({ settledMs }: NonNullable<Sight['trouble']>, nowMs: MonoMs): MonoMs =>
  settledMs > nowMs ? Math.min(settledMs, nowMs + SETTLING_LOOK_MS) : nowMs + SETTLING_LOOK_MS;

const none = (againMs?: MonoMs): Intent => ({ kind: 'none', againMs });

function judgeClosed(sight: Sight, nowMs: MonoMs): Intent {
  const { trouble } = sight;
  if (trouble === undefined || sight.covered || sight.quiet) return none();
  if (trouble.settling) return none(settleMs(trouble, nowMs));
  const openMs = trouble.sinceMs + (OPEN_HOLD_MS[trouble.classification] ?? 0);
  return nowMs < openMs ? none(openMs) : { kind: 'open', classification: trouble.classification };
}

function judgeOpen(open: OpenIncident, sight: Sight, nowMs: MonoMs, policy: DeskPolicy): Intent {
  if (open.running) return none();
  if (sight.covered) return { kind: 'close', ending: 'absorbed', because: 'a shared cause covers the channel' };
  if (sight.trouble === undefined) return closeWhenHeld(open, sight, nowMs, policy);
  if (sight.trouble.settling) return none(settleMs(sight.trouble, nowMs));
  if (open.cure !== undefined && nowMs - open.cure.atMs <= policy.relapseMs) return { kind: 'relapse' };
  if (sight.trouble.classification !== open.incident.classification) {
    return { kind: 'reclassify', to: sight.trouble.classification };
  }
  return runOrWait(open, sight, nowMs, policy);
}

function closeWhenHeld(open: OpenIncident, sight: Sight, nowMs: MonoMs, policy: DeskPolicy): Intent {
  if (sight.quiet) return { kind: 'close', ending: 'by_person', because: 'no output is expected any more' };
  if (sight.healthy !== true || sight.healthySinceMs === undefined) return none();
  // Once a person was told, the end is told too: a trouble that comes and goes must not page each time.
  const holdMs = open.told.length > 0 ? Math.max(policy.resolveHoldMs, TOLD_HOLD_MS) : policy.resolveHoldMs;
  const closeMs = sight.healthySinceMs + holdMs;
  if (nowMs < closeMs) return none(closeMs);
  const ending = open.cure === undefined ? 'self_healed' : 'resolved';
  return { kind: 'close', ending, because: `healthy for ${Math.round((nowMs - sight.healthySinceMs) / 1000)} s` };
}

/** Runs of one incident keep a growing distance: an incident that will not end must not become a loop. */
export function nextRunMs(open: OpenIncident): MonoMs {
  if (open.lastEndedMs === undefined) return 0;
  const spacingMs = open.runs < 3 ? 2_000 : Math.min(5_000 * 2 ** (open.runs - 3), 300_000);
  return open.lastEndedMs + spacingMs;
}

function runOrWait(open: OpenIncident, sight: Sight, nowMs: MonoMs, policy: DeskPolicy): Intent {
  const dueMs = dueOf(open, sight, nowMs, policy);
  if (dueMs === 'tell') return { kind: 'tell', because: open.last?.because ?? 'the trouble lasts' };
  if (dueMs === 'never') return none();
  const runMs = Math.max(dueMs, nextRunMs(open));
  return nowMs < runMs ? none(runMs) : { kind: 'run' };
}

/** When the next run is due; `tell`: a person must hear of it now; `never`: not before something changes. */
function dueOf(open: OpenIncident, sight: Sight, nowMs: MonoMs, policy: DeskPolicy): MonoMs | 'never' | 'tell' {
  const { last, lastEndedMs } = open;
  const patientMs = (sight.trouble?.sinceMs ?? nowMs) + policy.patienceMs;
  if (last === undefined || lastEndedMs === undefined) return patientMs;
  const changed = open.classifiedMs > lastEndedMs;
  switch (last.kind) {
    case 'resolved':
      return patientMs;
    case 'watching':
      if (changed) return patientMs;
      if (last.escalateAfterMs === undefined) return lastEndedMs + (last.retryAfterMs ?? WATCH_RETRY_MS);
      return untilTold(open, lastEndedMs + last.escalateAfterMs, nowMs);
    case 'approval_needed':
      if (sight.approval === 'yes' || changed) return nowMs;
      return sight.approval === 'pending' ? 'never' : untilTold(open, nowMs, nowMs);
    case 'escalated':
      if (last.reason === 'containment') return sight.contained ? nowMs + CONTAINED_RETRY_MS : nowMs;
      return changed && !isTold(open) ? patientMs : 'never';
  }
}

const isTold = (open: OpenIncident): boolean => open.told.includes(open.incident.classification);

/** A wait that nobody was told of ends in telling; once told it goes on until the trouble changes. */
function untilTold(open: OpenIncident, tellMs: MonoMs, nowMs: MonoMs): MonoMs | 'never' | 'tell' {
  if (isTold(open)) return 'never';
  return nowMs >= tellMs ? 'tell' : tellMs;
}
