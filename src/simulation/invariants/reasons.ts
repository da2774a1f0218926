/** The oracle of law L5. */
import type { Outcome } from '../../core/incident.ts';
import type { JournalEntry } from '../../core/journal.ts';
import { PATIENCE_MS } from '../../core/persona.ts';
import { keyOfScope, type Scope } from '../../core/scope.ts';
import type { Generation } from '../service_channel.ts';
import { covers, type FactOf, type InvariantContext, type Oracle } from './context.ts';
import { GroupWaits } from './group_waits.ts';
import type { Proofs } from './proofs.ts';
import type { ServiceTruth, TruthOracle } from './service_truth.ts';

/** What L5 allows, and one look beside it: channels are sampled every five seconds. */
const ASKED_MS_MAX = 5_000 + 7_000;
/** A Reeve that has just begun has fresh evidence by then: output is late after 10 s and called unknown 10 s later. */
const DETECTION_MS_MAX = 20_000;
/** What the Reeve before this one saw of a death is known for so long after its last record (law S10). */
const RECALL_MS = 120_000;
/** Refusals that pass; what a persona or a cap refuses stays refused. */
const PASSING: ReadonlySet<string> = new Set([
  'containment',
  'shared_cause',
  'high_risk_spacing',
  'cooldown',
  'restart_storm',
  'hands_off',
  'maintenance',
  'frozen',
]);

/** These stay for as long as the incident is open: a plan for several that names the channel asks nothing new. */
const STAYING: ReadonlySet<string> = new Set(['restart_cap', 'already_tried']);

/** What L5 forbids and Reeve still does, by the code of the refusal; an entry goes when its cause is mended. */
const OPEN_REASONS: ReadonlySet<string> = new Set();

interface Refusal {
  readonly code: string;
  readonly incident: string;
  /** When it passes by itself, on Reeve's clock; undefined: when its hold ends. */
  untilMs: number | undefined;
  /** Somebody else has started the channel since: what is wrong with that process is a new trouble. */
  isNewProcess?: true;
}

interface Running {
  readonly scope: Scope;
  /** What had been refused when it began. */
  readonly before: ReadonlyMap<string, Refusal>;
  /** The channels that its plan names, where it is one for several. */
  named?: readonly string[];
  /** Whose own incident began since: their trouble is another one, about which that incident asks. */
  readonly parted: Set<string>;
}

/** What other oracles know. */
interface Others {
  /**
   * The window of starts has no place now, so every start waits in the queue (law S2). It is asked with the number of
   * plans under way: each of them takes its next start first.
   */
  readonly isFull?: (plansUnderWay: number) => boolean;
  readonly proofs?: Pick<Proofs, 'missing'>;
  /** The restarts of the channel in that incident are used, which is a refusal that stays (law S5). */
  readonly isCapped?: (channel: string, incident: string) => boolean;
}

/**
 * L5: what was refused for a reason that passes is asked about again once the reason has passed, while the service says
 * that a start would still help. When reasons begin and end is read from what people and the guard wrote down.
 */
export class Reasons implements Oracle, TruthOracle {
  readonly #case: InvariantContext;
  readonly #open: ReadonlySet<string>;
  readonly #isFull: (plansUnderWay: number) => boolean;
  readonly #isCapped: (channel: string, incident: string) => boolean;
  readonly #refusals = new Map<string, Refusal>();
  /** Channels whose own open incident was refused for what stays: they are a person's. */
  readonly #settled = new Map<string, string>();
  readonly #groupWaits: GroupWaits;
  readonly #holds = new Map<string, { readonly scope: Scope; readonly untilMs: number }>();
  readonly #scopes = new Map<string, Scope>();
  readonly #running = new Map<string, Running>();
  /** What is asked rests on fresh evidence, which the process of Reeve that runs has by then, patience included. */
  #evidenceMs = 0;
  /** The last records of two different moments; a Reeve that begins writes some of its own before it says so. */
  #recordMs = 0;
  #recordBeforeMs = 0;
  /** The last record of the Reeve before the one that runs. */
  #leftMs = Number.POSITIVE_INFINITY;
  /** Whom the process of Reeve that runs has been able to see, or has asked about. */
  readonly #seen = new Set<string>();
  /** Since when a channel could have been asked about. */
  readonly #dueMs = new Map<string, number>();

  constructor(world: InvariantContext, open = OPEN_REASONS, others: Others = {}) {
    this.#case = world;
    this.#groupWaits = new GroupWaits(world, others.proofs);
    this.#open = open;
    this.#isFull = others.isFull ?? (() => false);
    this.#isCapped = others.isCapped ?? (() => false);
  }

