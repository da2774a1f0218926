// Builds the incident that a preview supposes for a channel that has none.
import type { Clock } from '../../core/clock.ts';
import type { Incident } from '../../core/incident.ts';
import type { ChannelRef } from '../../core/scope.ts';

/** What a channel without an incident is asked about in a preview: as if one were opened now. */
export const supposedIncident = ({ id, group, engine }: ChannelRef, clock: Clock): Incident => ({
  id: 'inc-none',
  scope: { kind: 'channel', id },
  group,
  engine,
  openedAt: clock.now(),
  openedMs: clock.monotonicMs(),
  classification: 'unknown',
  channels: [],
});
