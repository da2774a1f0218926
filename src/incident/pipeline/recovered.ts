/** Which incidents of groups and engines are open still, and no reason to refuse the start of a channel (law L5). */
import type { ChannelId, IncidentId } from '../../core/scope.ts';
import { isWell } from '../lifecycle/causes.ts';
import type { IncidentState, OpenIncident } from '../lifecycle/state.ts';
import type { FindingTracker } from './finding_tracker.ts';

type Watch = Pick<FindingTracker, 'causeOf' | 'watched'>;

/**
 * An incident that people were notified of stays open for half a minute after all of it plays again, so that a trouble
 * that comes and goes pages once. By then nothing shared is suspected, and a channel that it never touched need not
 * wait for that. Nor does it wait for the plan of those whom the cause has left down, which may need a long proof.
 */
export const recoveredIncidents = (
  { open }: IncidentState,
  watch: Watch,
  channel?: ChannelId,
): ReadonlySet<IncidentId> =>
  new Set(open.filter((one) => isRecovered(one, watch, channel)).map(({ incident }) => incident.id));

function isRecovered({ incident, running }: OpenIncident, watch: Watch, channel: ChannelId | undefined): boolean {
  if (running || incident.scope.kind === 'channel') return false;
  const cause = watch.causeOf(incident.scope);
  if (cause?.phase === 'active') return false;
  // What it left down waits for its plan; who is not among them is not touched by it (question 7).
  if (cause !== undefined && cause.down.length > 0) return channel !== undefined && !cause.down.includes(channel);
  const touched = [...incident.channels, ...(cause?.channels ?? [])];
  return touched.length > 0 && touched.every((id) => isWell(watch.watched(id)));
}
