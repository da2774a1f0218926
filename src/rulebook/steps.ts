/** What one rule asks for now: its next step that has not been taken in this run and can be. */
import type { GroundedContextEnvelope } from '../core/envelope.ts';
import type { Decider, Plan } from '../core/plan.ts';
import type { Rule, RuleStep } from '../core/rule.ts';
import type { Attempt, ToolCall, ToolName } from '../core/tool.ts';
import { specOf } from '../remediation/catalog.ts';
import type { Capture } from './match.ts';

/** Whether a tool may be asked for here and now: capability, phase, persona. A text is the reason why not. */
export type Allowed = (tool: ToolName) => boolean | string;

export interface Asked {
  readonly envelope: GroundedContextEnvelope;
  readonly attempts: readonly Attempt[];
  readonly allowed: Allowed;
}

/** What a rule answers, and what it leaves to others. */
export interface RuleResponse {
  readonly plan: Plan;
  /** A step asks for the planner here; `plan` is what is done without one. */
  readonly asksPlanner: boolean;
  /** It had calls and has none left that can be made. */
  readonly spent: boolean;
  /** Attempts of this run that are none of its own. */
  readonly others: readonly Attempt[];
}

/**
 * The next step of the rule. `own`: the attempts that may have been its; what was passed over stands in the plan.
 * `again`: false for a rule that comes after another one, which repeats nothing that was tried in this run.
 */
export function responseOf(
  rule: Rule,
  asked: Asked,
  made: { readonly captures: readonly Capture[]; readonly own: readonly Attempt[]; readonly again: boolean },
): RuleResponse {
  const by: Decider = { kind: 'rule', rule: rule.id };
  const passed: string[] = [];
  const { next, others } = stepsTaken(rule, made.own);
  let asksPlanner = false;
  for (let index = next; index < rule.then.length; index += 1) {
    const step = rule.then[index];
    if (step === undefined) break;
    const because = becauseOf(rule, made.captures, passed);
    if (step.kind === 'plan') asksPlanner = true;
    else if (step.kind !== 'call') {
      const plan = restOf(step, because, by);
      return { plan, asksPlanner, spent: step.kind === 'escalate' && hasCalls(rule), others };
    } else {
      const why = made.again ? refusalOf(rule, index, step.tool, asked) : triedOr(rule, index, step.tool, asked);
      if (why === undefined) {
        const call = callOf(step.tool, asked.envelope);
        return { plan: { kind: 'act', call, because, by }, asksPlanner, spent: false, others };
      }
      passed.push(why);
    }
  }
  const because = becauseOf(rule, made.captures, [...passed, 'no step is left']);
  return { plan: { kind: 'escalate', because, by }, asksPlanner, spent: hasCalls(rule), others };
}

const hasCalls = ({ then }: Rule): boolean => then.some(({ kind }) => kind === 'call' || kind === 'plan');

function triedOr(rule: Rule, index: number, tool: ToolName, asked: Asked): string | undefined {
  const wasTried = asked.attempts.some(({ result }) => result.call.tool === tool);
  return wasTried ? `${tool} was tried in this run` : refusalOf(rule, index, tool, asked);
}

/**
 * How far this run has come in the rule: its calls are looked for among the attempts, in order. Where the planner is
 * asked, any attempt may be what it chose.
 */
function stepsTaken(rule: Rule, attempts: readonly Attempt[]): { readonly next: number; readonly others: Attempt[] } {
  let next = 0;
  const others: Attempt[] = [];
  for (const attempt of attempts) {
    const { tool } = attempt.result.call;
    const chosen = rule.then[next]?.kind === 'plan' ? next : -1;
    const at = rule.then.findIndex((step, index) => index >= next && step.kind === 'call' && step.tool === tool);
    if (at >= 0 || chosen >= 0) next = (at >= 0 ? at : chosen) + 1;
    else others.push(attempt);
  }
  return { next, others };
}

/** Why this call is passed over; undefined when it may be made. */
function refusalOf(rule: Rule, index: number, tool: ToolName, asked: Asked): string | undefined {
  const answer = asked.allowed(tool);
  if (answer !== true) return `${tool} is not available${typeof answer === 'string' ? ` (${answer})` : ''}`;
  const { scope, channels } = asked.envelope;
  const isOfOne = specOf(tool).onMany !== 'whole';
  if (isOfOne && scope.kind !== 'channel' && channels.length === 0) return `${tool} needs a channel, and none is named`;
  if (!specOf(tool).startsProcess) return undefined;
  return restartTooSoon(rule.then.slice(0, index), asked.attempts);
}

/**
 * A restart that stands behind another change is its second half: without that change, verified, it would only
 * bring the same failure back.
 */
function restartTooSoon(before: readonly RuleStep[], attempts: readonly Attempt[]): string | undefined {
  const firsts = before.flatMap((step) =>
    step.kind === 'call' && specOf(step.tool).effect === 'change' ? [step.tool] : [],
  );
  if (firsts.length === 0) return undefined;
  const verified = attempts.some(
    ({ result, verification }) => firsts.includes(result.call.tool) && verification?.cured === true,
  );
  return verified ? undefined : `restart_channel must wait for a verified ${firsts.join(' or ')}`;
}

/**
 * On the envelope's own scope. For a group the channels are named, in the order of the envelope: the first is the
 * canary.
 */
export const callOf = (tool: ToolName, envelope: GroundedContextEnvelope): ToolCall => ({
  tool,
  target: targetOf(tool, envelope),
  channels: specOf(tool).onMany === 'each_channel' && envelope.scope.kind !== 'channel' ? envelope.channels : [],
});

function targetOf(tool: ToolName, { scope, channels }: GroundedContextEnvelope): ToolCall['target'] {
  const [first] = channels;
  const isOfOne = scope.kind !== 'channel' && first !== undefined && specOf(tool).onMany === 'first_channel';
  return isOfOne ? { kind: 'channel', id: first } : scope;
}

function restOf(step: Exclude<RuleStep, { kind: 'call' | 'plan' }>, because: string, by: Decider): Plan {
  return step.kind === 'wait'
    ? { kind: 'wait', escalateAfterMs: step.escalateAfterMs, because, by }
    : { kind: step.kind, because, by };
}

const BECAUSE_CHARS = 400;

/** What stands against a step comes first: the summary of a page has room for little more. */
function becauseOf({ id, description }: Rule, captures: readonly Capture[], passed: readonly string[]): string {
  const caught = captures.map(({ name, value }) => `${name}=${value}`).join(', ');
  const parts = [...passed, description.replace(/\.$/, ''), caught].filter((part) => part !== '');
  return `rule ${id}: ${parts.join('; ')}`.slice(0, BECAUSE_CHARS);
}
