// Builds the page about a phase that is held because the journal was empty, set back or damaged.
import type { HeldPhase } from '../../control/state.ts';
import type { Escalation } from '../../core/incident.ts';

const KEYS: Readonly<Record<HeldPhase['cause'], string>> = {
  empty: 'phase/held',
  set_back: 'phase/set_back',
  damaged: 'phase/damaged',
};
/** Several troubles: a page about the one a moment ago must not hold back the other as a repetition. */
export const KEYS_OF_HELD_PHASE: readonly string[] = Object.values(KEYS);

/** One page for the fleet, until a person sets the phase. */
export const heldPhasePage = ({ held, configured, cause, because }: HeldPhase): Omit<Escalation, 'id' | 'at'> => ({
  key: KEYS[cause],
  severity: cause === 'damaged' ? 'critical' : 'warning',
  reason: cause === 'damaged' ? 'journal_broken' : 'containment',
  scope: { kind: 'fleet' },
  incident: undefined,
  classification: undefined,
  summary: `Reeve stays at phase ${held} and repairs nothing, although phase ${configured} is set: ${because}`,
  details: cause === 'damaged' ? detailsOfDamage(configured, because) : detailsOfLoss(configured),
});

const detailsOfLoss = (configured: number): string =>
  'Either this is a first installation, or the state directory was lost or restored from a backup, and with it ' +
  'leases, maintenance windows, breakers and counts of restarts are gone; pages that it does not know any more have ' +
  'to be closed where you read them. Bring the newest one back, then start Reeve again. First installation, or ' +
  `nothing to bring back: end by hand what should not be repaired, then reeve phase ${configured} --because "...".`;

/** Pages that the old journal had open are no longer Reeve's to end. */
const detailsOfDamage = (configured: number, because: string): string =>
  `${because}. Reeve has begun a new journal: leases, maintenance windows, breakers and counts of restarts are not ` +
  'in it, and pages of before have to be closed where you read them. Look at the disk of the state directory (dmesg, ' +
  'smartctl). To bring a whole copy back: stop Reeve, put the newest one in the place of journal.db ' +
  '(without -wal and -shm), start Reeve. To go on without: end by hand what should not be repaired, then ' +
  `reeve phase ${configured} --because "...".`;
