/** Tells where the subjects of open incidents belong now: a restart of Reeve may have brought another configuration. */
import type { Incident } from '../../core/incident.ts';
import type { Read } from '../../core/journal.ts';
import type { IncidentState, OpenIncident } from '../lifecycle/state.ts';
import type { ChannelIndex } from './channel_index.ts';

type Index = Pick<ChannelIndex, 'channelOf' | 'channelsIn'>;

/**
 * The open incidents with the group and engine that are configured for them, not those of when they were opened: what
 * an engine that is gone could do, and a persona or a lease of another group, says nothing of the channel any more.
 */
export function placedNow(incidents: Read<IncidentState>, index: Index): Read<IncidentState> {
  const known = new WeakMap<IncidentState, IncidentState>();
  // Most are the same objects after a fact about one of them.
  const each = new WeakMap<OpenIncident, OpenIncident>();
  const placedOnce = (held: OpenIncident): OpenIncident => {
    const before = each.get(held);
    if (before !== undefined) return before;
    const now = placed(held, index);
    each.set(held, now);
    return now;
  };
  return () => {
    const state = incidents();
    const found = known.get(state);
    if (found !== undefined) return found;
    const open = state.open.map(placedOnce);
    const now = open.every((held, at) => held === state.open[at]) ? state : { ...state, open };
    known.set(state, now);
    return now;
  };
}

function placed(held: OpenIncident, index: Index): OpenIncident {
  const { incident } = held;
  const { group, engine } = placeOf(incident, index);
  if (group === incident.group && engine === incident.engine) return held;
  return { ...held, incident: { ...incident, group, engine } };
}

/** Of a group or an engine the recorded place is one of several: it stays where it is one of them still. */
function placeOf(incident: Incident, { channelOf, channelsIn }: Index): Pick<Incident, 'group' | 'engine'> {
  const { scope, group, engine } = incident;
  const places = channelsIn(scope).flatMap((id) => channelOf(id) ?? []);
  const [first] = places;
  if (first === undefined) return incident;
  return {
    group: scope.kind === 'group' || places.some((one) => one.group === group) ? group : first.group,
    engine: scope.kind === 'engine' || places.some((one) => one.engine === engine) ? engine : first.engine,
  };
}
