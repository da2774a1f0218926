import type { FailureClass } from './classification.ts';
import type { ToolName } from './tool.ts';

/** One test over a field of the envelope. All of a rule's tests must hold. */
export interface RuleFact {
  /** snake_case name of an envelope field, `symptom`, or `evidence` (any excerpt's text). */
  readonly fact: string;
  readonly test:
    | { readonly kind: 'equals'; readonly value: string | number | boolean }
    | { readonly kind: 'contains'; readonly text: string }
    /** Linear-time pattern (RE2 syntax); named groups become captures. */
    | { readonly kind: 'regex'; readonly pattern: string }
    | { readonly kind: 'at_least'; readonly value: number }
    | { readonly kind: 'below'; readonly value: number };
}

/** What a rule asks for at its n-th step. Steps are taken one per loop step, each on fresh evidence. */
export type RuleStep =
  | { readonly kind: 'call'; readonly tool: ToolName }
  | { readonly kind: 'wait'; readonly escalateAfterMs: number }
  | { readonly kind: 'escalate' }
  | { readonly kind: 'stop' };

/** A deterministic answer to a known problem. */
export interface Rule {
  readonly id: string;
  readonly description: string;
  readonly classification: FailureClass;
  readonly when: readonly RuleFact[];
  readonly then: readonly RuleStep[];
  /** Higher is asked first. */
  readonly priority: number;
  /** Where it was read from, for people: `config/rules/x.rule.yaml:3`. */
  readonly origin: string;
}
