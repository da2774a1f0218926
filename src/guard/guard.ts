/** The guard: weighs a call, reserves, and grants a permit. */
import type { ControlState } from '../control/state.ts';
import type { Clock } from '../core/clock.ts';
import { messageOf, ReeveError } from '../core/errors.ts';
import type { Ids } from '../core/id.ts';
import type { About, Append, Draft, Read } from '../core/journal.ts';
import { DEFAULT_LIMITS, type Limits } from '../core/limits.ts';
import type { Persona } from '../core/persona.ts';
import type { DenialCode, GuardCheck, Denial, GuardDecision, GuardVerdict } from '../core/plan.ts';
import { keyOfScope, type Scope } from '../core/scope.ts';
import { describeCall, Permit, type PermitTerms, type ToolCall, type WhyNot } from '../core/tool.ts';
import {
  type ChildRequest,
  type Surroundings,
  type Weighed,
  type DecisionState,
  weigh,
  weighChild,
  weighPlanned,
} from './checks/ask.ts';
import type { Refusal } from './checks/checks.ts';
import { breakerOf, type ContainmentFacts, evaluate, type Quiet, raise, stormDetail } from './containment.ts';
import { viewerSecondsOf } from './checks/counters.ts';
import { limitProblems } from './limits.ts';
import type { GuardRequest, CheckInput } from './checks/check_input.ts';
import { whyNotNow } from './redeem.ts';
import { containmentKey, type GuardState, highestFence } from './state/state.ts';
import { flipsOf, unwritten } from './trace.ts';
import { roomFor, startsMaxOf } from './state/window.ts';
import { isStart, subjectOf } from '../remediation/catalog.ts';

export interface GuardDeps extends Surroundings {
  readonly append: Append;
  readonly guardState: Read<GuardState>;
  readonly control: Read<ControlState>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly limits: () => Limits;
  /** The page that goes with a raised containment, in the same transaction. Empty: no page. */
  readonly onEscalate: (raised: Draft) => readonly Draft[];
  /** Only a person ends a containment of this scope. Never, where it is not given. */
  readonly releaseByPerson?: (scope: Scope) => boolean;
  /** Absent: everything that anything is known of. */
  readonly isConfigured?: (scope: Scope) => boolean;
  /** Why the journal is broken, whoever found it; undefined while it is whole. Asked anew at every decision. */
  readonly journalBroken?: (() => string | undefined) | undefined;
  /** What happened to the clocks since it was asked last; asked before each decision (law T3). */
  readonly clockNews?: () => readonly Draft[];
}

/** What would be decided, and what would have to change. */
export interface Preview {
  readonly verdict: 'allow' | 'deny';
  readonly code: DenialCode | undefined;
  readonly because: string;
  readonly retryAfterMs: number | undefined;
  readonly checks: readonly GuardCheck[];
  readonly flips: readonly string[];
}
const FLEET: Scope = { kind: 'fleet' };
const LIMIT_NAMES = Object.keys(DEFAULT_LIMITS) as (keyof Limits)[];

/**
 * The one door. It reads the state, asks the questions and writes the reservation in one synchronous stretch: no
 * `await` lies between, so no two requests can both see the last free place (docs/guard.md).
 */
export class Guard {
  readonly #deps: GuardDeps;
  #limits: Limits;
  #quiet: Quiet = new Map();
  #journalError: string | undefined;

