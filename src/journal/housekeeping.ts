/** Periodic work on the journal: retention, and a walk along its hash chain. */
import { messageOf } from '../core/errors.ts';
import type { Ledger } from './ledger.ts';

/** Retention steps of one round: each checks and deletes at most the 5,000 entries of one snapshot, in some 50 ms. */
const RETENTION_STEPS_MAX = 4;
/** Entries of the hash chain that one round checks. */
const PATROL_ENTRIES = 2_000;

/** One round a minute: retention in small steps, and a walk along the hash chain. */
export function runHousekeeping(ledger: Ledger, keepMs: number, fail: (text: string) => void): void {
  try {
    for (let step = 0; step < RETENTION_STEPS_MAX && ledger.compact(keepMs).more; step += 1);
    const isWhole = ledger.patrol(PATROL_ENTRIES) && ledger.broken?.kind !== 'chain';
    // In the terms of a start that finds it: one trouble, one page.
    if (!isWhole) fail(`journal: it is broken: ${ledger.broken?.because ?? 'unknown'} (reeve audit verify)`);
  } catch (thrown) {
    fail(`housekeeping: ${messageOf(thrown)}`);
  }
}
