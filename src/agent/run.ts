/** The loop of one run: carries out the one effect that the state machine asks for next. */
import { type Clock, deadline } from '../core/clock.ts';
import type { GroundedContextEnvelope } from '../core/envelope.ts';
import { messageOf, ReeveError, unreachable } from '../core/errors.ts';
import type { Incident, Outcome } from '../core/incident.ts';
import type { GuardDecision, Plan } from '../core/plan.ts';
import type { Attempt, Permit, ToolCall, ToolResult, Verification } from '../core/tool.ts';
import { initial, next, type RunEvent, type RunLimits, type RunState } from './machine.ts';
import { specOf } from '../remediation/catalog.ts';

/** What a run may ask of the world. */
export interface RunPorts {
  /** State and evidence at this moment; also written down. */
  ground(): GroundedContextEnvelope;
  /** Rules, or a planner among what the guard allows. Never more than one action. */
  decide(
    envelope: GroundedContextEnvelope,
    attempts: readonly Attempt[],
    signal: AbortSignal,
  ): Promise<{ readonly plan: Plan; readonly envelope: GroundedContextEnvelope }>;
  /** Synchronous: the verdict and its reservation are one step. */
  guard(call: ToolCall, plan: Plan, envelope: GroundedContextEnvelope): GuardDecision;
  act(permit: Permit, envelope: GroundedContextEnvelope, signal: AbortSignal): Promise<ToolResult>;
  /** Fresh samples after the action; undefined for tools that only look. */
  verify(permit: Permit, result: ToolResult, signal: AbortSignal): Promise<Verification | undefined>;
}

export interface RunFrame {
  readonly incident: Incident;
  readonly limits: RunLimits;
  readonly clock: Clock;
  /** Law S11: at least this long between two tools. */
  readonly betweenToolsMs: number;
  readonly runMsMax: number;
}

export interface RunEnd {
  readonly outcome: Outcome;
  readonly steps: number;
  readonly attempts: readonly Attempt[];
}

/**
 * The only loop: State, Evidence, Plan, Tool, Observe, Score, then continue or stop. It decides nothing itself.
 * Ends in exactly one outcome, by its deadline (law L2).
 */
export async function run(frame: RunFrame, ports: RunPorts, signal?: AbortSignal): Promise<RunEnd> {
  const late = () => new ReeveError('TIMED_OUT', `the run did not end within ${frame.runMsMax} ms`);
  using limit = deadline(frame.clock, frame.runMsMax, late, signal);
  let state: RunState = initial;
  while (state.at !== 'finished') {
    if (limit.signal.aborted) return cutShort(state, limit.signal.reason);
    state = next(state, await effectOf(state, { frame, ports, signal: limit.signal }), frame.limits);
  }
  return { outcome: state.outcome, steps: state.attempts.length, attempts: state.attempts };
}

function cutShort(state: RunState, reason: unknown): RunEnd {
  const because = messageOf(reason);
  const outcome: Outcome = { kind: 'escalated', reason: 'internal', because, denial: undefined };
  return { outcome, steps: state.attempts.length, attempts: state.attempts };
}

type Unfinished = Exclude<RunState, { at: 'finished' }>;
interface Stage {
  readonly frame: RunFrame;
  readonly ports: RunPorts;
  readonly signal: AbortSignal;
}

async function effectOf(state: Unfinished, stage: Stage): Promise<RunEvent> {
  const { ports, signal } = stage;
  switch (state.at) {
    case 'grounding':
      return { type: 'grounded', envelope: ports.ground() };
    case 'planning':
      return { type: 'planned', ...(await ports.decide(state.envelope, state.attempts, signal)) };
    case 'guarding':
      return { type: 'guarded', decision: ports.guard(state.call, state.plan, state.envelope) };
    case 'acting':
      return { type: 'acted', result: await ports.act(state.permit, state.envelope, signal) };
    case 'observing':
      return observe(state, stage);
    default:
      return unreachable(state);
  }
}

/** Verifies, keeps the distance between tools where another step may follow, and only then looks again. */
async function observe(state: Extract<RunState, { at: 'observing' }>, stage: Stage): Promise<RunEvent> {
  const { frame, ports, signal } = stage;
  const endedMs = frame.clock.monotonicMs();
  const verification = await ports.verify(state.permit, state.result, signal);
  const restMs = frame.betweenToolsMs - (frame.clock.monotonicMs() - endedMs);
  const mayGoOn = state.step < frame.limits.steps && !(verification?.cured && isRestart(state.result));
  if (mayGoOn && restMs > 0) await frame.clock.sleep(restMs, signal).catch(() => undefined);
  return { type: 'observed', envelope: ports.ground(), verification };
}

const isRestart = (result: ToolResult): boolean => specOf(result.call.tool).startsProcess;
