/** What Reeve knows without asking a model: rules, in the order in which they are tried. */
import type { GroundedContextEnvelope } from '../core/envelope.ts';
import { ReeveError } from '../core/errors.ts';
import type { Plan } from '../core/plan.ts';
import type { Rule, RuleModelUse } from '../core/rule.ts';
import type { Attempt } from '../core/tool.ts';
import { derive } from './chain.ts';
import { type Situation, situationOf } from './facts.ts';
import { type Matcher, matcherOf, type RuleTrace } from './match.ts';
import { type Likeness, queryOf, ranked, type StandingOf } from './rank.ts';
import { type Allowed, type Asked, type RuleResponse, responseOf } from './steps.ts';

export type { Allowed } from './steps.ts';

/** What the rules say of an envelope, and whether a planner may be asked before it is done. */
export interface RuleAnswer {
  /** Never more than one action; what is done where no planner is. */
  readonly plan: Plan;
  /** The rule that gave the plan. */
  readonly rule: string;
  /** `asked`: a rule has a plan step here. `spent`: the rules that fit have no call left. Undefined: neither. */
  readonly planner: 'asked' | 'spent' | undefined;
  /** Of a rule that leaves the choice to a model: how. */
  readonly modelUse: RuleModelUse | undefined;
}

/** The rules in force, compiled. */
export interface Rulebook {
  /** In the order in which they are asked. */
  readonly rules: readonly Rule[];
  /** The answer of the rules that fit; undefined when none does. Never more than one action. */
  decide(envelope: GroundedContextEnvelope, attempts: readonly Attempt[], allowed: Allowed): Plan | undefined;
  /** The same with what it leaves to a planner. */
  answer?(envelope: GroundedContextEnvelope, attempts: readonly Attempt[], allowed: Allowed): RuleAnswer | undefined;
  /** Before `answer`: makes likeness ready where several rules may fit. Absent without a model. */
  prepare?(envelope: GroundedContextEnvelope, signal?: AbortSignal): Promise<void>;
  /** Every rule for the envelope's classification, with what each of its tests met. */
  matchAll(envelope: GroundedContextEnvelope): readonly RuleTrace[];
}

const NO_RECORD: StandingOf = () => undefined;

/**
 * Orders and compiles the rules; rules that were compiled before are not compiled again. `standingOf` is asked at each
 * decision. Throws `CONFIG_INVALID` for two of one name or a pattern that does not compile.
 */
export function createRulebook(
  rules: readonly Rule[],
  standingOf: StandingOf = NO_RECORD,
  likeness?: Likeness,
): Rulebook {
  const ordered = [...rules].sort((a, b) => b.priority - a.priority || (a.id < b.id ? -1 : 1));
  refuseDoubles(ordered);
  const matchers = ordered.map(matcherOf);
  const byClass = Map.groupBy(matchers, ({ rule }) => rule.classification);
  const setters = matchers.filter(({ rule }) => rule.sets !== undefined || rule.retracts !== undefined);
  const actors = new Map([...byClass].map(([name, all]) => [name, tiersOf(all)]));
  const book: Book = {
    tiersFor: ({ failureClassification: name }) => (name === undefined ? [] : (actors.get(name) ?? [])),
    situationOf: (envelope) => situationOf(envelope, derive(setters, envelope)),
    standingOf,
    likeness,
  };
  const answer = (envelope: GroundedContextEnvelope, attempts: readonly Attempt[], allowed: Allowed) =>
    answerOf(book, { envelope, attempts, allowed });
  return {
    rules: ordered,
    answer,
    ...(likeness !== undefined && { prepare: preparing(book, likeness) }),
    decide: (envelope, attempts, allowed) => answer(envelope, attempts, allowed)?.plan,
    matchAll: (envelope) => {
      const situation = book.situationOf(envelope);
      const { failureClassification: name } = envelope;
      return (name === undefined ? [] : (byClass.get(name) ?? [])).map((matcher) => matcher.match(situation));
    },
  };
}

function refuseDoubles(rules: readonly Rule[]): void {
  const seen = new Set<string>();
  for (const { id, origin } of rules) {
    if (seen.has(id))
      throw new ReeveError('CONFIG_INVALID', `two rules are called ${id}; the second stands in ${origin}`);
    seen.add(id);
  }
}

/** Rules of one priority: what likeness and record put in order. Highest priority first. */
type Tier = readonly Matcher[];

interface Book {
  readonly tiersFor: (envelope: GroundedContextEnvelope) => readonly Tier[];
  /** With what rules set for the others. */
  readonly situationOf: (envelope: GroundedContextEnvelope) => Situation;
  readonly standingOf: StandingOf;
  readonly likeness: Likeness | undefined;
}

/** One rule alone has no order: no vector is asked for. */
function preparing(book: Book, likeness: Likeness) {
  return async (envelope: GroundedContextEnvelope, signal?: AbortSignal): Promise<void> => {
    const situation = book.situationOf(envelope);
    const hasSeveral = book.tiersFor(envelope).some((tier) => likelyIn(book, tier, situation).length > 1);
    if (hasSeveral) await likeness.prepare(queryOf(envelope), signal);
  };
}

const likelyIn = (book: Book, tier: Tier, situation: Situation): readonly Matcher[] =>
  tier.filter((matcher) => matcher.mayFit(situation) && book.standingOf(matcher.rule.id)?.retired !== true);

function tiersOf(matchers: readonly Matcher[]): readonly Tier[] {
  const withSteps = matchers.filter(({ rule }) => rule.then.length > 0);
  return [...Map.groupBy(withSteps, ({ rule }) => rule.priority).values()];
}

/**
 * The first rule that fits answers. Where its calls are spent without a cure, or none of them can be made, the next
 * rule that fits may act; the answer of the first stands where no other has a call.
 */
function answerOf(book: Book, asked: Asked): RuleAnswer | undefined {
  let first: { readonly response: RuleResponse; readonly rule: Rule } | undefined;
  let left = asked.attempts;
  for (const { matcher, trace } of fitting(book, asked.envelope)) {
    const captures = trace.facts.flatMap((fact) => fact.captures);
    const response = responseOf(matcher.rule, asked, { captures, own: left, again: first === undefined });
    left = response.others;
    if (first !== undefined && response.plan.kind !== 'act' && !response.asksPlanner) continue;
    if (!response.spent || response.asksPlanner) return answered(response, matcher.rule);
    first ??= { response, rule: matcher.rule };
  }
  return first === undefined ? undefined : answered(first.response, first.rule);
}

const answered = ({ plan, asksPlanner, spent }: RuleResponse, rule: Rule): RuleAnswer => ({
  plan,
  rule: rule.id,
  planner: asksPlanner ? 'asked' : spent ? 'spent' : undefined,
  modelUse: asksPlanner ? rule.llmConfig : undefined,
});

/** Every rule that fits, in the order in which they are tried; a rule is only tested when it is due. */
function* fitting(book: Book, envelope: GroundedContextEnvelope) {
  const situation = book.situationOf(envelope);
  for (const tier of book.tiersFor(envelope)) {
    const likely = likelyIn(book, tier, situation);
    for (const matcher of ranked(likely, queryOf(envelope), book.standingOf, book.likeness)) {
      const trace = matcher.match(situation);
      if (trace.matched) yield { matcher, trace };
    }
  }
}
