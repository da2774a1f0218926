/** Starts runs, one at a time for each channel. */
import { approvalHash, askApproval, hasYes, supersedeQuestions, unusedYes } from '../../control/approvals.ts';
import type { ControlState } from '../../control/state.ts';
import type { Clock } from '../../core/clock.ts';
import { type Approval, FULL_LOOP, type Phase } from '../../core/control.ts';
import type { Engine } from '../../core/engine.ts';
import type { GroundedContextEnvelope } from '../../core/envelope.ts';
import type { Ids } from '../../core/id.ts';
import { type Incident, keyOfIncidentPage } from '../../core/incident.ts';
import { unknownPage } from '../../journal/recover.ts';
import { pageFor } from '../pages/page.ts';
import type { PagingPort } from '../pipeline/ports.ts';
import type { Append, Draft, Read } from '../../core/journal.ts';
import {
  type ChannelId,
  type ChannelRef,
  type EngineId,
  type GroupId,
  type IncidentId,
  keyOfScope,
  type RunId,
  type Scope,
} from '../../core/scope.ts';
import { accessOf, approversNeeded, type Persona } from '../../core/persona.ts';
import { supposedIncident } from '../pipeline/supposed.ts';
import type { Decider, GuardDecision, Plan } from '../../core/plan.ts';
import { describeCall, type PermitTerms, type ToolCall, type ToolName } from '../../core/tool.ts';
import type { FactStore } from '../../ground/facts/facts.ts';
import { healthOf } from '../../ground/facts/health.ts';
import type { Guard } from '../../guard/guard.ts';
import { whyUnavailable } from '../../guard/checks/unavailable.ts';
import { specOf, TOOL_SPECS } from '../../remediation/catalog.ts';
import type { KeyedQueues } from '../../resilience/keyed_queues.ts';
import { createRunner } from '../../remediation/runner.ts';
import { createToolbox } from '../../remediation/toolbox.ts';
import { executeRun, type RunEffectsDeps, type GuardAsk } from './run_effects.ts';
import { EffectVerifier } from './effect_verifier.ts';
import type { Snapshots } from '../pipeline/snapshots.ts';
import type { Settings } from '../pipeline/settings.ts';

export interface RunsDeps {
  readonly append: Append;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly lanes: KeyedQueues;
  readonly settings: () => Settings;
  readonly engines: ReadonlyMap<EngineId, Engine>;
  readonly clean: (text: string) => string;
  readonly lookCloser: (channels: readonly ChannelId[], forMs: number) => void;
  readonly factStore: FactStore;
  readonly snapshots: Pick<Snapshots, 'envelope'>;
  readonly guard: Guard;
  readonly control: Read<ControlState>;
  readonly channelOf: (id: string) => ChannelRef | undefined;
  readonly channelsIn: (scope: Scope) => readonly ChannelId[];
  /** As it is now, not as it was when its run began; undefined: closed. */
  readonly incidentOf: (id: IncidentId) => Incident | undefined;
  /** See `phaseOver`; the tool: absent, any. */
  readonly phaseOf: (incident: Incident, tool?: ToolName) => Phase;
  /** The channel's own, or what is strictest for the whole of a group or engine. */
  readonly personaOf: (scope: Scope, group: GroupId) => Persona;
  /** From now on these are not the incident's but each its own. */
  readonly handOver: (incident: Incident, channels: readonly ChannelId[]) => void;
  readonly raise: PagingPort['raise'];
}

/** The answer to everything once Reeve was asked to stop: the next process asks again on fresh evidence. */
const STOPPING: GuardDecision = {
  verdict: 'deny',
  code: 'maintenance',
  because: 'Reeve was asked to stop: it begins nothing new',
  retryAfterMs: undefined,
  trace: [],
  scopes: [],
};
const STEPS_FULL = 3;
const STEPS_BELOW = 1;

/** What a source answers to whom it does not let in. */
const REFUSALS: ReadonlySet<number> = new Set([401, 403, 410]);

/** Starts runs in their lanes, and wires each effect of a run to the room that does it. */
export class Runs {
  readonly #deps: RunsDeps;
  readonly #judge: EffectVerifier;
  readonly #conducting: RunEffectsDeps;
  #stopping = false;
  /** The call that a run of the incident would have made, had a person said yes. */
  readonly #asked = new Map<string, { readonly call: ToolCall; readonly by: Decider }>();

  constructor(deps: RunsDeps) {
    this.#deps = deps;
    const { factStore, clock, engines } = deps;
    this.#judge = new EffectVerifier({ factStore, clock, engineOf: (id) => engines.get(id) });
    this.#conducting = this.#wire();
  }

  /** Reeve was asked to stop: from now on no change begins, in runs under way either (law S6). */
  stop(): void {
    this.#stopping = true;
  }

  /** Rejects with QUEUE_FULL when the lane is full or the daemon stops. */
  run(incident: Incident, run: RunId) {
    return this.#deps.lanes.run(keyOfScope(incident.scope), (signal) =>
      executeRun({ incident, run }, this.#conducting, signal),
    );
  }

