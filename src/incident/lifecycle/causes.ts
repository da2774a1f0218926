import type { MonoMs } from '../../core/clock.ts';
import type { Incident } from '../../core/incident.ts';
import { keyOfScope } from '../../core/scope.ts';
import type { SharedCause } from '../../ground/correlate/correlate.ts';
import { containmentsOf, type GuardState } from '../../guard/state/state.ts';
import type { TrackedChannel } from '../pipeline/finding_tracker.ts';

/**
 * So many groups died at once that what is dark is started channel by channel. Not before the group may be touched
 * again: until then its own incident speaks for all of them.
 */
export function isHandedOver(cause: SharedCause | undefined, guard: GuardState): boolean {
  if (cause?.each !== true || cause.phase !== 'over') return false;
  return !containmentsOf(guard, [cause.scope]).some(({ reason }) => reason === 'shared_cause');
}

export const isWell = (one: TrackedChannel | undefined): boolean =>
  one !== undefined && !one.finding.trouble && (one.finding.healthy === true || one.finding.quiet);

export const wellSinceMs = (one: TrackedChannel | undefined): MonoMs => one?.healthySinceMs ?? one?.clearSinceMs ?? 0;

/** A cause that was forgotten while its incident is still open: over, with nothing left dark. */
export const goneCause = (incident: Incident, nowMs: MonoMs): SharedCause => ({
  key: keyOfScope(incident.scope),
  scope: incident.scope,
  family: 'unknown',
  classification: incident.classification,
  channels: incident.channels,
  because: 'the shared cause is gone',
  sinceMs: incident.openedMs,
  lastMs: nowMs,
  phase: 'over',
  dark: [],
});
