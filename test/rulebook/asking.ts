// Asks a rulebook about an envelope.
import type { Plan } from '../../src/core/plan.ts';
import type { Rule } from '../../src/core/rule.ts';
import type { Attempt, ToolName } from '../../src/core/tool.ts';
import type { StandingOf } from '../../src/rulebook/rank.ts';
import { createRulebook } from '../../src/rulebook/rulebook.ts';
import { anEnvelope } from '../support/a.ts';

export const ruleOf = (plan: Plan | undefined) => (plan?.by.kind === 'rule' ? plan.by.rule : undefined);

interface Asking {
  readonly attempts?: readonly Attempt[];
  readonly about?: ReturnType<typeof anEnvelope>;
  readonly allowed?: (tool: ToolName) => boolean | string;
  readonly standingOf?: StandingOf;
}

export const answer = (rules: readonly Rule[], asking: Asking = {}) => {
  const { attempts = [], about = anEnvelope(), allowed = () => true, standingOf } = asking;
  return createRulebook(rules, standingOf).answer?.(about, attempts, allowed);
};

/** The plan alone. */
export const planned = (rules: readonly Rule[], asking?: Asking) => answer(rules, asking)?.plan;
