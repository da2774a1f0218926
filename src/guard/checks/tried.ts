// Finds when a tool was last used against a fingerprint without a cure.
import type { MonoMs } from '../../core/clock.ts';
import type { ToolName } from '../../core/tool.ts';
import { overdueOf, type SubjectState } from '../state/state.ts';

/**
 * Question 9: when this tool was last used against this fingerprint without a cure, within the memory; undefined when
 * it was not. What began and has no verdict yet counts: it is not a cure until it is one.
 */
export function triedMs(
  subject: SubjectState,
  asked: { readonly tool: ToolName; readonly fingerprint: string },
  at: { readonly memoryMs: number; readonly nowMs: MonoMs },
): MonoMs | undefined {
  const isIt = (tool: ToolName, fingerprint: string | undefined): boolean =>
    tool === asked.tool && fingerprint === asked.fingerprint;
  const failed = subject.tried.filter((one) => isIt(one.tool, one.fingerprint)).map((one) => one.atMs);
  const overdue = overdueOf(subject, at.nowMs);
  const undecided = subject.open
    .filter((one) => one.startedMs !== undefined && isIt(one.terms.call.tool, one.terms.fingerprint))
    .map((one) => (overdue.includes(one) ? one.dueMs : at.nowMs));
  const recent = [...failed, ...undecided].filter((atMs) => atMs > at.nowMs - at.memoryMs);
  return recent.length === 0 ? undefined : Math.max(...recent);
}
