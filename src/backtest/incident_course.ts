/** Asks one policy about each envelope of a recorded incident. */
import { scoreOf } from '../agent/score.ts';
import { approvalHash, hasYes } from '../control/approvals.ts';
import { controlProjection, phaseOf } from '../control/state.ts';
import type { ControlState } from '../control/state.ts';
import type { GroundedContextEnvelope } from '../core/envelope.ts';
import { countingIds } from '../core/id.ts';
import type { JournalFact, Read } from '../core/journal.ts';
import { describeDecider, type Plan } from '../core/plan.ts';
import {
  type Attempt,
  describeCall,
  type PermitTerms,
  type ToolCall,
  type ToolName,
  type Verification,
} from '../core/tool.ts';
import { guardProjection } from '../guard/state/fold.ts';
import type { CauseProof } from '../guard/checks/check_input.ts';
import { Guard } from '../guard/guard.ts';
import type { Phase } from '../core/control.ts';
import { whyUnavailable } from '../guard/checks/unavailable.ts';
import type { ExportedEntry, IncidentExport } from '../incident/export.ts';
import type { Settings } from '../incident/pipeline/settings.ts';
import { Ledger } from '../journal/ledger.ts';
import { MemoryStore } from '../journal/memory.ts';
import { VirtualClock } from '../replay/virtual_clock.ts';
import { proofIn } from './recorded_proof.ts';

/** What one policy decided on one recorded envelope. Undefined steps: it could not be asked any more in this run. */
export interface EnvelopeDecision {
  readonly seq: number;
  readonly at: number;
  readonly run: string | undefined;
  readonly envelope: GroundedContextEnvelope;
  readonly steps: readonly string[];
  readonly because: string;
}

type Of<T extends JournalFact['type']> = Extract<JournalFact, { type: T }>;

const STEPS_FULL = 3;
const STEPS_BELOW = 1;

/** Facts of the incident that are its own course, which each policy goes anew. */
const OWN_COURSE: ReadonlySet<string> = new Set([
  'envelope.taken',
  'plan.made',
  'guard.decided',
  'tool.started',
  'tool.finished',
  'tool.unknown',
  'attempt.verified',
  'attempt.relapsed',
  'run.started',
  'run.ended',
  'escalation.raised',
  'escalation.resolved',
  'approval.used',
]);

/**
 * One policy's course through a recorded incident: at each recorded envelope the rulebook and the guard are asked anew,
 * over the journal as it was by then, with this policy's own actions in place of the recorded ones.
 */
export class IncidentCourse {
  readonly decisions: EnvelopeDecision[] = [];
  readonly #file: IncidentExport;
  readonly #settings: Settings;
  readonly #clock: VirtualClock;
  readonly #ledger: Ledger;
  readonly #guard: Guard;
  readonly #control: Read<ControlState>;
  readonly #ids = countingIds();
  readonly #permits = new Map<string, PermitTerms>();
  #attempts: Attempt[] = [];
  #pending:
    | {
        readonly permit: PermitTerms;
        readonly before: GroundedContextEnvelope;
        result?: Attempt['result'];
        verification?: Verification;
      }
    | undefined;
  #highRiskUsed = false;
  /** What the witness of a shared cause had shown by the envelope that is asked about; undefined: not recorded. */
  #proof: CauseProof | undefined;
  #over = false;
  #classification: Of<'incident.opened'>['incident']['classification'];

