/** Which incidents of groups and engines are over and only open still (law L5). */
import type { IncidentId } from '../../core/scope.ts';
import { isWell } from '../lifecycle/causes.ts';
import type { IncidentState, OpenIncident } from '../lifecycle/state.ts';
import type { FindingTracker } from './finding_tracker.ts';

type Watch = Pick<FindingTracker, 'causeOf' | 'watched'>;

/**
 * An incident that people were notified of stays open for half a minute after all of it plays again, so that a trouble
 * that comes and goes pages once. By then nothing shared is suspected, and a channel that it never touched need not
 * wait for that.
 */
export const recoveredIncidents = ({ open }: IncidentState, watch: Watch): ReadonlySet<IncidentId> =>
  new Set(open.filter((one) => isRecovered(one, watch)).map(({ incident }) => incident.id));

function isRecovered({ incident, running }: OpenIncident, watch: Watch): boolean {
  if (running || incident.scope.kind === 'channel') return false;
  const cause = watch.causeOf(incident.scope);
  if (cause !== undefined && (cause.phase === 'active' || cause.down.length > 0)) return false;
  const touched = [...incident.channels, ...(cause?.channels ?? [])];
  return touched.length > 0 && touched.every((id) => isWell(watch.watched(id)));
}
