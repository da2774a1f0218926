/** Runs all oracles after every event. */
import type { Limits } from '../../core/limits.ts';
import type { Persona } from '../../core/persona.ts';
import type { Sample } from '../../core/sample.ts';
import { highRiskBound } from '../../guard/bound.ts';
import { isDelivered } from '../../escalate/outbox.ts';
import type { Generation } from '../service_model.ts';
import type { Batch, Delivery, Invocation } from '../effect_log.ts';
import type { SimulatedDaemon } from '../simulated_daemon.ts';
import type { Scenario } from '../scenario.ts';
import { Breakers } from './breakers.ts';
import type { InvariantContext, Oracle, Violation } from './context.ts';
import { Containments } from './containments.ts';
import { Evidence } from './evidence.ts';
import { Pages } from './pages.ts';
import { Proofs } from './proofs.ts';
import { Rolling } from './rolling.ts';
import { Runs } from './runs.ts';
import { Starts } from './starts.ts';
import { OperatorCommands } from './operator_commands.ts';
import { OwnPersona } from './own_persona.ts';
import { RealStarts } from './real_starts.ts';
import { RealState } from './real_state.ts';
import { Reasons } from './reasons.ts';
import type { ServiceTruth, TruthOracle } from './service_truth.ts';
import { type ChannelTruth, Silence } from './silence.ts';

export type { Violation } from './context.ts';

const VIOLATIONS_MAX = 20;

export interface InvariantsDeps {
  readonly script: Scenario;
  readonly limits: Limits;
  /** As the policy file says now. */
  readonly personaOf: (channel?: string) => Persona;
  readonly nowMs: () => number;
  readonly poolOf: InvariantContext['poolOf'];
}

/**
 * Asserts every law that can be observed, after every event, from what the world itself has written down: calls that
 * reached the engine, messages that reached receivers, entries that became durable. It never asks the guard.
 */
export class Invariants {
  readonly violations: Violation[] = [];
  readonly #case: InvariantContext;
  readonly #starts: Starts;
  readonly #breakers: Breakers;
  readonly #proofs: Proofs;
  readonly #containments: Containments;
  readonly #operatorCommands: OperatorCommands;
  readonly #runs: Runs;
  readonly #pages: Pages;
  readonly #silence: Silence;
  readonly #realStarts: RealStarts;
  readonly #realState: RealState;
  readonly #ownPersona: OwnPersona;
  readonly #truths: readonly TruthOracle[];
  readonly #oracles: readonly Oracle[];
  #incidents = 0;
  #lastSeq = 0;

