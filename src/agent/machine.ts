/** The state machine of one run: pure, from a state and an event to the next state. */
import type { GroundedContextEnvelope } from '../core/envelope.ts';
import { invariant, unreachable } from '../core/errors.ts';
import type { EscalationReason, Outcome } from '../core/incident.ts';
import { type DenialCode, EVIDENCE_DENIALS, type GuardDecision, PASSING_DENIALS, type Plan } from '../core/plan.ts';
import {
  type Attempt,
  PERMIT_INVALID,
  type Permit,
  type ToolCall,
  type ToolResult,
  type Verification,
} from '../core/tool.ts';
import { isWell, scoreOf } from './score.ts';

/** No configuration, persona or plan gets past this many steps. */
export const STEPS_MAX = 3;

/** A plan that was cut short without a failure is asked about again this soon: nothing of it has not helped. */
const PARTLY_RETRY_MS = 2_000;
/** So long a run that was refused for want of evidence waits for another witness before a person hears of it. */
const SECOND_WITNESS_MS = 10_000;

/** What one run may spend. */
export interface RunLimits {
  /** min(3, the persona's planning depth, what the rollout phase allows). */
  readonly steps: number;
  /** A step that did not cure must score at least this for the run to go on. */
  readonly retryThreshold: number;
}

interface Progress {
  /** Counts from 1. */
  readonly step: number;
  readonly attempts: readonly Attempt[];
}
interface Grounded extends Progress {
  readonly envelope: GroundedContextEnvelope;
}

/** The state names the one effect that comes next. */
export type RunState =
  | (Progress & { readonly at: 'grounding' })
  | (Grounded & { readonly at: 'planning' })
  | (Grounded & { readonly at: 'guarding'; readonly call: ToolCall; readonly plan: Plan })
  | (Grounded & { readonly at: 'acting'; readonly permit: Permit })
  | (Grounded & { readonly at: 'observing'; readonly permit: Permit; readonly result: ToolResult })
  | (Progress & { readonly at: 'finished'; readonly outcome: Outcome });

/** What the effect brought back. `verification` is undefined for tools that only look. */
export type RunEvent =
  | { readonly type: 'grounded'; readonly envelope: GroundedContextEnvelope }
  /** With the envelope that the plan rests on, where that is a newer one than the state's. */
  | { readonly type: 'planned'; readonly plan: Plan; readonly envelope?: GroundedContextEnvelope }
  | { readonly type: 'guarded'; readonly decision: GuardDecision }
  | { readonly type: 'acted'; readonly result: ToolResult }
  | {
      readonly type: 'observed';
      readonly envelope: GroundedContextEnvelope;
      readonly verification: Verification | undefined;
    };

export const initial: RunState = { at: 'grounding', step: 1, attempts: [] };

/** Pure. The only way back is `observed` to `planning`, and each time spends one of `limits.steps`. */
export function next(state: RunState, event: RunEvent, limits: RunLimits): RunState {
  invariant(limits.steps <= STEPS_MAX, `steps ${limits.steps} over ${STEPS_MAX}`);
  switch (event.type) {
    case 'grounded':
      invariant(state.at === 'grounding', `grounded while ${state.at}`);
      return planOrEnd(state, event.envelope, limits);
    case 'planned':
      invariant(state.at === 'planning', `planned while ${state.at}`);
      return guardOrEnd({ ...state, envelope: event.envelope ?? state.envelope }, event.plan);
    case 'guarded':
      invariant(state.at === 'guarding', `guarded while ${state.at}`);
      return actOrEnd(state, event.decision);
    case 'acted':
      invariant(state.at === 'acting', `acted while ${state.at}`);
      return { ...state, at: 'observing', result: event.result };
    case 'observed':
      invariant(state.at === 'observing', `observed while ${state.at}`);
      return continueOrEnd(state, event, limits);
    default:
      return unreachable(event);
  }
}

function planOrEnd(state: Progress, envelope: GroundedContextEnvelope, limits: RunLimits): RunState {
  if (isWell(envelope)) {
    return finish(state, { kind: 'resolved', score: 1, because: 'healthy again before anything was done' });
  }
  if (limits.steps < 1)
    return finish(state, escalated('no_plan', 'the persona allows no steps (planning_depth_max: 0)'));
  return { ...state, at: 'planning', envelope };
}

