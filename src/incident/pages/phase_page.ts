// Builds the page about a phase that is held because the journal was empty or set back.
import type { HeldPhase } from '../../control/state.ts';
import type { Escalation } from '../../core/incident.ts';

export const KEY_OF_HELD_PHASE = 'phase/held';

/** One page for the fleet, until a person sets the phase. */
export const heldPhasePage = ({ held, configured, because }: HeldPhase): Omit<Escalation, 'id' | 'at'> => ({
  key: KEY_OF_HELD_PHASE,
  severity: 'warning',
  reason: 'containment',
  scope: { kind: 'fleet' },
  incident: undefined,
  classification: undefined,
  summary: `Reeve stays at phase ${held} and repairs nothing, although phase ${configured} is set: ${because}`,
  details:
    'Either this is a first installation, or the state directory was lost or restored from a backup, and with it ' +
    'leases, maintenance windows, breakers and counts of restarts are gone. Bring the newest one back, then start ' +
    'Reeve again. First installation, or nothing to bring back: end by hand what should not be repaired, then ' +
    `reeve phase ${configured} --because "...".`,
});
