/** When a shared cause is over, and for whom. */
import type { MonoMs } from '../../core/clock.ts';
import type { Incident } from '../../core/incident.ts';
import { type ChannelId, keyOfScope } from '../../core/scope.ts';
import type { SharedCause } from '../../ground/correlate/correlate.ts';
import { type IncidentState, openOn } from './state.ts';
import type { TrackedChannel } from '../pipeline/tracked_channel.ts';

/** What the cause left down was given to incidents of its own, all of it. */
export const isHandedOver = (cause: SharedCause | undefined, isGiven: (channel: ChannelId) => boolean): boolean =>
  cause?.phase === 'over' && cause.down.length === 0 && cause.channels.some(isGiven);

export const isWell = (one: TrackedChannel | undefined): boolean =>
  one !== undefined && !one.finding.trouble && (one.finding.healthy === true || one.finding.quiet);

/**
 * A process of Reeve began in the group's incident and sees nothing shared any more: who of it is still down has an
 * incident of its own by now, and would be refused for the sake of the group's (law L5).
 */
export function isEachItsOwn(about: readonly (TrackedChannel | undefined)[], incidents: IncidentState): boolean {
  const down = about.flatMap((one) => (one === undefined || isWell(one) ? [] : one.ref.id));
  return down.length > 0 && down.every((id) => openOn(incidents, { kind: 'channel', id }) !== undefined);
}

export const wellSinceMs = (one: TrackedChannel | undefined): MonoMs => one?.healthySinceMs ?? one?.clearSinceMs ?? 0;

/** When it was over, and since when those in it have been down: it was called a trouble of all only later (law L6). */
export function timesOf(
  cause: SharedCause,
  watch: { readonly watched: (id: ChannelId) => TrackedChannel | undefined },
) {
  const downMs = cause.channels.flatMap((id) => {
    const one = watch.watched(id);
    return one?.finding.trouble === true ? [one.troubledMs] : [];
  });
  return { leftMs: cause.overMs, down: cause.down, troubledMs: Math.min(cause.sinceMs, ...downMs) };
}

/** A cause that was forgotten while its incident is still open: over, with nothing left down. */
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
  down: [],
});