  constructor(deps: InvariantsDeps) {
    this.#case = {
      ...deps,
      get persona() {
        return deps.personaOf();
      },
      broke: (law, because) => this.broke(law, because),
    };
    const rolling = new Rolling(this.#case);
    this.#starts = new Starts(this.#case, rolling);
    this.#breakers = new Breakers(this.#case);
    this.#proofs = new Proofs(this.#case);
    this.#containments = new Containments(this.#case, this.#starts, this.#proofs);
    this.#operatorCommands = new OperatorCommands(this.#case);
    this.#runs = new Runs(this.#case);
    this.#pages = new Pages(this.#case);
    this.#silence = new Silence(this.#case);
    const evidence = new Evidence(this.#case);
    const books = [
      this.#proofs,
      this.#breakers,
      this.#containments,
      this.#operatorCommands,
      evidence,
      this.#runs,
      this.#pages,
    ];
    this.#realStarts = new RealStarts(this.#case, rolling);
    this.#realState = new RealState(this.#case);
    this.#ownPersona = new OwnPersona(this.#case, deps.personaOf);
    const reasons = new Reasons(this.#case, undefined, (plans) => this.#starts.isFull(this.#case.nowMs(), plans));
    this.#truths = [this.#realStarts, this.#realState, reasons];
    this.#oracles = [rolling, this.#starts, ...books, this.#silence, this.#realStarts, reasons];
  }

  broke(law: string, because: string): void {
    if (this.violations.length >= VIOLATIONS_MAX) return;
    this.violations.push({ law, atMs: this.#case.nowMs(), because });
  }

  batch({ entries }: Batch): void {
    for (const entry of entries) {
      if (entry.seq !== this.#lastSeq + 1) this.broke('S14', `entry ${entry.seq} follows ${this.#lastSeq}`);
      this.#lastSeq = entry.seq;
      if (entry.fact.type === 'incident.opened') this.#incidents += 1;
      for (const oracle of this.#oracles) oracle.entry(entry, entries);
    }
  }

  invoked(invocation: Invocation): void {
    this.#starts.invoked(invocation);
    this.#realStarts.invoked(invocation);
    this.#realState.invoked(invocation);
    this.#ownPersona.invoked(invocation);
    this.#proofs.invoked(invocation);
  }

  /** A sample that a probe delivered, before Reeve makes anything of it. */
  seen(sample: Sample): void {
    this.#proofs.seen(sample);
  }

  /** A call of a Reeve that has been asked to stop. */
  stopped({ tool, channel }: Invocation): void {
    if (tool === 'restart_channel') this.broke('S6', `${channel} was restarted after Reeve was asked to stop`);
  }

  delivered(delivery: Delivery): void {
    this.#pages.delivered(delivery);
  }

  /** Every channel as it really stands, on the clock of the process of Reeve that runs. */
  look(truths: Iterable<ChannelTruth>, monoMs: number): void {
    this.#silence.look(truths, monoMs);
  }

  /** The same for the oracles that know nothing of Reeve's books. */
  watch(truths: readonly ServiceTruth[], monoMs: number): void {
    for (const oracle of this.#truths) oracle.watch(truths, monoMs);
  }

  /** A new process of a channel, as it really began. */
  started(process: Generation): void {
    this.#starts.started(process);
    this.#realStarts.started(process);
  }

  /** Everything is healed since a while: what was promised must have come true. */
  demand({ ledger, outbox }: SimulatedDaemon, nowMs: number): void {
    const monoMs = ledger.clock.monotonicMs();
    if (this.#runs.openRuns > 0) this.broke('L2', `${this.#runs.openRuns} runs have not ended`);
    if (this.#operatorCommands.overdue(monoMs) > 0) this.broke('L2', 'a question is neither answered nor expired');
    for (const { key } of this.#containments.held) {
      const untilMs = this.#breakers.openUntilMs(key.replace(/^channel:|\|.*$/g, ''));
      const own = key.endsWith('|breaker_open') && untilMs !== undefined && monoMs < untilMs + 65_000;
      if (!own) this.broke('L2', `${key} has not ended`);
    }
    for (const key of this.#pages.unheard()) this.broke('L1', `no person was ever notified of ${key}`);
    for (const page of outbox().pages) if (!isDelivered(page)) this.broke('L1', `${page.key} was never delivered`);
    const chain = ledger.verify();
    if (!chain.ok) this.broke('S14', `the chain is broken: ${chain.because}`);
    this.#bound(nowMs);
  }

  /** S12: whoever planned, no more high-risk actions than the limits together allow. */
  #bound(nowMs: number): void {
    const { script, limits, persona } = this.#case;
    const bound = highRiskBound(nowMs, {
      highRiskPerGroupMax: limits.highRiskPerGroupMax,
      highRiskSpacingMs: limits.highRiskSpacingMs,
      groups: new Set(script.channels.map(({ group }) => group)).size,
      channels: script.channels.length,
      dailyRestartCap: limits.dailyRestartCap,
      fleetDailyRestartCap: limits.fleetDailyRestartCap ?? Math.max(20, script.channels.length),
      incidentCaps: this.#incidents * persona.restart_cap * script.channels.length,
    });
    const taken = this.#starts.single;
    if (taken > bound) this.broke('S12', `${taken} high-risk actions, the bound is ${bound}`);
  }
}
