// Frees the place of a permit whose call never began.
import { keyOfScope } from '../../core/scope.ts';
import type { PermitTerms } from '../../core/tool.ts';
import type { Edit } from './edit.ts';
import { groupOf, isStart, recordFor, targetFor } from './lifecycle.ts';

/**
 * A permit whose call never began, of a process that is gone: it can no longer be redeemed (law S6), so it gives back
 * its place in the window, the group, the caps and the cooldowns.
 */
export function giveBack(edit: Edit, terms: PermitTerms): void {
  const { id, call, incident } = terms;
  const key = keyOfScope(call.target);
  const target = targetFor(edit, terms);
  const record = recordFor(edit, terms);
  const use = record.uses[call.tool];
  if (use?.permit === id) {
    delete record.uses[call.tool];
    if (use.before !== undefined) record.uses[call.tool] = use.before;
  }
  if (target.highRisk?.permit === id) {
    const { before } = target.highRisk;
    delete target.highRisk;
    if (before !== undefined) target.highRisk = before;
  }
  const marks = edit.marks(groupOf(edit, terms));
  marks.splice(0, marks.length, ...marks.filter(({ permit }) => permit !== id));
  if (!isStart(terms)) return;
  const starts = edit.starts();
  starts.splice(0, starts.length, ...starts.filter(({ permit }) => permit !== id));
  target.restarts = target.restarts.filter(({ permit }) => permit !== id);
  const open = edit.incident(incident);
  if (open?.restarts[key] !== undefined) open.restarts[key] = Math.max(0, open.restarts[key] - 1);
}
