/** Runs all oracles after every event. */
import type { Limits } from '../../core/limits.ts';
import type { JournalEntry } from '../../core/journal.ts';
import type { Persona } from '../../core/persona.ts';
import type { Sample } from '../../core/sample.ts';
import { highRiskBound } from '../../guard/bound.ts';
import { isDelivered } from '../../escalate/outbox.ts';
import type { UnjournaledPort } from '../../incident/pipeline/ports.ts';
import type { Generation } from '../service_model.ts';
import type { Batch, Delivery, Invocation } from '../effect_log.ts';
import type { SimulatedDaemon } from '../simulated_daemon.ts';
import type { Scenario } from '../scenario.ts';
import { type Books, openBooks, replayInto } from './books.ts';
import type { InvariantContext, Oracle, Violation } from './context.ts';
import { Rolling } from './rolling.ts';
import { Starts } from './starts.ts';
import { OwnPersona } from './own_persona.ts';
import { RealStarts } from './real_starts.ts';
import { RealState } from './real_state.ts';
import { type RottenDisk, Rot } from './rot.ts';
import { SetBacks } from './set_backs.ts';
import { type Surroundings, Unwritten } from './unwritten.ts';
import type { ServiceTruth, TruthOracle } from './service_truth.ts';
import type { ChannelTruth } from './silence.ts';

export type { Violation } from './context.ts';

const VIOLATIONS_MAX = 20;

export interface InvariantsDeps {
  readonly script: Scenario;
  readonly limits: Limits;
  /** As the policy file says now. */
  readonly personaOf: (channel?: string) => Persona;
  readonly nowMs: () => number;
  readonly poolOf: InvariantContext['poolOf'];
  readonly sleptSinceMs?: NonNullable<InvariantContext['sleptSinceMs']>;
  readonly surroundings: Surroundings & RottenDisk;
  /** The present process began on a journal with a rotten record: what it believes is not what happened. */
  readonly isMisled: () => boolean;
  /** Hears of each broken law. */
  readonly onBroken?: InvariantContext['broke'];
}

/**
 * Asserts every law that can be observed, after every event, from what the world itself has written down: calls that
 * reached the engine, messages that reached receivers, entries that became durable. It never asks the guard.
 */
export class Invariants {
  readonly violations: Violation[] = [];
  readonly #case: InvariantContext;
  /** For the oracles that hold Reeve to its own books. */
  readonly #bookCase: InvariantContext;
  readonly #starts: Starts;
  #books: Books;
  readonly #realStarts: RealStarts;
  readonly #realState: RealState;
  readonly #ownPersona: OwnPersona;
  readonly #setBacks: SetBacks;
  /** Told by whoever holds the journal. */
  readonly unwritten: Unwritten;
  readonly rot: Rot;
  readonly #rolling: Rolling;
  readonly #surroundings: InvariantsDeps['surroundings'];
  readonly #deliveries: Delivery[] = [];
  /** What is read again has been judged before. */
  #isReading = false;
  /** When what is read again was written; undefined: nothing is. */
  #readingMs: number | undefined;
  readonly #writtenMs = new Map<number, number>();
  #incidents = 0;
  readonly #onBroken: InvariantsDeps['onBroken'];
  #lastSeq = 0;