  entry(entry: JournalEntry): void {
    this.#groupWaits.entry(entry);
    const { fact, run = '', incident = '', monoMs } = entry;
    if (monoMs > this.#recordMs) [this.#recordBeforeMs, this.#recordMs] = [this.#recordMs, monoMs];
    switch (fact.type) {
      case 'reeve.started':
        this.#running.clear();
        this.#seen.clear();
        if (this.#recordBeforeMs > 0) this.#leftMs = this.#recordBeforeMs;
        this.#evidenceMs = monoMs + DETECTION_MS_MAX + PATIENCE_MS[this.#case.persona.aggressiveness];
        return this.#dueMs.clear();
      case 'incident.opened':
        return this.#opened(fact.incident.id, fact.incident.scope);
      case 'incident.closed':
        return this.#closed(incident);
      case 'run.started':
        return this.#asked(run, this.#scopes.get(incident));
      case 'run.ended':
        this.#tried(incident, fact.outcome);
        return this.#ended(run);
      case 'plan.made':
        return this.#planned(run, fact.plan);
      case 'guard.decided':
        return this.#refused(fact, entry);
      case 'containment.raised':
        return this.#hold(`${keyOfScope(fact.scope)} ${fact.reason}`, fact.scope, Number.POSITIVE_INFINITY);
      case 'containment.cleared':
        return void this.#holds.delete(`${keyOfScope(fact.scope)} ${fact.reason}`);
      case 'control.frozen':
        return this.#hold('freeze', { kind: 'fleet' }, Number.POSITIVE_INFINITY);
      case 'control.thawed':
        return void this.#holds.delete('freeze');
      case 'control.leased':
        return this.#hold(`lease ${keyOfScope(fact.scope)}`, fact.scope, monoMs + fact.forMs);
      case 'control.lease_ended':
        return void this.#holds.delete(`lease ${keyOfScope(fact.scope)}`);
      case 'control.window_added':
        return this.#hold(`window ${fact.window}`, fact.scope, monoMs + fact.startsInMs + fact.forMs);
      case 'control.window_ended':
        return void this.#holds.delete(`window ${fact.window}`);
    }
  }

  #opened(id: string, scope: Scope): void {
    this.#scopes.set(id, scope);
    if (scope.kind !== 'channel') return;
    for (const { named, parted } of this.#running.values()) if (named !== undefined) parted.add(scope.id);
  }

  #closed(incident: string): void {
    const scope = this.#scopes.get(incident);
    if (scope?.kind !== 'channel') return;
    if (this.#settled.get(scope.id) === incident) this.#settled.delete(scope.id);
    for (const { parted } of this.#running.values()) parted.delete(scope.id);
  }

  /** A process has really begun. */
  started({ channel, by }: Generation): void {
    const refusal = this.#refusals.get(channel);
    if (refusal === undefined || by === 'reeve') return;
    refusal.isNewProcess = true;
    this.#dueMs.delete(channel);
  }

  watch(truths: readonly ServiceTruth[], monoMs: number): void {
    for (const { channel, visible } of truths) if (visible) this.#sees(channel, monoMs);
    const plans = [...this.#running.values()].filter(({ scope }) => scope.kind !== 'channel').length;
    if (this.#isFull(plans)) return this.#dueMs.clear();
    for (const { channel, status, visible } of truths) {
      const refusal = this.#refusals.get(channel);
      if (refusal === undefined) continue;
      if (status === 'playing') this.#refusals.delete(channel);
      const waits = this.#held(channel, monoMs) || this.#groupWaits.holds(channel, monoMs, refusal.code);
      const isHeld = waits || this.#isCapped(channel, refusal.incident);
      const isOpen = status === 'curable' && visible && !isHeld && !this.#isAsking(channel);
      if (!isOpen || monoMs < (refusal.untilMs ?? 0)) {
        this.#dueMs.delete(channel);
        continue;
      }
      const dueMs = this.#dueMs.get(channel) ?? Math.max(monoMs, this.#evidenceMs);
      this.#dueMs.set(channel, dueMs);
      // Patience is with a trouble, so it begins anew with one of another process.
      const patienceMs = refusal.isNewProcess === true ? PATIENCE_MS[this.#case.persona.aggressiveness] : 0;
      if (monoMs - dueMs <= ASKED_MS_MAX + patienceMs) continue;
      this.#refusals.delete(channel);
      const { code } = refusal;
      if (this.#open.has(code)) continue;
      this.#case.broke(
        'L5',
        `${channel} was refused (${code}), which passed ${monoMs - dueMs} ms ago, and not asked about again`,
      );
    }
  }

  /** Who is found down long after anybody saw it die is a person's: nobody knows what it died of (law S10). */
  #sees(channel: string, monoMs: number): void {
    if (this.#seen.has(channel)) return;
    this.#seen.add(channel);
    if (monoMs - this.#leftMs > RECALL_MS) this.#refusals.delete(channel);
  }

  #refused(
    { call, decision }: FactOf<'guard.decided'>,
    { incident = '', run = '', channel, monoMs }: JournalEntry,
  ): void {
    if (!call.startsWith('restart_channel')) return;
    if (decision.verdict !== 'deny') return this.#answered(channel);
    const { code, retryAfterMs } = decision;
    const untilMs = retryAfterMs === undefined ? undefined : monoMs + retryAfterMs;
    this.#settle(channel, incident, code);
    // The fleet's cap refuses everybody, whoever was asked about.
    if (code === 'fleet_daily_cap') this.#hold(code, { kind: 'fleet' }, untilMs ?? monoMs);
    for (const id of this.#concerned(channel, run, incident)) {
      this.#dueMs.delete(id);
      this.#seen.add(id);
      if (PASSING.has(code) && !this.#settled.has(id)) this.#refusals.set(id, { code, incident, untilMs });
      else this.#refusals.delete(id);
    }
  }

  /** A start of its own that did not help is not made again (question 9). */
  #tried(incident: string, outcome: Outcome): void {
    const scope = this.#scopes.get(incident);
    if (scope?.kind !== 'channel') return;
    if (outcome.kind === 'escalated' && outcome.reason === 'not_helping') this.#settled.set(scope.id, incident);
  }

  #settle(channel: string | undefined, incident: string, code: string): void {
    if (channel === undefined || this.#scopes.get(incident)?.kind !== 'channel') return;
    if (STAYING.has(code)) this.#settled.set(channel, incident);
    else this.#settled.delete(channel);
  }

  /** Whom a refusal is about. Of a plan for several it is those whom it names: nobody asked about the others. */
  #concerned(channel: string | undefined, run: string, incident: string): readonly string[] {
    const { named, parted } = this.#running.get(run) ?? {};
    if (channel !== undefined) return parted?.has(channel) === true ? [] : [channel];
    const scope = this.#scopes.get(incident);
    const all = this.#case.script.channels.map(({ id }) => id);
    return named ?? all.filter((id) => scope !== undefined && covers(scope, id, this.#case));
  }

  /** Within a plan each channel is asked about by itself: who was let through has had its turn, whatever came of it. */
  #answered(channel: string | undefined): void {
    if (channel === undefined) return;
    this.#refusals.delete(channel);
    this.#dueMs.delete(channel);
  }

  /** A run is the question: whatever it comes to, its refusals are written down anew. */
  #asked(run: string, scope: Scope | undefined): void {
    if (scope === undefined) return;
    this.#running.set(run, { scope, before: new Map(this.#refusals), parted: new Set() });
    if (scope.kind === 'channel') this.#answered(scope.id);
  }

  /** A plan for several is the question about those whom it names. */
  #planned(run: string, plan: FactOf<'plan.made'>['plan']): void {
    const running = this.#running.get(run);
    if (running === undefined || plan.kind !== 'act' || plan.call.channels.length === 0) return;
    running.named = plan.call.channels;
    for (const id of running.named) this.#answered(id);
  }

  /** Where it came to no such plan, it was the question about all of its scope. */
  #ended(run: string): void {
    const running = this.#running.get(run);
    this.#running.delete(run);
    if (running === undefined || running.scope.kind === 'channel' || running.named !== undefined) return;
    for (const [id, refusal] of running.before) {
      if (this.#refusals.get(id) === refusal && covers(running.scope, id, this.#case)) this.#answered(id);
    }
  }

  #isAsking(channel: string): boolean {
    return [...this.#running.values()].some(({ scope }) => covers(scope, channel, this.#case));
  }

  #held(channel: string, monoMs: number): boolean {
    return [...this.#holds.values()].some(
      ({ scope, untilMs }) => monoMs < untilMs && covers(scope, channel, this.#case),
    );
  }

  #hold(key: string, scope: Scope, untilMs: number): void {
    this.#holds.set(key, { scope, untilMs });
  }
}
