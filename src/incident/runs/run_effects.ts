/** Carries out the effects of one run. */
import type { PreviewCall } from '../../agent/choices.ts';
import { decideStep, type PlannerSettings, type PrepareRules } from '../../agent/decide.ts';
import { type RunEnd, type RunPorts, run } from '../../agent/run.ts';
import { stagedStart } from '../../agent/staged.ts';
import { isStaged } from '../../remediation/catalog.ts';
import type { Clock, MonoMs } from '../../core/clock.ts';
import type { GroundedContextEnvelope } from '../../core/envelope.ts';
import { invariant } from '../../core/errors.ts';
import { type Incident, reaching } from '../../core/incident.ts';
import type { Append, Draft, JournalFact } from '../../core/journal.ts';
import type { Limits } from '../../core/limits.ts';
import type { Persona } from '../../core/persona.ts';
import type { GuardDecision, Plan, Refused } from '../../core/plan.ts';
import { withoutRefused } from './staged_plan.ts';
import { type RunId, scopesOver } from '../../core/scope.ts';
import {
  type Attempt,
  PERMIT_INVALID,
  type Permit,
  type PermitTerms,
  type ToolCall,
  type ToolName,
  type ToolResult,
  type ToolSpec,
  type Verification,
} from '../../core/tool.ts';
import type { Allowed, RuleAnswer } from '../../rulebook/rulebook.ts';
import type { Runner } from '../../remediation/runner.ts';
import { neverLeft, type VerifyDeps, verify } from '../../remediation/verify.ts';

/** What a call asks of the guard, as a run puts it. */
export interface GuardAsk {
  readonly call: ToolCall;
  readonly plan: Plan;
  readonly envelope: GroundedContextEnvelope;
  readonly persona: Persona;
  readonly incident: Incident;
  readonly run: RunId;
  /** A high-risk action was already taken in this run (law S4: one). */
  readonly highRiskUsed: boolean;
  /** What led to the question, to be written with the answer. */
  readonly story: readonly Draft[];
}

/** What stays the same for all questions of one step. */
type GuardFrame = Omit<GuardAsk, 'call' | 'plan' | 'story'>;

export interface RunEffectsDeps {
  readonly append: Append;
  readonly clock: Clock;
  readonly limits: () => Limits;
  readonly specs: ReadonlyMap<ToolName, ToolSpec>;
  readonly runner: Runner;
  readonly verify: Omit<VerifyDeps, 'append' | 'clock'>;
  readonly ground: (incident: Incident) => GroundedContextEnvelope;
  /** Makes ready what the rules compare by; half a second at most. Absent: there is nothing to make ready. */
  readonly prepare?: PrepareRules | undefined;
  /** What the rules say; undefined when none fits. `allowed` says which tools may be planned at all. */
  readonly rules: (
    envelope: GroundedContextEnvelope,
    attempts: readonly Attempt[],
    allowed: Allowed,
  ) => RuleAnswer | undefined;
  /** When a planner is asked; undefined: never. Asked anew at each step. */
  readonly planner?: (() => PlannerSettings | undefined) | undefined;
  /** What the guard would answer, with nothing reserved or written. */
  readonly preview: (ask: Omit<GuardAsk, 'plan' | 'story'>) => ReturnType<PreviewCall>;
  /** The plan itself, or an escalation where an unused yes of a person binds the incident to something else. */
  readonly bound: (incident: Incident, plan: Plan, envelope: GroundedContextEnvelope) => Plan;
  /** The persona of now: an edit that takes something away holds from the next question on. */
  readonly persona: (incident: Incident) => Persona;
  readonly ask: (ask: GuardAsk) => GuardDecision;
  readonly child: (frame: GuardFrame, plan: PermitTerms, channel: string) => GuardDecision;
  readonly healthy: (channel: string) => boolean;
  /** Reeve was asked to stop. */
  readonly stopping: () => boolean;
  /** Why a channel may not be part of the incident's staged start now; undefined: it may. */
  readonly whyNotPlanned: (frame: GuardFrame, channel: string) => Refused | undefined;
  /** From now on these are not the group's but each its own incident's. */
  readonly handOver: (incident: Incident, channels: readonly string[]) => void;
  /** Steps the rollout phase allows for the incident's group: 3 at phase 4, else 1. */
  readonly phaseSteps: (incident: Incident) => number;
  /** Why not, in words: tools are filtered before planning, so that a refusal by the guard is news. */
  readonly whyUnavailable: (incident: Incident, tool: ToolName) => string | undefined;
  /** Called before a change reaches the engine, so that what ends now is known to be ended by Reeve. */
  readonly acting: (terms: PermitTerms, signal: AbortSignal) => Promise<void> | undefined;
  /** Called when the call has ended and it is known how; `left`: the engine was asked. */
  readonly changeEnded: (terms: PermitTerms, left: boolean) => void;
}

