// Builds the page about a phase that is held because the journal was empty.
import type { Escalation } from '../../core/incident.ts';
import type { Phase } from '../../core/control.ts';

export const KEY_OF_HELD_PHASE = 'phase/held';

/** One page for the fleet, until a person sets the phase. */
export const heldPhasePage = (held: Phase, configured: Phase): Omit<Escalation, 'id' | 'at'> => ({
  key: KEY_OF_HELD_PHASE,
  severity: 'warning',
  reason: 'containment',
  scope: { kind: 'fleet' },
  incident: undefined,
  classification: undefined,
  summary: `The journal was empty: Reeve stays at phase ${held} and repairs nothing; phase ${configured} is configured`,
  details:
    'Either this is a first installation, or the state directory was lost, and with it every lease, maintenance ' +
    'window, breaker and count of restarts. Lost: bring it back, then start Reeve again. First installation, or ' +
    `nothing to bring back: reeve phase ${configured} --because "first installation".`,
});
