/** The record of configuration changes. */
import { messageOf } from '../core/errors.ts';
import type { Append } from '../core/journal.ts';
import type { Log } from '../core/log.ts';
import type { Change } from './reload.ts';

/** Records the result of an edit, and logs it for the operator. */
export function noteChange(
  change: Change,
  { append, log, fail }: { readonly append: Append; readonly log: Log; readonly fail: (text: string) => void },
): void {
  try {
    if (change.ok) {
      const named = (names: readonly string[]) => names.join(', ') || 'nothing';
      const because = `applied: ${named(change.applied)}; at the next start: ${named(change.needsRestart)}`;
      const { applied, configuration } = change;
      append([{ fact: { type: 'config.loaded', configSha: configuration.sha256, because, applied } }]);
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