/** Everything one run needs to know of its frame. */
export interface RunOrder {
  readonly incident: Incident;
  readonly run: RunId;
}

/** One run for one incident: wires the machine's effects to the rooms that do them, and writes each hop down. */
export async function executeRun(
  order: RunOrder,
  deps: RunEffectsDeps,
  signal?: AbortSignal,
): Promise<RunEnd & { last: GroundedContextEnvelope | undefined }> {
  const limits = deps.limits();
  const conducting = new RunRecorder(order, deps);
  const end = await run(
    {
      incident: order.incident,
      clock: deps.clock,
      betweenToolsMs: limits.betweenToolsMs,
      runMsMax: limits.runMsMax,
      limits: {
        get steps() {
          const { planning_depth_max } = deps.persona(order.incident);
          return Math.min(limits.stepsMax, planning_depth_max, deps.phaseSteps(order.incident));
        },
        get retryThreshold() {
          return deps.persona(order.incident).retry_threshold;
        },
      },
    },
    conducting.ports(),
    signal,
  ).finally(() => conducting.write());
  conducting.score(end.attempts);
  return { ...end, last: conducting.last };
}

class RunRecorder {
  readonly #order: RunOrder;
  readonly #deps: RunEffectsDeps;
  readonly #endsMs: MonoMs;
  #highRiskUsed = false;
  #plannerAsked = 0;
  /** What was permitted, in order: attempts come in the same. */
  readonly #made: { readonly plan: Plan; readonly envelope: GroundedContextEnvelope }[] = [];
  /** Envelope and plan wait for the guard's answer, which comes in the same moment: one write for all three. */
  readonly #unwritten: JournalFact[] = [];
  /** The newest envelope, for the page. */
  last: GroundedContextEnvelope | undefined;

  constructor(order: RunOrder, deps: RunEffectsDeps) {
    this.#order = order;
    this.#deps = deps;
    this.#endsMs = deps.clock.monotonicMs() + deps.limits().runMsMax;
  }

  ports(): RunPorts {
    return {
      ground: () => this.#ground(),
      decide: (envelope, attempts, signal) => this.#decide(envelope, attempts, signal),
      guard: (call, plan, envelope) => this.#guard(call, plan, envelope),
      act: (permit, envelope, signal) => this.#act(permit, envelope, signal),
      verify: (permit, result, signal) => this.#verify(permit, result, signal),
    };
  }

  /** How much each call helped: what the records of rules and hints are made of. */
  score(attempts: readonly Attempt[]): void {
    const { incident, run: runId } = this.#order;
    const channel = incident.scope.kind === 'channel' ? incident.scope.id : undefined;
    const isDown = this.last?.channelHealthy === false;
    const drafts = attempts.flatMap(({ result, verification, score }, index) => {
      const made = this.#made[index];
      if (made === undefined || verification?.cutOff) return [];
      const harmed = isDown && made.envelope.channelHealthy === true ? ({ harmed: true } as const) : {};
      const { fingerprint } = made.envelope;
      const scored = { by: made.plan.by, permit: result.permit, tool: result.call.tool, score, fingerprint };
      const fact: JournalFact = { type: 'attempt.scored', ...scored, cured: verification?.cured, ...harmed };
      return [{ channel, incident: incident.id, run: runId, fact }];
    });
    this.#deps.append(drafts);
  }

  /** Makes what waits durable, in the order in which it came about. */
  write(): void {
    this.#deps.append(this.#story());
  }

