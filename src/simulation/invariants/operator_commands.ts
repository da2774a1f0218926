/** The oracle of law S9 for people's commands. */
import type { JournalEntry } from '../../core/journal.ts';
import { accessOf, approversNeeded } from '../../core/persona.ts';
import { keyOfScope, type Scope } from '../../core/scope.ts';
import type { PermitTerms } from '../../core/tool.ts';
import { canonicalJson } from '../../core/wire.ts';
import { type InvariantContext, changes, type FactOf, type Oracle, scopesOver } from './context.ts';

interface Stretch {
  readonly key: string;
  readonly id: string;
  readonly fromMs: number;
  untilMs: number;
}

interface Question {
  readonly call: string;
  readonly classification: string | undefined;
  readonly expiresMs: number;
  readonly askedMs: number;
  readonly boot: string;
  /** How many people it needs, and who is for it; who asked counts where two are needed. */
  readonly eyes: number;
  readonly voices: Set<string>;
  state: 'pending' | 'yes' | 'no' | 'used' | 'expired';
}

/** A question may outlive its time by an upkeep or two. */
const LATE_MS = 5_000;

const PHASE_NEEDED = { low: 2, medium: 3, high: 3 } as const;

/** S9: nothing is done that a person, the phase or the persona has said no to. A yes serves once, and only its call. */
export class OperatorCommands implements Oracle {
  readonly #case: InvariantContext;
  #frozen = false;
  #aliveMs = 0;
  #phase: number;
  /** Of a journal that was set back, until a person sets a phase. */
  #heldPhase: number | undefined;
  readonly #groupPhases = new Map<string, number>();
  #stretches: Stretch[] = [];
  readonly #questions = new Map<string, Question>();

  constructor(world: InvariantContext) {
    this.#case = world;
    this.#phase = world.script.phase;
  }

  entry(entry: JournalEntry, batch: readonly JournalEntry[]): void {
    const { fact, monoMs } = entry;
    if (fact.type === 'reeve.started') this.#aliveMs = monoMs;
    else if (!batch.some((one) => one.fact.type === 'reeve.started')) this.#late(monoMs);
    switch (fact.type) {
      case 'control.frozen':
      case 'control.thawed':
        this.#frozen = fact.type === 'control.frozen';
        return;
      case 'control.phase_set':
        return this.#phaseSet(fact);
      case 'control.phase_held':
        this.#heldPhase = fact.phase;
        return;
      case 'control.leased':
        return this.#stretch('lease', fact.scope, { fromMs: monoMs, untilMs: monoMs + fact.forMs });
      case 'control.lease_ended':
        return this.#end(`lease ${keyOfScope(fact.scope)}`, monoMs);
      case 'control.window_added': {
        const fromMs = monoMs + fact.startsInMs;
        return this.#stretch(`window ${fact.window}`, fact.scope, { fromMs, untilMs: fromMs + fact.forMs });
      }
      case 'control.window_ended':
        return this.#end(`window ${fact.window}`, monoMs);
      case 'guard.decided':
        if (fact.decision.verdict === 'allow') this.#allowed(fact.decision.permit, entry, batch);
        return;
      case 'tool.started':
        return this.#started(fact.permit, monoMs);
      default:
        return this.#question(entry);
    }
  }

