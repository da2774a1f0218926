/** Periodic work on the journal: retention, and a walk along its hash chain. */
import { messageOf } from '../core/errors.ts';
import type { Ledger } from './ledger.ts';

/** Retention steps of one round: each deletes at most the entries of one snapshot. */
const RETENTION_STEPS_MAX = 8;
/** Entries of the hash chain that one round checks. */
const PATROL_ENTRIES = 2_000;

/** One round a minute: retention in small steps, and a walk along the hash chain. */
export function runHousekeeping(ledger: Ledger, keepMs: number, fail: (text: string) => void): void {
  try {
    for (let step = 0; step < RETENTION_STEPS_MAX && ledger.compact(keepMs).more; step += 1);
    if (!ledger.patrol(PATROL_ENTRIES)) fail(`journal: its chain is broken: ${ledger.broken?.because ?? 'unknown'}`);
  } catch (thrown) {
    fail(`housekeeping: ${messageOf(thrown)}`);
  }
}
