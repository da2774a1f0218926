/** Ranks what came of a trouble below the trouble. */
import type { SymptomKind } from '../core/symptom.ts';
import { type Evidence, isSerious } from './course.ts';

/** What stands below this is no cause: clocks that jump, ends that nothing explains, manners of speaking. */
const CAUSE_SEVERITY_MIN = 50;
const CONSEQUENCE_SEVERITY = 46;
const NO_CAUSE: ReadonlySet<SymptomKind> = new Set(['unknown', 'process_exit_nonzero', 'process_crash']);
/** What was said so often before the cause is named did not come of it. */
const BEFORE_MIN = 3;

/** Where the lines name one cause, it outranks what came of it. Of several different ones none explains all of it. */
export function belowCause(evidence: readonly Evidence[]): readonly Evidence[] {
  if (!evidence.some(({ consequence }) => consequence)) return evidence;
  const causes = evidence.filter(isCause);
  if (new Set(causes.map(({ symptom }) => symptom)).size !== 1) return evidence;
  const firstAt = Math.min(...causes.map(({ at }) => at));
  const before = evidence.filter(({ at, consequence }) => consequence === true && at < firstAt);
  const isOwn = ({ pattern }: Evidence): boolean =>
    before.filter((one) => one.pattern === pattern).length >= BEFORE_MIN;
  return evidence.map((one) =>
    one.consequence && !isOwn(one) ? { ...one, severity: Math.min(one.severity, CONSEQUENCE_SEVERITY) } : one,
  );
}

const isCause = (one: Evidence): boolean =>
  !one.consequence && isSerious(one) && one.severity >= CAUSE_SEVERITY_MIN && !NO_CAUSE.has(one.symptom);