  /** The question that goes with a run that ended as `approval_needed`, in place of those before it. */
  askApproval(incident: Incident, run: RunId, envelope: GroundedContextEnvelope | undefined): readonly Draft[] {
    const { clock, control, ids, settings } = this.#deps;
    const wanted = this.#asked.get(incident.id);
    this.#asked.delete(incident.id);
    if (wanted === undefined) return [];
    const { call, by } = wanted;
    const classification = envelope?.failureClassification ?? incident.classification;
    const twoNeeded = approversNeeded(this.#deps.personaOf(incident.scope, incident.group)) === 2 && {
      eyes: 2 as const,
    };
    const asker = by.kind === 'operator' && { askedBy: by.who };
    const question = { id: ids.next('apr'), call, incident: incident.id, run, classification, ...twoNeeded, ...asker };
    const asked = { ...question, askedAt: clock.now(), askedMs: clock.monotonicMs() };
    const { drafts, yes } = supersedeQuestions(control(), incident.id);
    const isVoid = yes === undefined ? [] : this.#pageVoid(incident, yes);
    return [...drafts, ...isVoid, askApproval(asked, settings().limits.approvalMs)];
  }

  /** Whoever said yes believes that it was done. That it is asked again is no news by itself. */
  #pageVoid(incident: Incident, { id, call }: Approval): readonly Draft[] {
    const because = `nothing was done on the yes to ${describeCall(call)}: what is due now needs another one`;
    const page = pageFor(incident, 'approval_needed', { because, envelope: undefined, attempts: [] });
    return this.#deps.raise({ ...page, occasion: `yes to ${id}` });
  }

  #wire(): RunEffectsDeps {
    const { append, clock, clean, settings, snapshots, guard } = this.#deps;
    return {
      append,
      clock,
      limits: () => settings().limits,
      specs: TOOL_SPECS,
      runner: createRunner({
        ...{ toolbox: this.#toolbox(), specs: TOOL_SPECS, append, clock, clean },
        onUnknown: (terms, because) => this.#pageUnknown(terms, because),
      }),
      verify: {
        judge: (terms, sinceMs, signal) => this.#judge.judge(terms, sinceMs, signal),
        lookCloser: ({ call }, forMs) => this.#deps.lookCloser(this.#deps.channelsIn(call.target), forMs),
      },
      ground: (incident) => snapshots.envelope(incident),
      persona: ({ scope, group }) => this.#deps.personaOf(scope, group),
      prepare: (envelope, signal) => settings().rulebook.prepare?.(envelope, signal),
      rules: (envelope, attempts, allowed) => {
        const { rulebook } = settings();
        if (rulebook.answer !== undefined) return rulebook.answer(envelope, attempts, allowed);
        const plan = rulebook.decide(envelope, attempts, allowed);
        return plan && { plan, rule: '-', planner: undefined, modelUse: undefined };
      },
      planner: () => settings().planner,
      preview: ({ call, envelope, persona, incident, run, highRiskUsed }) => {
        const decider = { kind: 'model', model: settings().planner?.planner.name ?? 'none' } as const;
        const request = { call, envelope, persona, incident, run, decider, stepHighRiskUsed: highRiskUsed };
        return guard.preview(request);
      },
      bound: (incident, plan, envelope) => this.#bound(incident, plan, envelope),
      ask: (ask) => this.#ask(ask),
      child: ({ incident }, parent, channel) =>
        this.#stopping ? STOPPING : guard.child({ parent, incident, ...this.#own(channel) }),
      stopping: () => this.#stopping,
      whyNotPlanned: ({ incident, run, persona }, channel) => {
        const asksForAll = accessOf(persona, 'restart_channel') === 'require_approval';
        const parent = { id: 'planned', run, incident: incident.id };
        return guard.whyNotPlanned({ parent, incident, ...this.#own(channel) }, asksForAll);
      },
      handOver: this.#deps.handOver,
      healthy: (channel) => this.#health(channel).healthy === true,
      phaseSteps: (incident) => (this.#deps.phaseOf(incident) >= FULL_LOOP ? STEPS_FULL : STEPS_BELOW),
      whyUnavailable: (incident, tool) => this.#whyUnavailable(incident, tool),
      changeEnded: (terms, left) => {
        const { effect, startsProcess } = specOf(terms.call.tool);
        if (effect !== 'change') return;
        const endedMs = left ? clock.monotonicMs() : Number.NEGATIVE_INFINITY;
        for (const channel of this.#deps.channelsIn(terms.call.target))
          this.#deps.factStore.changeEnded(channel, endedMs, startsProcess);
      },
      acting: (terms, signal) => {
        for (const channel of this.#deps.channelsIn(terms.call.target))
          this.#deps.factStore.acted(channel, clock.monotonicMs(), specOf(terms.call.tool).startsProcess);
        return this.#judge.note(terms, signal);
      },
    };
  }

  /** A channel of a plan, as what it is by itself: its own persona and what is seen of it now. */
  #own(channel: ChannelId) {
    const { settings, channelOf, snapshots, clock } = this.#deps;
    const ref = channelOf(channel);
    const scope: Scope = { kind: 'channel', id: channel };
    const persona = settings().personaOf(scope, ref?.group ?? channel);
    const own = ref && snapshots.envelope(supposedIncident(ref, clock));
    return { channel, persona, own };
  }

  #pageUnknown(terms: PermitTerms, because: string): readonly Draft[] {
    const { incident } = terms;
    const { scope = terms.call.target, channels } = this.#deps.incidentOf(incident) ?? {};
    const page = unknownPage(terms, { when: `did not come to a known end: ${because}`, channels });
    const about = { key: keyOfIncidentPage(incident), incident, classification: undefined };
    return this.#deps.raise({ ...page, ...about, scope });
  }

  #toolbox() {
    const { channelOf, engines, clean } = this.#deps;
    const healthLine = (channel: string) => {
      const { healthy, because } = this.#health(channel);
      const state = healthy === true ? 'healthy' : healthy === false ? 'not healthy' : 'health not known';
      return `${state}: ${because}`;
    };
    return createToolbox({ channelOf, engineOf: (id) => engines.get(id), healthLine, clean });
  }

  #ask({ call, plan, envelope, persona, incident, run, highRiskUsed, story }: GuardAsk) {
    if (this.#stopping) return STOPPING;
    const { guard, control, clock } = this.#deps;
    const hash = approvalHash(call, envelope.failureClassification);
    const answered = control().approvals.find(({ approval }) =>
      hasYes(control(), approval.id, hash, { nowMs: clock.monotonicMs(), eyes: approversNeeded(persona) }),
    );
    const request = { call, envelope, persona, incident, run, decider: plan.by, stepHighRiskUsed: highRiskUsed };
    const decision = guard.decide({ ...request, approval: answered?.approval.id }, story);
    const isQuestion = decision.verdict === 'deny' && decision.code === 'approval_needed';
    if (isQuestion) this.#asked.set(incident.id, { call, by: plan.by });
    return decision;
  }

  /**
   * A yes to what a person proposed is the plan, and the guard is asked as ever. A yes is a yes to nothing else: as
   * long as it is unused, a change that it does not name is not made, and a person is notified. One that needs a yes of
   * its own is refused by the guard, and asked for.
   */
  #bound({ id, scope, group }: Incident, plan: Plan, envelope: GroundedContextEnvelope): Plan {
    const { control, clock, personaOf } = this.#deps;
    const proposal = unusedYes(control(), id, clock.monotonicMs());
    if (proposal?.proposed && proposal.hash === approvalHash(proposal.call, envelope.failureClassification)) {
      const who = proposal.askedBy ?? 'operator';
      const because = `${who} asked for it, and the answer was yes (${proposal.id})`;
      return { kind: 'act', call: proposal.call, because, by: { kind: 'operator', who } };
    }
    if (plan.kind !== 'act' || TOOL_SPECS.get(plan.call.tool)?.effect === 'observe') return plan;
    const yes = unusedYes(control(), id, clock.monotonicMs());
    if (yes === undefined || yes.hash === approvalHash(plan.call, envelope.failureClassification)) return plan;
    if (accessOf(personaOf(scope, group), plan.call.tool) === 'require_approval') return plan;
    const because = `the yes was to ${describeCall(yes.call)}, now ${describeCall(plan.call)} is due: nothing was done`;
    return { kind: 'escalate', because, by: { kind: 'policy', because: 'a yes is a yes to nothing else' } };
  }

  #whyUnavailable(incident: Incident, tool: ToolName): string | undefined {
    const { scope, group, engine } = incident;
    const { personaOf, phaseOf, engines } = this.#deps;
    const capabilities = engines.get(engine)?.capabilities;
    const place = { persona: personaOf(scope, group), phase: phaseOf(incident, tool), engine, capabilities };
    return whyUnavailable(tool, place) ?? this.#whyInVain(scope, tool);
  }

  /** A channel whose source refuses, also since the last change of Reeve's, would be refused when it is started. */
  #whyInVain(scope: Scope, tool: ToolName): string | undefined {
    if (scope.kind !== 'channel' || !specOf(tool).startsProcess) return undefined;
    const { source, actedMs = 0 } = this.#deps.factStore.view(scope.id) ?? {};
    const { ok = true, status, monoMs = 0 } = source?.last ?? {};
    const isRefused = !ok && status !== undefined && REFUSALS.has(status) && monoMs > actedMs;
    return isRefused ? `its source still answers ${status}` : undefined;
  }

  #health(channel: ChannelId) {
    const facts = this.#deps.factStore.view(channel);
    if (facts === undefined) return { healthy: undefined, because: 'it is not configured' };
    return healthOf(facts, this.#deps.clock.monotonicMs());
  }
}
