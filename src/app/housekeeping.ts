/** Periodic work on the journal, and the record of configuration changes. */
import type { HostEnvironment } from './host_environment.ts';
import type { Change } from '../config/reload.ts';
import { messageOf } from '../core/errors.ts';
import type { Ledger } from '../journal/ledger.ts';

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

/** Writes down what came of an edit, and tells the operator's log. */
export function noteChange(
  change: Change,
  {
    append,
    log,
    fail,
  }: Pick<Ledger, 'append'> & Pick<HostEnvironment, 'log'> & { readonly fail: (text: string) => void },
): void {
  try {
    if (change.ok) {
      const named = (names: readonly string[]) => names.join(', ') || 'nothing';
      const because = `applied: ${named(change.applied)}; at the next start: ${named(change.needsRestart)}`;
      append([{ fact: { type: 'config.loaded', configSha: change.configuration.sha256, because } }]);
      return log.info({}, `configuration read again; ${because}`);
    }
    const [first] = change.problems;
    const where = first === undefined ? '' : `${first.file}:${first.line}:${first.column}: ${first.message}`;
    append([{ fact: { type: 'config.rejected', problems: change.problems.length, first: where.slice(0, 400) } }]);
    log.error({ problems: change.problems.length }, `edit refused, the last good set stays: ${where} (reeve check)`);
  } catch (thrown) {
    fail(`reload: it could not be written down: ${messageOf(thrown)}`);
  }
}