function guardOrEnd(state: Grounded, plan: Plan): RunState {
  if (isWell(state.envelope)) {
    return finish(state, { kind: 'resolved', score: 1, because: 'healthy again while it was decided what to do' });
  }
  switch (plan.kind) {
    case 'act':
      return { ...state, at: 'guarding', call: plan.call, plan };
    case 'wait':
      return finish(state, watching(plan.because, undefined, plan.escalateAfterMs));
    case 'stop':
      return finish(state, watching(plan.because, undefined, undefined));
    case 'escalate':
      return finish(state, escalated(hasChanged(state) ? 'not_helping' : 'no_plan', plan.because));
    default:
      return unreachable(plan);
  }
}

/** Something was changed and judged; looking alone is not trying. */
const PLACE_FREE_MS = 15_000;
const hasChanged = (state: Progress): boolean => state.attempts.some(({ verification }) => verification !== undefined);

function actOrEnd(state: Grounded, decision: GuardDecision): RunState {
  if (decision.verdict === 'allow') return { ...state, at: 'acting', permit: decision.permit };
  if (decision.code === 'approval_needed') {
    return finish(state, { kind: 'approval_needed', because: decision.because });
  }
  if (PASSING_DENIALS.has(decision.code)) return finish(state, watching(decision.because, decision.retryAfterMs));
  // Nothing was done yet, and the trouble is young: the witness that makes it sure is often a moment behind.
  if (EVIDENCE_DENIALS.has(decision.code) && !hasChanged(state)) {
    const because = `${decision.code}: ${decision.because}`;
    return finish(state, { ...watching(because, undefined, SECOND_WITNESS_MS), denial: decision.code });
  }
  // A place is free in a moment: that is a wait and no trouble of a person's.
  if (decision.code === 'restart_storm' && (decision.retryAfterMs ?? Number.POSITIVE_INFINITY) <= PLACE_FREE_MS) {
    const because = `${decision.code}: ${decision.because}`;
    return finish(state, { ...watching(because, decision.retryAfterMs), denial: decision.code });
  }
  if (decision.code === 'containment') return finish(state, escalated('containment', decision.because, decision.code));
  return finish(state, escalated('guard_refused', `${decision.code}: ${decision.because}`, decision.code));
}

type Observing = Extract<RunState, { at: 'observing' }>;
type Observed = Extract<RunEvent, { type: 'observed' }>;

function continueOrEnd(state: Observing, event: Observed, limits: RunLimits): RunState {
  const { verification, envelope } = event;
  const score = scoreOf(state.envelope, { envelope, result: state.result, verification });
  const attempt: Attempt = { result: state.result, verification, score };
  const done: Progress = { step: state.step, attempts: [...state.attempts, attempt] };
  // It was permitted and has not begun: the guard gives the reason to the next run.
  if (state.result.code === PERMIT_INVALID) return finish(done, watching(state.result.summary, PARTLY_RETRY_MS));
  if (state.result.code === 'staged_partly') return finish(done, watching(state.result.summary, PARTLY_RETRY_MS));
  if (score === 1) return finish(done, { kind: 'resolved', score, because: verification?.because ?? 'healthy' });
  if (isWell(envelope)) return finish(done, { kind: 'resolved', score, because: notBy(attempt) });
  // Not seen to help is not seen not to help: the next process looks, and asks all questions anew.
  if (verification?.cutOff) return finish(done, watching(verification.because, 0));
  if (verification !== undefined && score < limits.retryThreshold) {
    return finish(done, escalated('not_helping', `${state.result.call.tool} did not cure it: ${verification.because}`));
  }
  if (state.step >= limits.steps) {
    return finish(done, escalated('steps_spent', `${state.step} of ${limits.steps} steps used, not cured`));
  }
  return planOrEnd({ step: state.step + 1, attempts: done.attempts }, envelope, limits);
}

/** The trouble is over, so no page is raised; but the call gets no credit for it. */
const notBy = ({ result, verification }: Attempt): string =>
  `healthy again, and ${result.call.tool} is not known to have done it: ${verification?.because ?? result.summary}`;

const finish = (state: Progress, outcome: Outcome): RunState => ({
  at: 'finished',
  step: state.step,
  attempts: state.attempts,
  outcome,
});

const escalated = (reason: EscalationReason, because: string, denial?: DenialCode): Outcome => ({
  kind: 'escalated',
  reason,
  because,
  denial,
});

const watching = (because: string, retryAfterMs?: number, escalateAfterMs?: number) => ({
  kind: 'watching' as const,
  because,
  retryAfterMs,
  escalateAfterMs,
});
