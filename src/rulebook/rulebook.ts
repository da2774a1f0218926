import type { GroundedContextEnvelope } from '../core/envelope.ts';
import { ReeveError } from '../core/errors.ts';
import type { Decider, Plan } from '../core/plan.ts';
import type { Rule, RuleStep } from '../core/rule.ts';
import type { Attempt, ToolCall, ToolName } from '../core/tool.ts';
import { type Capture, createMatcher, type Matcher, type RuleTrace } from './match.ts';
import { specOf } from '../remediation/catalog.ts';

/** Whether a tool may be asked for here and now: capability, phase, persona. A text is the reason why not. */
export type Allowed = (tool: ToolName) => boolean | string;

/** What Reeve knows without asking a model. */
export interface Rulebook {
  /** In the order in which they are asked. */
  readonly rules: readonly Rule[];
  /** The answer of the first rule that fits; undefined when none does. Never more than one action. */
  decide(envelope: GroundedContextEnvelope, attempts: readonly Attempt[], allowed: Allowed): Plan | undefined;
  /** Every rule for the envelope's classification, with what each of its tests met. */
  matchAll(envelope: GroundedContextEnvelope): readonly RuleTrace[];
}

/** Orders and compiles the rules. Throws `CONFIG_INVALID` for two of one name or a pattern that does not compile. */
export function createRulebook(rules: readonly Rule[]): Rulebook {
  const ordered = [...rules].sort((a, b) => b.priority - a.priority || (a.id < b.id ? -1 : 1));
  const twice = ordered.find(({ id }, index) => ordered.findIndex((other) => other.id === id) !== index);
  if (twice !== undefined) {
    throw new ReeveError('CONFIG_INVALID', `two rules are called ${twice.id}; the second stands in ${twice.origin}`);
  }
  const matchers = ordered.map(createMatcher);
  return {
    rules: ordered,
    decide: (envelope, attempts, allowed) => decide(matchers, { envelope, attempts, allowed }),
    matchAll: (envelope) =>
      matchers
        .filter(({ rule }) => rule.classification === envelope.failureClassification)
        .map((matcher) => matcher.match(envelope)),
  };
}

interface Asked {
  readonly envelope: GroundedContextEnvelope;
  readonly attempts: readonly Attempt[];
  readonly allowed: Allowed;
}

function decide(matchers: readonly Matcher[], asked: Asked): Plan | undefined {
  for (const matcher of matchers) {
    if (matcher.rule.classification !== asked.envelope.failureClassification) continue;
    const trace = matcher.match(asked.envelope);
    if (trace.matched)
      return planOf(
        matcher.rule,
        asked,
        trace.facts.flatMap(({ captures }) => captures),
      );
  }
  return undefined;
}

/** The next step of the rule that has not been taken in this run and can be; what was passed over is said. */
function planOf(rule: Rule, asked: Asked, captures: readonly Capture[]): Plan {
  const by: Decider = { kind: 'rule', rule: rule.id };
  const passed: string[] = [];
  let index = stepsTaken(rule, asked.attempts);
  for (; index < rule.then.length; index += 1) {
    const step = rule.then[index];
    if (step === undefined) break;
    if (step.kind !== 'call') return restOf(step, becauseOf(rule, captures, passed), by);
    const why = refusalOf(rule, index, step.tool, asked);
    if (why === undefined)
      return { kind: 'act', call: callOf(step.tool, asked.envelope), because: becauseOf(rule, captures, passed), by };
    passed.push(why);
  }
  return { kind: 'escalate', because: becauseOf(rule, captures, [...passed, 'no step is left']), by };
}

/** How far this run has come in the rule: its calls are looked for among the attempts, in order. */
function stepsTaken(rule: Rule, attempts: readonly Attempt[]): number {
  let next = 0;
  for (const { result } of attempts) {
    const at = rule.then.findIndex(
      (step, index) => index >= next && step.kind === 'call' && step.tool === result.call.tool,
    );
    if (at >= 0) next = at + 1;
  }
  return next;
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
const callOf = (tool: ToolName, envelope: GroundedContextEnvelope): ToolCall => ({
  tool,
  target: targetOf(tool, envelope),
  channels: specOf(tool).onMany === 'each_channel' && envelope.scope.kind !== 'channel' ? envelope.channels : [],
});

function targetOf(tool: ToolName, { scope, channels }: GroundedContextEnvelope): ToolCall['target'] {
  const [first] = channels;
  const isOfOne = scope.kind !== 'channel' && first !== undefined && specOf(tool).onMany === 'first_channel';
  return isOfOne ? { kind: 'channel', id: first } : scope;
}

function restOf(step: Exclude<RuleStep, { kind: 'call' }>, because: string, by: Decider): Plan {
  return step.kind === 'wait'
    ? { kind: 'wait', escalateAfterMs: step.escalateAfterMs, because, by }
    : { kind: step.kind, because, by };
}

const BECAUSE_CHARS = 400;

function becauseOf(rule: Rule, captures: readonly Capture[], passed: readonly string[]): string {
  const caught = captures.map(({ name, value }) => `${name}=${value}`).join(', ');
  const parts = [`rule ${rule.id}: ${rule.description}`, caught, ...passed].filter((part) => part !== '');
  return parts.join('; ').slice(0, BECAUSE_CHARS);
}
