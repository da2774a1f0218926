/** Asks a model to choose and makes a plan of its answer: one call per step, and nothing but the offered choices. */
import { MINUTE_MS } from '../core/duration.ts';
import type { GroundedContextEnvelope } from '../core/envelope.ts';
import type { Model } from '../core/model.ts';
import type { Plan } from '../core/plan.ts';
import { keyOfScope } from '../core/scope.ts';
import type { RuleModelUse } from '../core/rule.ts';
import type { Attempt } from '../core/tool.ts';
import { callOf } from '../rulebook/steps.ts';
import { type Answer, answerSchema, readAnswer } from './answer.ts';
import { type Choice, isEnd } from './choices.ts';
import { evidenceIdsOf, factsOf, type PromptFacts, promptFor } from './prompt.ts';

export interface PlannerDeps {
  readonly model: Model;
  /** The shape of a line without the text that an outsider can write. */
  readonly templateOf: (line: string) => string;
  /** What was learned from earlier incidents. None, where it is not given. */
  readonly recall?: ((envelope: GroundedContextEnvelope) => readonly string[]) | undefined;
  /** At most one hint. None, where it is not given. */
  readonly hint?: ((about: HintQuestion) => string | undefined) | undefined;
}

/** What a hint is looked for with. */
export interface HintQuestion {
  readonly incident: string;
  readonly envelope: GroundedContextEnvelope;
  readonly attempts: readonly Attempt[];
  /** Log lines without the text that an outsider can write. */
  readonly shapes: readonly string[];
  /** False where a person only looks at the prompt. */
  readonly isSent: boolean;
}

/** What a planner chooses in. */
export interface Situation {
  readonly incident: string;
  readonly envelope: GroundedContextEnvelope;
  readonly attempts: readonly Attempt[];
  readonly choices: readonly Choice[];
}

export interface PlannerQuestion extends Situation {
  /** Milliseconds. */
  readonly deadlineMs: number;
  readonly replyTokensMax: number;
  /** Of a rule that leaves the choice to a model: the rule's text, put before the situation, and which model. */
  readonly modelUse?: RuleModelUse | undefined;
}

/** Whoever chooses among what the guard allows. */
export interface Planner {
  /** For people, metrics and the journal. */
  readonly name: string;
  /** Answers by the deadline, or says why there is no answer; never throws for what the model does. */
  choose(question: PlannerQuestion, signal: AbortSignal): Promise<Answer>;
  /** What a model would be sent; no model is called. Planners that ask no model have none. */
  promptOf?(question: Situation): string;
}

/** A planner that asks a model. */
export function modelPlanner(deps: PlannerDeps): Planner {
  const { model } = deps;
  return {
    name: model.name,
    promptOf: (situation) => promptFor(factsIn(situation, deps, false), situation.choices),
    async choose(question, signal) {
      const { incident, choices, deadlineMs, replyTokensMax, modelUse } = question;
      const facts = factsIn(question, deps, true);
      const evidenceIds = evidenceIdsOf(facts);
      const answer = await model.generate({
        messages: [
          ...(modelUse === undefined ? [] : [{ role: 'system', content: modelUse.prompt } as const]),
          { role: 'user', content: promptFor(facts, choices) },
        ],
        useSecondary: modelUse?.useSecondary,
        schema: answerSchema(choices, evidenceIds),
        tokensMax: Math.min(replyTokensMax, modelUse?.tokensMax ?? replyTokensMax),
        deadlineMs,
        signal,
        incident,
        purpose: 'plan',
      });
      if (!answer.ok) return { ok: false, reason: answer.failure };
      return readAnswer(answer.reply.text, { choices, evidenceIds });
    },
  };
}

/** A person hears of it after this time at the latest, whatever a planner would rather wait for (law S12). */
const PLANNER_WAIT_MS = MINUTE_MS;

/** The plan of a choice, made for the envelope of now. `waitMsMax`: what the rules would wait at most. */
export function planOfChoice(
  answer: Extract<Answer, { ok: true }>,
  at: { readonly planner: string; readonly envelope: GroundedContextEnvelope; readonly waitMsMax: number | undefined },
): Plan {
  const { choice, evidenceIds, becauseCode } = answer;
  const by = { kind: 'model', model: at.planner } as const;
  const cited = evidenceIds.length === 0 ? '' : `, on ${evidenceIds.join(', ')}`;
  const because = `${at.planner} chose ${choice.tool}: ${becauseCode}${cited}`;
  if (!isEnd(choice.tool)) return { kind: 'act', call: callOf(choice.tool, at.envelope), because, by };
  if (choice.tool === 'escalate') return { kind: 'escalate', because, by };
  return { kind: 'wait', escalateAfterMs: Math.min(PLANNER_WAIT_MS, at.waitMsMax ?? PLANNER_WAIT_MS), because, by };
}

/** The same trouble of the same thing: an answer about another one is stale. */
export const isSameTrouble = (asked: GroundedContextEnvelope, now: GroundedContextEnvelope): boolean =>
  asked.failureClassification === now.failureClassification &&
  asked.fingerprint === now.fingerprint &&
  keyOfScope(asked.scope) === keyOfScope(now.scope);

/** Everything that a model is sent about a situation. */
function factsIn(
  { incident, envelope, attempts }: Situation,
  { templateOf, recall, hint }: Omit<PlannerDeps, 'model'>,
  isSent: boolean,
): PromptFacts {
  const shapes = hint === undefined ? [] : envelope.evidence.map(({ text }) => templateOf(text));
  const chosenHint = hint?.({ incident, envelope, attempts, shapes, isSent });
  return factsOf(envelope, { templateOf, attempts, recalled: recall?.(envelope) ?? [], hint: chosenHint });
}
