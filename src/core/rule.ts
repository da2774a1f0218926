/** Types of rules. */
import type { FailureClass } from './classification.ts';
import type { ToolName } from './tool.ts';

/** One test over a field of the envelope. All of a rule's tests must hold. */
export interface RuleFact {
  /** snake_case name of an envelope field, `symptom`, `evidence` (any excerpt's text), or `derived.NAME`. */
  readonly fact: string;
  /** Texts that such a fact had when the rule was right: only what the rule is found by, never a test. */
  readonly examples?: readonly string[];
  readonly test:
    | { readonly kind: 'equals'; readonly value: string | number | boolean }
    | { readonly kind: 'contains'; readonly text: string }
    /** Linear-time pattern (RE2 syntax); named groups become captures. */
    | { readonly kind: 'regex'; readonly pattern: string }
    | { readonly kind: 'at_least'; readonly value: number }
    | { readonly kind: 'below'; readonly value: number };
}

/**
 * What a rule asks for at its n-th step. Steps are taken one per loop step, each on fresh evidence.
 * `plan`: the planner is asked here; without one the rule goes on with its next step.
 */
export type RuleStep =
  | { readonly kind: 'call'; readonly tool: ToolName }
  | { readonly kind: 'plan' }
  | { readonly kind: 'wait'; readonly escalateAfterMs: number }
  | { readonly kind: 'escalate' }
  | { readonly kind: 'stop' };

/** Begins the name of a fact that another rule sets. */
export const DERIVED = 'derived.';

/** What a rule asserts for other rules of the same moment: it is gone with the envelope. */
export interface DerivedFact {
  readonly name: string;
  readonly value: string | number | boolean;
}

/** How a model is asked where a rule leaves the choice to it. What it answers is never kept as a rule. */
export interface RuleModelUse {
  /** Given to the model before the situation; at most 16,384 characters. */
  readonly prompt: string;
  /** The tools that it may choose among: never more than the guard allows. Empty: every one that is allowed. */
  readonly tools: readonly string[];
  readonly toolCallsMax: number;
  readonly tokensMax: number;
  /** Ask the second, more capable model. */
  readonly useSecondary: boolean;
}

/** A deterministic answer to a known problem; with `llmConfig` a model chooses, and nothing of it is kept. */
export interface Rule {
  readonly id: string;
  /** A second name that people may use. */
  readonly name?: string;
  readonly description: string;
  readonly classification: FailureClass;
  readonly when: readonly RuleFact[];
  readonly then: readonly RuleStep[];
  /** Higher is asked first. */
  readonly priority: number;
  readonly tags?: readonly string[];
  /** Rules of one collection are looked for among themselves. Default `default`. */
  readonly collection?: string;
  /** Texts of situations in which it was right; with the description what similarity compares. */
  readonly examples?: readonly string[];
  /** When it did not cure, the closed incident may be explored with a model. */
  readonly explorable?: boolean;
  readonly llmConfig?: RuleModelUse;
  /** Asserted for the other rules while this one's tests hold. */
  readonly sets?: readonly DerivedFact[];
  /** Taken back for the other rules while this one's tests hold. */
  readonly retracts?: readonly string[];
  /** Where it was read from, for people: `config/rules/x.rule.yaml:3`. */
  readonly origin: string;
}

/** A named sequence of calls that rules may use in the place of a step. Expanded when the rules are read. */
export interface Composite {
  readonly name: string;
  readonly description: string;
  /** One to three. */
  readonly calls: readonly ToolName[];
  readonly origin: string;
}

/** How far a rule may go. Only what is in `staging` or `production` acts; a person promotes, a record demotes. */
export const RULE_STATES = ['proposed', 'shadow', 'staging', 'production', 'demoted', 'retired'] as const;
export type RuleState = (typeof RULE_STATES)[number];

/** `default` where the rule does not say. */
export const collectionOf = ({ collection }: Pick<Rule, 'collection'>): string => collection ?? 'default';