  /** Throws `CONFIG_INVALID` when a limit is no sound number. */
  constructor(deps: GuardDeps) {
    this.#deps = deps;
    this.#limits = deps.limits();
    const problems = limitProblems(this.#limits, LIMIT_NAMES);
    if (problems.length === 0) return;
    throw new ReeveError('CONFIG_INVALID', `the guard's limits are not sound: ${problems.join('; ')}`, {
      hint: 'Correct them under `limits:` in the configuration, then run: reeve check',
    });
  }

  /** Why the journal cannot be trusted in this process; undefined while it can. */
  get journalError(): string | undefined {
    return this.#journalError ?? this.#deps.journalBroken?.();
  }

  /** Somebody found the journal broken: nothing is permitted until `journalTrusted`. */
  distrustJournal(because: string): void {
    this.#journalError = because;
  }

  /** The journal was verified and written to again. */
  journalTrusted(): void {
    this.#journalError = undefined;
  }

  /**
   * Decides and reserves. An allowed call holds its permit; every answer is written down, in one transaction with the
   * `story` that led to the question.
   */
  decide(request: GuardRequest, story: readonly Draft[] = []): GuardDecision {
    const world = this.#world();
    const weighed = weigh(request, world);
    const { target } = request.call;
    const channel = target.kind === 'channel' ? target.id : undefined;
    const about = { channel, incident: request.incident.id, run: request.run };
    return this.#conclude(weighed, { world, call: request.call, about, story });
  }

  /** One start of a staged plan: asked again, counted on its own, and fenced like any other. */
  child(request: ChildRequest): GuardDecision {
    const world = this.#world();
    const weighed = weighChild(request, world);
    const { channel, parent } = request;
    const call: ToolCall = { tool: 'restart_channel', target: { kind: 'channel', id: channel }, channels: [] };
    const about = { channel, incident: parent.incident, run: parent.run };
    return this.#conclude(weighed, { world, call, about, story: [] });
  }

  /** Why a channel may not be named in a staged plan now; undefined when it may. Nothing is reserved. */
  whyNotPlanned(request: ChildRequest, asksForAll: boolean): Refusal | undefined {
    return weighPlanned(request, this.#world(), asksForAll).refusal;
  }

  /** The same questions, and nothing is reserved or written: for `reeve why-not` and for filtering before planning. */
  preview(request: GuardRequest): Preview {
    const { refusal, trace } = weigh(request, this.#world());
    return {
      verdict: refusal === undefined ? 'allow' : 'deny',
      code: refusal?.code,
      because: refusal?.because ?? 'every question passes',
      retryAfterMs: refusal?.retryAfterMs,
      checks: trace,
      flips: flipsOf(trace),
    };
  }

  /**
   * Raises and clears containment as the world stands (law S8), with the pages in the same transaction. To be called
   * about once a second and after every fact that may trigger. False when it could not be written: the guard then
   * permits nothing (`journalError`).
   */
  contain(facts: Omit<ContainmentFacts, 'journalError'>): boolean {
    const { state, limits, nowMs } = this.#world();
    const { drafts, quiet } = evaluate({
      state,
      facts: { ...facts, journalError: this.journalError },
      limits,
      nowMs,
      quiet: this.#quiet,
      releaseByPerson: (scope) => this.#deps.releaseByPerson?.(scope) ?? false,
      isConfigured: this.#deps.isConfigured,
      onEscalate: this.#deps.onEscalate,
    });
    this.#quiet = quiet;
    try {
      if (drafts.length > 0) this.#write(drafts);
      return true;
    } catch {
      return false;
    }
  }

  /** Unsound new limits never take effect: the last sound ones stay. */
  #world(): DecisionState {
    this.#noteClock();
    const limits = this.#deps.limits();
    if (limits !== this.#limits && limitProblems(limits, LIMIT_NAMES).length === 0) this.#limits = limits;
    const { channelOf, channelCount, capabilitiesOf, liveFacts, initialPhase, groupsOn, personaOf, clock } = this.#deps;
    return {
      ...{ channelOf, channelCount, capabilitiesOf, liveFacts, initialPhase, groupsOn, personaOf },
      nowMs: clock.monotonicMs(),
      limits: this.#limits,
      state: this.#deps.guardState(),
      control: this.#deps.control(),
      journalError: this.journalError,
    };
  }

  /** Where it cannot be written nothing is permitted: `#write` has seen to that. */
  #noteClock(): void {
    const news = this.#deps.clockNews?.() ?? [];
    if (news.length === 0) return;
    try {
      this.#write(news);
    } catch {
      // `journalError` stands now.
    }
  }

  #conclude({ refusal, trace, input }: Weighed, asked: Asked): GuardDecision {
    if (refusal !== undefined || input === undefined) {
      const { code, because, retryAfterMs, scopes } = refusal!;
      return { ...this.#deny({ verdict: 'deny', code, because, retryAfterMs, trace }, asked), scopes };
    }
    const permit = this.#termsOf(input);
    const tookMs = this.#deps.clock.monotonicMs() - asked.world.nowMs;
    const decision: GuardVerdict = { verdict: 'allow', permit, trace };
    const decided: Draft = {
      ...asked.about,
      fact: { type: 'guard.decided', call: describeCall(permit.call), decision, tookMs },
    };
    const storm = this.#stormDrafts(input);
    try {
      this.#write([...asked.story, decided, ...this.#usedYes(input, asked.about), ...storm]);
    } catch (error) {
      const because = `the reservation could not be written: ${messageOf(error)}`;
      const denied = { verdict: 'deny', code: 'journal_unwritable', because, retryAfterMs: undefined } as const;
      return { ...denied, trace: unwritten(trace, because), scopes: [] };
    }
    const granted = { input, isNth: storm.length > 0 };
    const whyNot: WhyNot = (stage) => whyNotNow(granted, this.#world(), stage);
    return { verdict: 'allow', permit: Permit.grant(permit, whyNot), trace };
  }

  /** A refusal stands whether or not it could be written: it has no effect that needs a record. */
  #deny(decision: Denial, { about, call, world, story }: Asked): Denial {
    const tookMs = this.#deps.clock.monotonicMs() - world.nowMs;
    try {
      this.#write([
        ...story,
        { ...about, fact: { type: 'guard.decided', call: describeCall(call), decision, tookMs } },
      ]);
    } catch {
      // `#write` has contained the guard; the answer is no either way.
    }
    return decision;
  }

