/** One decision of a run: the rules, the planner, or the rules again because the planner gave nothing usable. */
import type { GroundedContextEnvelope } from '../core/envelope.ts';
import type { JournalFact } from '../core/journal.ts';
import type { Plan, PlanRejection } from '../core/plan.ts';
import type { RuleModelUse } from '../core/rule.ts';
import type { Attempt } from '../core/tool.ts';
import type { RuleAnswer } from '../rulebook/rulebook.ts';
import type { Answer } from './answer.ts';
import { type Choice, choicesFor, isEnd, type PreviewCall } from './choices.ts';
import { isSameTrouble, type Planner, planOfChoice } from './planner.ts';
import { isWell } from './score.ts';

/** When a planner is asked. Absent: never. */
export interface PlannerSettings {
  readonly planner: Planner;
  readonly mode: 'after_rules' | 'before_rules';
  readonly deadlineMs: number;
  readonly replyTokensMax: number;
}

/** Undefined: there is nothing to wait for. */
export type PrepareRules = (envelope: GroundedContextEnvelope, signal: AbortSignal) => Promise<void> | undefined;

/** What a decision asks of the run that it belongs to. */
export interface DecideStep {
  readonly incident: string;
  readonly envelope: GroundedContextEnvelope;
  readonly attempts: readonly Attempt[];
  /** How often the planner was asked in this run. */
  readonly asked: number;
  readonly settings: PlannerSettings | undefined;
  readonly signal: AbortSignal;
  /** Makes ready what the rules compare by; bounded in time, and may be absent. */
  readonly prepare?: PrepareRules | undefined;
  /** What the rules say, and what they leave to a planner. Undefined: no rule fits. */
  readonly rules: (envelope: GroundedContextEnvelope) => RuleAnswer | undefined;
  readonly preview: (envelope: GroundedContextEnvelope) => PreviewCall;
  /** State and evidence at this moment; also written down. */
  readonly ground: () => GroundedContextEnvelope;
  readonly note: (fact: JournalFact) => void;
  /** Makes what was noted durable: Reeve may die while the planner thinks. */
  readonly write: () => void;
}

/** The plan, and the envelope that it rests on: a newer one where the planner took its time. */
export interface Decided {
  readonly plan: Plan;
  readonly envelope: GroundedContextEnvelope;
  /** The planner was asked. */
  readonly asked: boolean;
}

/**
 * Never waits longer than the planner's deadline and half a second; without a usable answer it gives what the rules
 * alone would.
 */
export async function decideStep(step: DecideStep): Promise<Decided> {
  const { envelope, settings, asked } = step;
  // Without anything to wait for, not even a microtask passes.
  const ready = step.prepare?.(envelope, step.signal);
  if (ready !== undefined) await ready;
  const ruled = step.rules(envelope);
  const otherwise = alone(ruled, envelope);
  if (settings === undefined || !isDue(settings, ruled, asked)) return { plan: otherwise, envelope, asked: false };
  const choices = choicesFor(envelope, step.preview(envelope), ruled?.modelUse?.tools);
  // Among ends alone there is nothing to choose: the rules have chosen the one.
  if (choices.every(({ tool }) => isEnd(tool))) return { plan: otherwise, envelope, asked: false };
  return ask(step, settings, { choices, otherwise, modelUse: ruled?.modelUse });
}

/** After the rules: where one asks for it, where all that fit are spent, and where none fits. */
function isDue({ mode }: PlannerSettings, ruled: RuleAnswer | undefined, asked: number): boolean {
  if (ruled?.modelUse !== undefined && asked >= ruled.modelUse.toolCallsMax) return false;
  return mode === 'before_rules' || ruled === undefined || ruled.planner !== undefined;
}

interface Asking {
  readonly choices: readonly Choice[];
  readonly otherwise: Plan;
  readonly modelUse: RuleModelUse | undefined;
}

async function ask(
  step: DecideStep,
  { planner, deadlineMs, replyTokensMax }: PlannerSettings,
  { choices, otherwise, modelUse }: Asking,
): Promise<Decided> {
  const { incident, envelope, attempts, signal } = step;
  step.write();
  const question = { incident, envelope, attempts, choices, deadlineMs, replyTokensMax, modelUse };
  const answer = await planner.choose(question, signal);
  if (signal.aborted) return { plan: otherwise, envelope, asked: true };
  const now = step.ground();
  const rejected = rejectionOf(answer, envelope, now);
  if (rejected !== undefined || !answer.ok) {
    step.note({ type: 'plan.rejected', model: planner.name, reason: rejected ?? 'stale' });
    return { plan: alone(step.rules(now), now), envelope: now, asked: true };
  }
  step.note(chosen(planner.name, answer, { envelope, choices: choices.length }));
  const waitMsMax = otherwise.kind === 'wait' ? otherwise.escalateAfterMs : undefined;
  const plan = planOfChoice(answer, { planner: planner.name, envelope: now, waitMsMax });
  return { plan, envelope: now, asked: true };
}

function rejectionOf(
  answer: Answer,
  asked: GroundedContextEnvelope,
  now: GroundedContextEnvelope,
): PlanRejection | undefined {
  if (!answer.ok) return answer.reason;
  return isSameTrouble(asked, now) && !isWell(now) ? undefined : 'stale';
}

function chosen(
  model: string,
  { choice, evidenceIds, becauseCode }: Extract<Answer, { ok: true }>,
  shown: { readonly envelope: GroundedContextEnvelope; readonly choices: number },
): JournalFact {
  const { tool, target } = choice;
  const envelopeTakenMs = shown.envelope.takenMs;
  return {
    type: 'plan.chosen',
    model,
    tool,
    target,
    becauseCode,
    evidenceIds,
    envelopeTakenMs,
    choices: shown.choices,
  };
}

/** What the rules say when there is no planner. */
function alone(ruled: RuleAnswer | undefined, { failureClassification: found }: GroundedContextEnvelope): Plan {
  const because = `no rule fits ${found ?? 'what is seen'}`;
  return ruled?.plan ?? { kind: 'escalate', because, by: { kind: 'policy', because: 'no rule fits' } };
}
