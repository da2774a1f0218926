/** Types of plans, guard decisions and denial codes. */
import { MODEL_FAILURES } from './model.ts';
import type { Scope } from './scope.ts';
import type { Permit, PermitTerms, ToolCall } from './tool.ts';

/** Who chose this. All answer to the same guard. */
export type Decider =
  | { readonly kind: 'rule'; readonly rule: string }
  | { readonly kind: 'model'; readonly model: string }
  | { readonly kind: 'operator'; readonly who: string }
  | { readonly kind: 'policy'; readonly because: string };

/** `rule restart_crashed`, `model qwen3`, `operator ann`: for people. */
export function describeDecider(by: Decider): string {
  switch (by.kind) {
    case 'rule':
      return `rule ${by.rule}`;
    case 'model':
      return `model ${by.model}`;
    case 'operator':
      return `operator ${by.who}`;
    case 'policy':
      return `policy (${by.because})`;
  }
}

/**
 * The next single thing to do. A plan never holds two actions: the second needs fresh evidence.
 * `wait`: the right thing is to do nothing for now, and to notify a person if it lasts `escalateAfterMs`.
 */
export type Plan =
  | { readonly kind: 'act'; readonly call: ToolCall; readonly because: string; readonly by: Decider }
  | { readonly kind: 'wait'; readonly escalateAfterMs: number; readonly because: string; readonly by: Decider }
  | { readonly kind: 'stop'; readonly because: string; readonly by: Decider }
  | { readonly kind: 'escalate'; readonly because: string; readonly by: Decider };

/** Why an answer of a planner was not used; the closed set is a metric label. */
const PLAN_REJECTIONS = [
  ...MODEL_FAILURES,
  'too_long',
  'not_json',
  'wrong_shape',
  'unknown_choice',
  'forged_evidence',
  'no_evidence',
  'stale',
] as const;
export type PlanRejection = (typeof PLAN_REJECTIONS)[number];

export const DENIAL_CODES = [
  'tool_unknown',
  'params_invalid',
  'target_mismatch',
  'frozen',
  'hands_off',
  'maintenance',
  'phase',
  'no_capability',
  'mode_forbids',
  'persona_denies',
  'containment',
  'shared_cause',
  'evidence_missing',
  'evidence_stale',
  'wrong_remedy',
  'uncorroborated',
  'already_tried',
  'restart_cap',
  'daily_cap',
  'fleet_daily_cap',
  'breaker_open',
  'breaker_probe_taken',
  'risk_budget',
  'high_risk_spacing',
  'cooldown',
  'restart_storm',
  'viewer_budget',
  'approval_needed',
  'journal_unwritable',
] as const;
export type DenialCode = (typeof DENIAL_CODES)[number];

/** A refusal that passes by itself: the run ends as `watching` and the next fresh symptom tries again. */
export const PASSING_DENIALS: ReadonlySet<DenialCode> = new Set([
  'cooldown',
  'high_risk_spacing',
  'hands_off',
  'maintenance',
  'breaker_probe_taken',
]);

/**
 * Refusals that a person is notified of, and that pass all the same: what was refused for one of them is asked about
 * again when it is over (law L5).
 */
export const PAGED_AND_PASSING: ReadonlySet<DenialCode> = new Set([
  'shared_cause',
  'restart_storm',
  'breaker_open',
  'daily_cap',
  'fleet_daily_cap',
]);

/** Refusals for want of evidence: each passes when another witness speaks. */
export const EVIDENCE_DENIALS: ReadonlySet<DenialCode> = new Set([
  'evidence_missing',
  'evidence_stale',
  'uncorroborated',
]);

/** One question of the guard with what it looked at. The list of all is the guard trace. */
export interface GuardCheck {
  /** 1 to 17, as in docs/guard.md. */
  readonly id: number;
  /** For example `cooldown`. */
  readonly question: string;
  readonly value: string;
  readonly threshold: string;
  readonly verdict: 'pass' | 'refuse' | 'not_asked';
  readonly code: DenialCode | undefined;
}

/** A refusal, and how far it reaches. */
export interface Refused {
  readonly code: DenialCode;
  readonly because: string;
  /**
   * What is leased, in a window or contained, or the group or engine whose persona refuses a plan. Empty: the refusal
   * is about the call alone.
   */
  readonly scopes: readonly Scope[];
}

/** A refusal that holds for more than one channel. */
export const isOfMany = ({ scopes }: Pick<Refused, 'scopes'>): boolean => scopes.some(({ kind }) => kind !== 'channel');

/** A refusal as it is journaled, counted and shown to people: it is an answer, not an error. */
export interface Denial {
  readonly verdict: 'deny';
  readonly code: DenialCode;
  readonly because: string;
  /** When asking again may be answered otherwise. */
  readonly retryAfterMs: number | undefined;
  readonly trace: readonly GuardCheck[];
}

export type GuardDecision =
  | { readonly verdict: 'allow'; readonly permit: Permit; readonly trace: readonly GuardCheck[] }
  | (Denial & Refused);

/** What the journal keeps of a decision. */
export type GuardVerdict =
  | { readonly verdict: 'allow'; readonly permit: PermitTerms; readonly trace: readonly GuardCheck[] }
  | Denial;