  constructor(file: IncidentExport, settings: Settings) {
    this.#file = file;
    this.#settings = settings;
    this.#classification = file.incident.classification;
    const [first] = [...file.context, ...file.entries];
    this.#clock = new VirtualClock({ at: first?.at ?? 0, monoMs: first?.monoMs ?? 0 });
    this.#ledger = new Ledger(new MemoryStore(), this.#clock);
    this.#control = this.#ledger.register(controlProjection);
    const guardState = this.#ledger.register(guardProjection);
    const refs = new Map(file.channels.map((channel) => [channel.id, channel]));
    const can = new Map(file.capabilities.map((one) => [one.engine, new Set(one.can)]));
    this.#guard = new Guard({
      append: this.#ledger.append,
      clock: this.#ledger.clock,
      ids: this.#ids,
      limits: () => settings.limits,
      guardState,
      control: this.#control,
      channelOf: (id) => refs.get(id),
      capabilitiesOf: (engine) => can.get(engine) ?? new Set(),
      liveFacts: () => ({
        ...{ poolPressure: this.#last?.poolPressure, reportsPool: false, viewers: undefined },
        causeProof: this.#proof,
      }),
      initialPhase: (group) => settings.initialPhase(group),
      onEscalate: () => [],
    });
    this.#ledger.open();
  }

  get #last(): GroundedContextEnvelope | undefined {
    return this.decisions.at(-1)?.envelope;
  }

  /** The next entry of the record, in its order. */
  take(entry: ExportedEntry): void {
    while (this.#clock.step(entry.monoMs));
    const { fact, channel, incident, run } = entry;
    const isOwn = incident === this.#file.incident.id;
    if (
      fact.type === 'control.phase_set' &&
      this.#settings.initialPhase(this.#file.incident.group) !== this.#file.phase
    )
      return;
    if (!isOwn || !OWN_COURSE.has(fact.type)) {
      if (isOwn && fact.type === 'incident.reclassified') this.#classification = fact.to;
      this.#ledger.append([{ channel, incident, run, fact }]);
      return;
    }
    this.#go(entry);
  }

  #go(entry: ExportedEntry): void {
    const { fact } = entry;
    switch (fact.type) {
      case 'run.started':
        this.#attempts = [];
        this.#pending = undefined;
        this.#highRiskUsed = false;
        this.#over = false;
        break;
      case 'envelope.taken':
        this.#decide(entry, fact.envelope);
        break;
      case 'tool.started':
      case 'tool.finished':
      case 'tool.unknown':
      case 'attempt.verified':
      case 'attempt.relapsed':
        this.#follow(entry, fact);
        break;
    }
  }

  #decide(entry: ExportedEntry, envelope: GroundedContextEnvelope): void {
    this.#judgeStep(envelope);
    const stepsMax = Math.min(this.#settings.limits.stepsMax, this.#persona.planning_depth_max, this.#phaseSteps());
    if (this.#over || this.#attempts.length >= stepsMax) {
      if (this.#attempts.length === 0 && !this.#over)
        this.#note(entry, envelope, ['plans nothing: no steps are allowed']);
      return;
    }
    const plan = this.#settings.rulebook.decide(envelope, this.#attempts, (tool) => this.#allowed(tool));
    if (plan === undefined) return this.#note(entry, envelope, ['plans escalate: no rule fits']);
    if (plan.kind !== 'act') {
      this.#over = true;
      return this.#note(entry, envelope, [`plans ${plan.kind}, by ${describeDecider(plan.by)}`], plan.because);
    }
    this.#ask(entry, envelope, plan);
  }

  #ask(entry: ExportedEntry, envelope: GroundedContextEnvelope, plan: Extract<Plan, { kind: 'act' }>): void {
    const { call } = plan;
    const planned = `plans ${describeCall(call)}, by ${describeDecider(plan.by)}`;
    this.#proof = proofIn(this.#file, entry.seq);
    const decision = this.#guard.decide({
      call,
      envelope,
      persona: this.#persona,
      incident: { ...this.#file.incident, classification: this.#classification },
      run: entry.run ?? 'run-replay',
      decider: plan.by,
      stepHighRiskUsed: this.#highRiskUsed,
      approval: this.#approvalFor(call, envelope),
    });
    if (decision.verdict === 'deny') {
      this.#over = true;
      const refused = `refuses ${describeCall(call)}: ${decision.code}`;
      return this.#note(entry, envelope, [planned, refused], decision.because);
    }
    const { terms } = decision.permit;
    this.#highRiskUsed ||= terms.risk === 'high';
    this.#pending = { permit: terms, before: envelope };
    this.#note(entry, envelope, [planned, `allows ${describeCall(call)}`], plan.because);
  }

  /** What the record states of the same call is taken for ours; of any other call it states nothing. */
  #follow(
    entry: ExportedEntry,
    fact: Of<'tool.started' | 'tool.finished' | 'tool.unknown' | 'attempt.verified' | 'attempt.relapsed'>,
  ): void {
    const recorded = fact.permit;
    const pending = this.#pending;
    if (pending !== undefined && describeCall(recorded.call) === describeCall(pending.permit.call)) {
      this.#permits.set(recorded.id, pending.permit);
      if (fact.type === 'tool.finished') pending.result = fact.result;
      if (fact.type === 'attempt.verified') pending.verification = fact.verification;
    }
    const permit = this.#permits.get(recorded.id);
    if (permit === undefined) return;
    const { channel, incident, run } = entry;
    this.#ledger.append([{ channel, incident, run, fact: { ...fact, permit } }]);
  }

  /** The step before is judged by this envelope. A call that the record does not know ends the run: what then? */
  #judgeStep(envelope: GroundedContextEnvelope): void {
    const pending = this.#pending;
    this.#pending = undefined;
    if (pending === undefined) return;
    const { result, verification, before, permit } = pending;
    if (result === undefined) {
      this.#over = true;
      return this.#imagine(permit);
    }
    const score = scoreOf(before, { envelope, result, verification });
    this.#attempts.push({ result, verification, score });
    if (verification !== undefined && score < this.#persona.retry_threshold) this.#over = true;
    if (score === 1) this.#over = true;
  }

  /** It would have been done, so it counts as done: cooldowns and budgets begin. */
  #imagine(permit: PermitTerms): void {
    const { id, call, incident, run } = permit;
    const result = { permit: id, call, ok: true, summary: 'written down, not done', durationMs: 0, code: undefined };
    const about = { channel: call.target.kind === 'channel' ? call.target.id : undefined, incident, run };
    const facts: readonly JournalFact[] = [
      { type: 'tool.started', permit },
      { type: 'tool.finished', permit, result },
    ];
    this.#ledger.append(facts.map((fact) => ({ ...about, fact })));
  }

  #note(
    { seq, at, run }: ExportedEntry,
    envelope: GroundedContextEnvelope,
    steps: readonly string[],
    because = '',
  ): void {
    this.decisions.push({ seq, at, run, envelope, steps, because });
  }

  get #persona() {
    const { scope, group } = this.#file.incident;
    return this.#settings.personaOf(scope, group);
  }

  #phase(): Phase {
    const { group } = this.#file.incident;
    return phaseOf(this.#control(), group, this.#settings.initialPhase(group));
  }

  #phaseSteps(): number {
    return this.#phase() >= 4 ? STEPS_FULL : STEPS_BELOW;
  }

  /** Persona, mode, capability and phase: tools are filtered before planning, as in the daemon. */
  #allowed(tool: ToolName): true | string {
    const { engine } = this.#file.incident;
    const can = this.#file.capabilities.find((one) => one.engine === engine)?.can ?? [];
    const place = { persona: this.#persona, phase: this.#phase(), engine, capabilities: new Set(can) };
    return whyUnavailable(tool, place) ?? true;
  }

  #approvalFor(call: ToolCall, envelope: GroundedContextEnvelope): string | undefined {
    const hash = approvalHash(call, envelope.failureClassification);
    const nowMs = this.#clock.monotonicMs();
    const kept = this.#control().approvals.find(({ approval }) =>
      hasYes(this.#control(), approval.id, hash, { nowMs }),
    );
    return kept?.approval.id;
  }
}