  constructor(deps: InvariantsDeps) {
    this.#onBroken = deps.onBroken;
    this.#surroundings = deps.surroundings;
    this.#case = {
      ...deps,
      get persona() {
        return deps.personaOf();
      },
      broke: (law, because) => this.broke(law, because),
    };
    this.#bookCase = {
      ...this.#case,
      get persona() {
        return deps.personaOf();
      },
      nowMs: () => this.#readingMs ?? deps.nowMs(),
      broke: (law, because) => deps.isMisled() || this.broke(law, because),
    };
    this.#rolling = new Rolling(this.#case);
    this.#starts = new Starts(this.#case, this.#rolling);
    this.#books = openBooks(this.#bookCase, this.#starts, this.#surroundings);
    this.#realStarts = new RealStarts(this.#case, this.#rolling);
    this.#realState = new RealState(this.#case);
    this.#ownPersona = new OwnPersona(this.#case, deps.personaOf);
    this.#setBacks = new SetBacks(this.#case);
    this.unwritten = new Unwritten(this.#case, deps.surroundings);
    this.rot = new Rot(this.#case, deps.surroundings);
  }

  /** Hears of the pages that the journal cannot take. */
  readonly unjournaled: Omit<UnjournaledPort, 'isNeeded'> = {
    raise: (page) => this.#books.silence.unjournaled(page),
    resolve: (key) => this.#books.silence.ended(key),
  };

  get #oracles(): readonly Oracle[] {
    const ofWorld = [this.#realStarts, this.#setBacks, this.unwritten, this.rot];
    return [this.#rolling, this.#starts, ...this.#books.all, ...ofWorld];
  }

  get #truths(): readonly TruthOracle[] {
    return [this.#realStarts, this.#realState, this.#books.reasons, this.unwritten, this.rot];
  }

  /** Reeve is given an older journal: the books follow that one from now on. What really happened stays what it was. */
  setBack(entries: readonly JournalEntry[]): void {
    const last = entries.at(-1);
    this.#lastSeq = last?.seq ?? 0;
    const { silence, pages } = this.#books;
    const paged = silence.pagedOf((key) => pages.isHeard(key));
    this.#books = openBooks(this.#bookCase, this.#starts, this.#surroundings);
    this.#isReading = true;
    replayInto(this.#books, entries, this.#deliveries, ({ seq }) => {
      this.#readingMs = this.#writtenMs.get(seq);
    });
    this.#isReading = false;
    this.#readingMs = undefined;
    this.#books.silence.remember(paged);
    this.#books.pages.setBack();
    this.#books.latePages.setBack();
    this.#starts.setBack(this.#lastSeq);
    this.#setBacks.setBack(last?.monoMs);
  }

  /** Reeve waited in the middle of an append: what is due by then may be late by that. */
  stoodStill(forMs: number): void {
    this.#books.silence.stoodStill(forMs);
  }

  broke(law: string, because: string): void {
    if (this.#isReading || this.violations.length >= VIOLATIONS_MAX) return;
    this.violations.push({ law, atMs: this.#case.nowMs(), because });
    this.#onBroken?.(law, because);
  }

  batch({ entries }: Batch): void {
    const oracles = this.#oracles;
    for (const entry of entries) {
      if (entry.seq !== this.#lastSeq + 1) this.broke('S14', `entry ${entry.seq} follows ${this.#lastSeq}`);
      this.#lastSeq = entry.seq;
      this.#writtenMs.set(entry.seq, this.#case.nowMs());
      if (entry.fact.type === 'incident.opened') this.#incidents += 1;
      for (const oracle of oracles) oracle.entry(entry, entries);
    }
  }

  invoked(invocation: Invocation): void {
    this.#starts.invoked(invocation);
    this.#realStarts.invoked(invocation);
    this.#realState.invoked(invocation);
    this.#ownPersona.invoked(invocation);
    this.#setBacks.invoked(invocation);
    this.unwritten.invoked(invocation);
    this.rot.invoked(invocation);
    this.#books.proofs.invoked(invocation);
  }

  /** A sample that a probe delivered, before Reeve makes anything of it. */
  seen(sample: Sample): void {
    this.#books.proofs.seen(sample);
  }

  /** A call of a Reeve that has been asked to stop. */
  stopped({ tool, channel }: Invocation): void {
    if (tool === 'restart_channel') this.broke('S6', `${channel} was restarted after Reeve was asked to stop`);
  }

  delivered(delivery: Delivery): void {
    this.#deliveries.push(delivery);
    this.#books.pages.delivered(delivery);
    this.#books.latePages.delivered(delivery);
    this.#books.heartbeats.delivered(delivery);
    this.unwritten.delivered(delivery);
    this.rot.delivered(delivery);
  }

  /** Every channel as it really stands, on the clock of the process of Reeve that runs. */
  look(truths: Iterable<ChannelTruth>, monoMs: number, isHeartbeatWithheld: boolean): void {
    this.#books.silence.look(truths, monoMs);
    this.#books.latePages.look(monoMs);
    this.#books.heartbeats.look(monoMs, isHeartbeatWithheld);
  }

  /** The same for the oracles that know nothing of Reeve's books. */
  watch(truths: readonly ServiceTruth[], monoMs: number): void {
    for (const oracle of this.#truths) oracle.watch(truths, monoMs);
  }

  /** A new process of a channel, as it really began. */
  started(process: Generation): void {
    this.#starts.started(process);
    this.#realStarts.started(process);
    this.#books.reasons.started(process);
  }

  /** Everything is healed since a while: what was promised must have come true. */
  demand({ ledger, outbox }: SimulatedDaemon, nowMs: number): void {
    const monoMs = ledger.clock.monotonicMs();
    if (this.#books.runs.openRuns > 0) this.broke('L2', `${this.#books.runs.openRuns} runs have not ended`);
    if (this.#books.operatorCommands.overdue(monoMs) > 0)
      this.broke('L2', 'a question is neither answered nor expired');
    for (const { key } of this.#books.containments.held) {
      const untilMs = this.#books.breakers.openUntilMs(key.replace(/^channel:|\|.*$/g, ''));
      const own = key.endsWith('|breaker_open') && untilMs !== undefined && monoMs < untilMs + 65_000;
      if (!own) this.broke('L2', `${key} has not ended`);
    }
    for (const key of this.#books.pages.unheard()) this.broke('L1', `no person was ever notified of ${key}`);
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