  #story(): readonly Draft[] {
    const { incident, run: runId } = this.#order;
    const channel = incident.scope.kind === 'channel' ? incident.scope.id : undefined;
    return this.#unwritten.splice(0).map((fact) => ({ channel, incident: incident.id, run: runId, fact }));
  }

  #ground(): GroundedContextEnvelope {
    this.last = this.#deps.ground(this.#order.incident);
    this.#unwritten.push({ type: 'envelope.taken', envelope: this.last });
    return this.last;
  }

  async #decide(envelope: GroundedContextEnvelope, attempts: readonly Attempt[], signal: AbortSignal) {
    const { incident } = this.#order;
    const decided = await decideStep({
      incident: incident.id,
      envelope,
      attempts,
      asked: this.#plannerAsked,
      settings: this.#deps.planner?.(),
      signal,
      prepare: this.#deps.prepare,
      rules: (now) => this.#deps.rules(now, attempts, (tool) => this.#deps.whyUnavailable(incident, tool) ?? true),
      preview: (now) => (call) => this.#preview(call, now),
      ground: () => this.#ground(),
      note: (fact) => this.#unwritten.push(fact),
      write: () => this.write(),
    });
    if (decided.asked) this.#plannerAsked += 1;
    const frame = this.#ask(decided.envelope);
    const whyNot = (channel: string) => this.#deps.whyNotPlanned(frame, channel);
    const refined = withoutRefused(decided.plan, whyNot, scopesOver(incident.scope, incident));
    if (refined.handedOver.length > 0) this.#deps.handOver(incident, refined.handedOver);
    const plan = this.#deps.bound(incident, refined.plan, decided.envelope);
    this.#unwritten.push({ type: 'plan.made', plan });
    if (plan.kind !== 'act') this.write();
    return { plan, envelope: decided.envelope };
  }

  /** What no rule would do, as a start into a source that refuses, no model may choose. */
  #preview(call: ToolCall, envelope: GroundedContextEnvelope): ReturnType<PreviewCall> {
    if (this.#deps.whyUnavailable(this.#order.incident, call.tool) !== undefined) return { verdict: 'deny' };
    return this.#deps.preview({ ...this.#ask(envelope), call });
  }

  #guard(call: ToolCall, plan: Plan, envelope: GroundedContextEnvelope): GuardDecision {
    const decision = this.#deps.ask({ ...this.#ask(envelope), call, plan, story: this.#story() });
    if (decision.verdict === 'allow') this.#made.push({ plan, envelope });
    if (decision.verdict === 'allow' && decision.permit.terms.risk === 'high') this.#highRiskUsed = true;
    return decision;
  }

  /** About all channels that the cause has reached by now, also those that came after the run's start. */
  #ask(envelope: GroundedContextEnvelope): GuardFrame {
    const { incident: begun, run: runId } = this.#order;
    const incident = reaching(begun, envelope.channels);
    return { envelope, persona: this.#deps.persona(incident), incident, run: runId, highRiskUsed: this.#highRiskUsed };
  }

  async #act(permit: Permit, envelope: GroundedContextEnvelope, signal: AbortSignal): Promise<ToolResult> {
    if (!isStaged(permit.terms.call)) return this.#single(permit, signal);
    const { timeoutMs, settleMs, verifyWithinMs } = this.#spec(permit.terms.call.tool);
    const staged = stagedStart.bind(undefined, permit, {
      clock: this.#deps.clock,
      leftMs: () => this.#endsMs - this.#deps.clock.monotonicMs(),
      startMsMax: timeoutMs + settleMs + verifyWithinMs,
      child: (plan, channel) => this.#deps.child(this.#ask(envelope), plan.terms, channel),
      healthy: this.#deps.healthy,
      stopping: this.#deps.stopping,
      handOver: (channels) => this.#deps.handOver(this.#order.incident, channels),
      act: (child, childSignal) => this.#single(child, childSignal),
      verify: (child, result, childSignal) => this.#judge(child, result, childSignal),
    });
    return this.#deps.runner.runPlan(permit, () => staged(signal));
  }

  async #single(permit: Permit, signal: AbortSignal): Promise<ToolResult> {
    const { terms } = permit;
    const noting = this.#spec(terms.call.tool).effect === 'change' ? this.#deps.acting(terms, signal) : undefined;
    // Nothing is awaited for a restart: its permit is redeemed in the same moment in which it was granted.
    if (noting !== undefined) await noting;
    const result = await this.#deps.runner.run(permit, signal);
    const isKnown = result.unknown !== true && result.mayActLate !== true;
    if (isKnown) this.#deps.changeEnded(terms, !neverLeft(result));
    return result;
  }

  /** Each start of a staged plan was verified by itself, so the plan's verification is their sum. */
  async #verify(permit: Permit, result: ToolResult, signal: AbortSignal): Promise<Verification | undefined> {
    if (result.code === PERMIT_INVALID) return undefined;
    if (isStaged(permit.terms.call)) {
      return { permit: permit.terms.id, cured: result.ok, because: result.summary, waitedMs: 0 };
    }
    if (this.#spec(permit.terms.call.tool).effect === 'observe') return undefined;
    return this.#judge(permit, result, signal);
  }

  #judge(permit: Permit, result: ToolResult, signal: AbortSignal): Promise<Verification> {
    const { append, clock, stopping } = this.#deps;
    const { terms } = permit;
    const action = { terms, spec: this.#spec(terms.call.tool), result, fingerprint: terms.fingerprint ?? '' };
    return verify({ ...this.#deps.verify, append, clock, stopping }, action, signal);
  }

  #spec(tool: ToolName): ToolSpec {
    const spec = this.#deps.specs.get(tool);
    invariant(spec !== undefined, `no declaration of the tool ${tool}`);
    return spec;
  }
}
