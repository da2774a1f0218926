/** Gives rules the operator's own time for an upstream that is away. */
import type { Rule, RuleStep } from '../core/rule.ts';

/**
 * The rules; those for `upstream_unavailable` wait `afterMs` before a person is notified: `escalation.upstream_after`.
 * Undefined: each rule waits as long as it says itself.
 */
export function withUpstreamWait(rules: readonly Rule[], afterMs: number | undefined): readonly Rule[] {
  if (afterMs === undefined) return rules;
  const waited = (step: RuleStep): RuleStep => (step.kind === 'wait' ? { ...step, escalateAfterMs: afterMs } : step);
  return rules.map((rule) =>
    // biome-ignore lint/suspicious/noThenProperty: the word that rule files use
    rule.classification === 'upstream_unavailable' ? { ...rule, then: rule.then.map(waited) } : rule,
  );
}
