/** Whether what the last run of an incident was refused for holds no longer (law L5). */
import type { Outcome } from '../../core/incident.ts';
import { type DenialCode, EVIDENCE_DENIALS, PAGED_AND_PASSING } from '../../core/plan.ts';

/** What the guard would say to a start that may be made, at once or after a person's yes. */
const MAY_START: ReadonlySet<DenialCode | undefined> = new Set([undefined, 'approval_needed']);

/** `refusedFor` asks the guard what it would refuse a start for now; undefined: for nothing. */
export function isRefusalOver(last: Outcome | undefined, refusedFor: () => DenialCode | undefined): boolean {
  const denial = last !== undefined && 'denial' in last ? last.denial : undefined;
  if (denial === undefined) return false;
  // On the first symptom of a trouble: the second kind of evidence often comes a moment later.
  if (EVIDENCE_DENIALS.has(denial)) return MAY_START.has(refusedFor());
  return PAGED_AND_PASSING.has(denial) && refusedFor() !== denial;
}
