/** Which incidents of groups and engines are open still, and no reason to refuse the start of a channel (law L5). */
import type { ChannelRef, IncidentId } from '../../core/scope.ts';
import { isAround } from '../../ground/correlate/correlate.ts';
import type { IncidentState, OpenIncident } from '../lifecycle/state.ts';
import type { FindingTracker } from './finding_tracker.ts';

type Watch = Pick<FindingTracker, 'causeOf'>;

/**
 * An incident stays open while any channel that it ever touched is down of whatever else, and for half a minute after
 * all of it plays again, so that a trouble that comes and goes pages once. By then nothing shared is suspected: who is
 * down, and was not left down by the cause, has an incident of its own, and need not wait for the end of this one. Nor
 * does it wait for the plan of those whom the cause has left down, which may need a long proof. What a Reeve that died
 * knew of the cause is lost, but not its containment, which question 7 asks about by itself. An engine that did not
 * answer for a while and has left no channel down is no reason either, once it answers; nor is what other groups share
 * that read from elsewhere.
 */
export const nonBlockingIncidents = (
  { open }: IncidentState,
  watch: Watch,
  channel: ChannelRef | undefined,
): ReadonlySet<IncidentId> =>
  new Set(open.filter((one) => isNonBlocking(one, watch, channel)).map(({ incident }) => incident.id));

function isNonBlocking({ incident, running }: OpenIncident, watch: Watch, channel: ChannelRef | undefined): boolean {
  if (running || incident.scope.kind === 'channel' || channel === undefined) return false;
  const cause = watch.causeOf(incident.scope);
  // Question 7 asks whether the cause touches the channel: whom it has left down it touches, and nobody else.
  return cause?.phase === 'active' ? !isAround(cause, channel) : cause?.down.includes(channel.id) !== true;
}