  #phaseSet({ group, phase }: FactOf<'control.phase_set'>): void {
    if (group !== undefined) return void this.#groupPhases.set(group, phase);
    this.#phase = phase;
    this.#heldPhase = undefined;
  }

  #late(nowMs: number): void {
    for (const [id, { state, expiresMs }] of this.#questions) {
      if (state !== 'pending' || !this.#isOver(expiresMs, nowMs)) continue;
      this.#move(id, 'expired', ['pending']);
      this.#case.broke('L2', `${id} waits for an answer ${nowMs - expiresMs} ms after its time`);
    }
  }

  /** Questions that should be over by now; one that was asked a moment ago may still wait. */
  overdue(nowMs: number): number {
    const pending = [...this.#questions.values()].filter(({ state }) => state === 'pending');
    return pending.filter(({ expiresMs }) => this.#isOver(expiresMs, nowMs)).length;
  }

  #isOver(expiresMs: number, nowMs: number): boolean {
    return nowMs >= Math.max(expiresMs, this.#aliveMs) + LATE_MS;
  }

  #stretch(name: string, scope: Scope, times: { fromMs: number; untilMs: number }): void {
    const key = keyOfScope(scope);
    const id = name === 'lease' ? `lease ${key}` : name;
    this.#stretches = this.#stretches.filter((one) => one.id !== id);
    this.#stretches.push({ key, id, ...times });
  }

  #end(id: string, nowMs: number): void {
    for (const one of this.#stretches) if (one.id === id) one.untilMs = Math.min(one.untilMs, nowMs);
  }

  #question({ fact, monoMs, boot }: JournalEntry): void {
    if (fact.type === 'approval.asked') {
      const { call, classification, id, expiresMs, eyes = 1, askedBy } = fact.approval;
      const voices = new Set(eyes > 1 && askedBy !== undefined ? [askedBy] : []);
      const asked = { call: canonicalJson(call), classification, expiresMs, eyes, voices, askedMs: monoMs, boot };
      this.#questions.set(id, { ...asked, state: 'pending' });
    }
    if (fact.type === 'approval.answered') this.#answered(fact);
    if (fact.type === 'approval.expired') this.#move(fact.id, 'expired', ['pending', 'yes']);
  }

  #answered({ id, yes, who }: FactOf<'approval.answered'>): void {
    if (!yes) return this.#move(id, 'no', ['pending']);
    const question = this.#questions.get(id);
    question?.voices.add(who);
    if (question !== undefined && question.voices.size >= question.eyes) this.#move(id, 'yes', ['pending']);
  }

  #move(id: string, to: Question['state'], from: readonly Question['state'][]): void {
    const question = this.#questions.get(id);
    if (question !== undefined && from.includes(question.state)) question.state = to;
  }

  #allowed({ call, id, parent }: PermitTerms, now: JournalEntry, batch: readonly JournalEntry[]): void {
    const { persona, broke } = this.#case;
    const used = batch.flatMap(({ fact }) => (fact.type === 'approval.used' ? [fact] : []));
    if (accessOf(persona, call.tool) === 'require_approval' && parent === undefined) this.#needsYes(call, id, used);
    for (const { id: question } of used) {
      this.#isInTime(question, now);
      this.#move(question, 'used', ['yes']);
    }
    if (accessOf(persona, call.tool) === 'deny') broke('S9', `${call.tool} is denied by ${persona.id} (${id})`);
  }

  /** Law T3: a question, and the yes to it, are older by what the machine has slept since. */
  #isInTime(id: string, { monoMs, boot }: JournalEntry): void {
    const question = this.#questions.get(id);
    if (question === undefined || question.boot !== boot) return;
    const sleptMs = this.#case.sleptSinceMs?.(question.askedMs) ?? 0;
    const lateMs = monoMs + sleptMs - question.expiresMs;
    if (lateMs >= 0)
      this.#case.broke('T3', `the yes to ${id} was used ${lateMs} ms after its time, ${sleptMs} of them asleep`);
  }

  #needsYes(call: PermitTerms['call'], id: string, used: readonly FactOf<'approval.used'>[]): void {
    const question = used.map((fact) => this.#questions.get(fact.id)).find((one) => one !== undefined);
    const enough = (question?.voices.size ?? 0) >= approversNeeded(this.#case.persona);
    const fits = enough && question?.state === 'yes' && question.call === canonicalJson(call);
    if (!fits) this.#case.broke('S9', `${call.tool} (${id}) was allowed without a person's unused yes to exactly this`);
  }

  #started({ call, risk, engine, id }: PermitTerms, nowMs: number): void {
    if (!changes(call.tool)) return;
    const { persona, broke } = this.#case;
    const what = `${call.tool} on ${keyOfScope(call.target)} (${id})`;
    if (this.#frozen) broke('S9', `${what} began while frozen`);
    const over = scopesOver(call.target, this.#case, engine);
    const held = this.#stretches.find((one) => over.has(one.key) && one.fromMs <= nowMs && nowMs < one.untilMs);
    if (held !== undefined) broke('S9', `${what} began within ${held.id}`);
    const groups = [...over].map((key) => key.replace('group:', '')).concat(this.#groupsOfWhole(call));
    const phases = groups.flatMap((group) => this.#groupPhases.get(group) ?? []);
    const phase = Math.min(this.#phase, this.#heldPhase ?? this.#phase, ...phases);
    if (phase < PHASE_NEEDED[risk]) broke('S9', `${what} began in phase ${phase}`);
    if (persona.operational_mode !== 'remediation') broke('S9', `${what} began in mode ${persona.operational_mode}`);
  }

  /** The groups of an engine that a call acts on as a whole; a plan starts each channel in the phase of its own. */
  #groupsOfWhole({ tool, target }: PermitTerms['call']): readonly string[] {
    if (target.kind !== 'engine' || tool === 'restart_channel') return [];
    return this.#case.script.channels.flatMap(({ engine, group }) => (engine === target.id ? [group] : []));
  }
}
