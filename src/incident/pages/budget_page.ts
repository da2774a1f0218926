// Builds the page about the daily budget of the fleet, and says when it is due and when it is over.
import type { Escalation } from '../../core/incident.ts';
import { waitText } from '../../guard/trace.ts';

export const KEY_OF_BUDGET = 'budget/fleet';

/** What the fleet has used of its restarts of 24 h. */
export interface FleetBudget {
  readonly used: number;
  readonly max: number;
  /** 0 when one more fits; else the milliseconds until one does. Undefined with a budget of 0. */
  readonly freeInMs: number | undefined;
}

/** A tenth, and one at least, must be free again: else a page would come and go with each single restart. */
const FREE_SHARE = 0.1;

/** A budget of 0 is a person's wish, and no restart is missing: what is down is paged by itself. */
export const isUsedUp = ({ used, max }: FleetBudget): boolean => max > 0 && used >= max;
export const hasRoomAgain = ({ used, max }: FleetBudget): boolean =>
  max === 0 || used <= max - Math.max(1, max * FREE_SHARE);
/** Why its page ends. */
export const becauseOf = ({ max }: FleetBudget): string =>
  max === 0 ? 'a budget of 0 was set: no restarts are wanted' : 'the budget has room again';

/** One page for the fleet: no channel is restarted until the oldest restarts are a day old. */
export function budgetPage({ used, max, freeInMs }: FleetBudget): Omit<Escalation, 'id' | 'at'> {
  const wait = freeInMs !== undefined && freeInMs > 0 ? `the next is free in ${waitText(freeInMs)}` : 'none is free';
  return {
    key: KEY_OF_BUDGET,
    severity: 'critical',
    reason: 'containment',
    scope: { kind: 'fleet' },
    incident: undefined,
    classification: undefined,
    summary: `Reeve has used ${used} of the fleet's ${max} restarts of 24 h and restarts nothing more; ${wait}`,
    details:
      'So many restarts of single channels in one day are no accidents any more: something that Reeve cannot mend ' +
      'keeps breaking channels. What Reeve restarted: reeve incidents; why a channel waits: reeve why CHANNEL. ' +
      'Restart by hand what must play. If so many are normal for this fleet, raise limits.fleet_daily_restart_cap ' +
      'and reload.',
  };
}