  #write(drafts: readonly Draft[]): void {
    try {
      this.#deps.append(drafts);
    } catch (error) {
      this.#journalError = messageOf(error);
      throw error;
    }
  }

  #termsOf(input: CheckInput): PermitTerms {
    const { call, incident, run, spec, target, limits, nowMs, engine, group, parent, envelope } = input;
    const viewerSeconds = viewerSecondsOf(input);
    return {
      id: this.#deps.ids.next('per'),
      call,
      incident: incident.id,
      run,
      risk: spec.risk,
      generation: breakerOf(target, limits, nowMs).generation,
      fence: 1 + (isOfEngine(input) ? highestFence(input.state, engine) : target.fence),
      grantedMs: nowMs,
      expiresMs: nowMs + limits.permitMs,
      parent,
      engine,
      group,
      ...(envelope === undefined ? {} : { fingerprint: envelope.fingerprint }),
      ...(viewerSeconds === undefined ? {} : { viewerSeconds }),
      ...(input.approval === undefined ? {} : { approval: input.approval }),
    };
  }

  #usedYes({ approval, control }: CheckInput, about: About): readonly Draft[] {
    const isYes = control.approvals.some((kept) => kept.approval.id === approval && kept.state === 'yes');
    return approval !== undefined && isYes ? [{ ...about, fact: { type: 'approval.used', id: approval } }] : [];
  }

  /** Law S2: the Nth start is allowed, and contains the fleet in the same transaction. */
  #stormDrafts({ call, state, limits, nowMs, persona }: CheckInput): readonly Draft[] {
    if (!isStart(call)) return [];
    const max = startsMaxOf(limits.windowStartsMax);
    const { count } = roomFor(state.starts, max, { windowMs: limits.windowMs, nowMs });
    const isHeld = state.containments[containmentKey(FLEET, 'restart_storm')] !== undefined;
    if (count + 1 < max || isHeld) return [];
    const trigger = { scope: FLEET, reason: 'restart_storm', detail: stormDetail(count + 1, limits) } as const;
    return raise(state, trigger, {
      releaseByPerson: (scope) => this.#releaseBy(scope, persona),
      onEscalate: this.#deps.onEscalate,
    });
  }

  #releaseBy(scope: Scope, persona: Persona): boolean {
    return persona.risk_tolerance === 'low' || (this.#deps.releaseByPerson?.(scope) ?? false);
  }
}

/** What acts on all of an engine has one order there, whichever of its channels asks for it (law S16). */
const isOfEngine = ({ call, engine }: CheckInput): boolean =>
  subjectOf(call, engine) === keyOfScope({ kind: 'engine', id: engine });

interface Asked {
  readonly world: DecisionState;
  readonly call: ToolCall;
  readonly about: About;
  readonly story: readonly Draft[];
}
