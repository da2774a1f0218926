/** Assembles the production code over simulated ports. */
import type { PlannerSettings } from '../agent/decide.ts';
import { modelUseProjection } from '../model/use.ts';
import { sha256 } from '../core/digest.ts';
import { MINUTE_MS } from '../core/duration.ts';
import type { Engine } from '../core/engine.ts';
import { ReeveError } from '../core/errors.ts';
import type { Ids, Random } from '../core/id.ts';
import { keyOfIncidentPage } from '../core/incident.ts';
import type { Append, Draft, JournalEntry, JournalFact, Read } from '../core/journal.ts';
import type { PermitTerms } from '../core/tool.ts';
import { unknownPage } from '../journal/recover.ts';
import type { Limits } from '../core/limits.ts';
import { draftsOfHold } from '../control/held_phase.ts';
import type { Phase } from '../core/control.ts';
import type { Persona } from '../core/persona.ts';
import type { Scope } from '../core/scope.ts';
import { Dispatcher } from '../escalate/dispatcher.ts';
import { unfitness } from '../escalate/heartbeat.ts';
import { failurePage, type JournalFault, raiseFailure } from '../escalate/failure_pages.ts';
import type { Outbox } from '../escalate/outbox.ts';
import { placesOf } from '../escalate/places.ts';
import type { Receiver } from '../escalate/receiver.ts';
import type { SeenDead } from '../ground/facts/facts.ts';
import type { ChannelSetup, EngineSetup } from '../ground/facts/setup.ts';
import type { Want } from '../ground/rules/rule.ts';
import { bootAheadOf } from '../guard/clock_watch.ts';
import {
  assembleDecisionPath,
  type DecisionPath,
  journaledPaging,
  type JournaledPaging,
} from '../incident/assembly.ts';
import { openById } from '../incident/lifecycle/state.ts';
import type { DecisionPipeline } from '../incident/pipeline/decision_pipeline.ts';
import type { UnjournaledPort } from '../incident/pipeline/ports.ts';
import type { Settings } from '../incident/pipeline/settings.ts';
import { runHousekeeping } from '../journal/housekeeping.ts';
import { Ledger } from '../journal/ledger.ts';
import type { MemoryStore } from '../journal/memory.ts';
import { type JournalRecoveryDeps, watchForRecovery } from '../journal/recovery.ts';
import { createKeyedQueues, type KeyedQueues } from '../resilience/keyed_queues.ts';
import type { Rulebook } from '../rulebook/rulebook.ts';
import { type HostileModel, hostilePlanner } from './hostile_models.ts';
import { TimerQueue, clockOn, type SimulatedHost } from './virtual_time.ts';

export type Recovery = Pick<JournalRecoveryDeps, 'probe' | 'onWritable'>;

/** What becomes of old records, and how often the states are written down. */
export interface Upkeep {
  readonly keepMs: number;
  readonly snapshotEntries: number;
}

export interface SimulatedDaemonParts {
  readonly seed: number;
  readonly host: SimulatedHost;
  readonly store: MemoryStore;
  /** What a witness shows: why the journal is not the one last witnessed. */
  readonly setBack: string | undefined;
  /** How it begins again by itself after a failed write; undefined: it does not. */
  readonly recovery: Recovery | undefined;
  /** As in `PipelineDeps`: what this process saw before it opened everything anew. */
  readonly seenDead?: readonly SeenDead[] | undefined;
  /** The rounds of retention and of the walk along the chain, once a minute; undefined: none. */
  readonly upkeep: Upkeep | undefined;
  readonly ids: Ids;
  readonly random: Random;
  readonly limits: Limits;
  readonly rulebook: Rulebook;
  /** A model that chooses, too. */
  readonly hostile?: HostileModel | undefined;
  /** As the policy file says now. */
  readonly personaOf: (channel: string | undefined) => Persona;
  readonly phase: Phase;
  readonly channels: readonly ChannelSetup[];
  readonly engineSetups: readonly EngineSetup[];
  readonly engines: (reeve: SimulatedDaemon) => ReadonlyMap<string, Engine>;
  readonly receivers: (reeve: SimulatedDaemon) => readonly Receiver[];
  readonly onBatch: (entries: readonly JournalEntry[]) => void;
  readonly onFailure: (text: string) => void;
  /** Hears of the pages that the journal cannot take, and of their ends. */
  readonly unjournaled?: Omit<UnjournaledPort, 'isNeeded'> | undefined;
  readonly lookCloser: (channels: readonly string[], forMs: number) => void;
  readonly lookNow: (channel: string, wants: readonly Want[]) => void;
}

/** As in `app/app.ts`. */
const DRAIN_MS = 6_000;
const EDIT_SEEN_MS = 200;
const LAST_PAGES_MS = 2_000;

/** One process of Reeve: the production code from the journal to the dispatcher, over simulated ports. */
export class SimulatedDaemon {
  readonly agenda: TimerQueue;
  readonly ledger: Ledger;
  readonly pipeline: DecisionPipeline;
  readonly dispatcher: Dispatcher;
  readonly outbox: Read<Outbox>;
  /** Appends, and reports to the simulation what became durable. */
  readonly append: Append;
  /** False once the process is gone: nothing that it still computes reaches anybody. */
  alive = true;
  readonly #parts: SimulatedDaemonParts;
  readonly #paging: JournaledPaging;
  readonly #lanes: KeyedQueues;

  constructor(parts: SimulatedDaemonParts) {
    this.#parts = parts;
    this.agenda = new TimerQueue(parts.seed);
    const isSetBack = parts.setBack !== undefined;
    const { snapshotEntries } = parts.upkeep ?? {};
    const options = { isSetBack, ...(snapshotEntries !== undefined && { snapshotEntries }) };
    this.ledger = new Ledger(parts.store, clockOn(parts.host, this.agenda), options);
    this.append = (drafts) => {
      const entries = this.ledger.append(drafts);
      if (entries.length > 0) parts.onBatch(entries);
      return entries;
    };
    this.#paging = journaledPaging(this.ledger, parts.ids, placesOf(parts.channels));
    this.outbox = this.#paging.outbox;
    this.#lanes = createKeyedQueues({}, this.ledger.clock);
    const { pipeline, recover } = this.#assemble();
    this.pipeline = pipeline;
    const recovered = this.ledger.open();
    this.dispatcher = this.#createDispatcher();
    this.ledger.subscribe(this.dispatcher.onEntry);
    if (!recovered.chain.ok) {
      this.pipeline.guard.distrustJournal(recovered.chain.because ?? 'the chain is broken');
      this.#fail(`journal: it is broken: ${recovered.chain.because}`);
    }
    this.append([...recover(), ...this.#heldPhase(), { fact: this.#started() }]);
  }

  #started(): JournalFact {
    const { configSha, ledger } = this;
    return { type: 'reeve.started', version: 'simulated', configSha, ...bootAheadOf(ledger.clock) };
  }

  /** Of what people may edit in this world, so that a start tells an edit that was made while no Reeve ran. */
  get configSha(): string {
    return sha256(JSON.stringify(this.#parts.personaOf(undefined))).toString('hex');
  }

  start(): void {
    this.dispatcher.start();
    this.pipeline.start();
    const { ledger } = this;
    const { recovery, upkeep } = this.#parts;
    if (recovery !== undefined) watchForRecovery({ clock: ledger.clock, broken: () => ledger.broken, ...recovery });
    const keepHouse = (keepMs: number) => runHousekeeping(ledger, keepMs, (text) => this.#fail(text));
    if (upkeep !== undefined) ledger.clock.every(MINUTE_MS, () => keepHouse(upkeep.keepMs));
  }

  /** As the daemon does when it is asked to: nothing new, what is under way comes to an end, the last pages go out. */
  async stop(): Promise<void> {
    this.pipeline[Symbol.dispose]();
    await this.#lanes.drain(DRAIN_MS);
    this.#note({ type: 'reeve.stopped', because: 'asked to stop' });
    await this.dispatcher.settle(LAST_PAGES_MS);
  }

  /** Its watch of the files sees an edit a moment later, and not while the machine sleeps. */
  noteEdit(): void {
    this.ledger.clock.after(EDIT_SEEN_MS, () => {
      this.#note({
        type: 'config.loaded',
        configSha: this.configSha,
        because: 'applied: personas',
        applied: ['personas'],
      });
      this.pipeline.onCommand();
    });
  }

  /** The disk may fail just then: the daemon logs that and goes on. */
  #note(fact: JournalFact): void {
    if (this.ledger.broken !== undefined) return;
    try {
      this.append([{ fact }]);
    } catch (thrown) {
      if (!(thrown instanceof ReeveError)) throw thrown;
    }
  }

  /** Why a heartbeat would be withheld now, as in `app/app.ts`. */
  get unfit(): string | undefined {
    const { keptUpMs } = this.pipeline;
    return unfitness({ keptUpMs, nowMs: this.ledger.clock.monotonicMs(), ...this.dispatcher.reception() });
  }

  /** The process is gone, in the middle of whatever it did. */
  kill(): void {
    this.alive = false;
  }

  #assemble(): DecisionPath {
    const { ids, channels, engineSetups, lookCloser, lookNow } = this.#parts;
    const settings = this.#settings();
    return assembleDecisionPath({
      ...{ ledger: this.ledger, append: this.append, paging: this.#paging, ids, settings },
      lanes: this.#lanes,
      seenDead: this.#parts.seenDead,
      observations: { channels, engineSetups, lookCloser, lookNow, engines: this.#parts.engines(this) },
      unjournaled: {
        raise: (page) => {
          this.dispatcher.pageUnjournaled(this.#paging.stamp(page));
          this.#parts.unjournaled?.raise(page);
        },
        resolve: (key, because) => {
          this.dispatcher.resolveUnjournaled(key, because);
          this.#parts.unjournaled?.resolve(key, because);
        },
      },
      onFailure: (text) => this.#fail(text),
    });
  }

  /** As in the daemon a reload brings other settings: what was worked out from the ones before does not outlive it. */
  #settings(): () => Settings {
    const { limits, rulebook, personaOf, phase } = this.#parts;
    const planner = this.#planner();
    const readAnew = (): Settings => ({
      ...{ limits, rulebook, planner, initialPhase: () => phase },
      personaOf: (scope: Scope) => personaOf(scope.kind === 'channel' ? scope.id : undefined),
    });
    let [persona, settings] = [personaOf(undefined), readAnew()];
    return () => {
      const now = personaOf(undefined);
      if (now !== persona) [persona, settings] = [now, readAnew()];
      return settings;
    };
  }

  /** The empty journal of a first start is what the simulation begins with, and a person has set its phase. */
  #heldPhase(): readonly Draft[] {
    const { setBack, phase } = this.#parts;
    if (setBack === undefined) return [];
    const isEmpty = this.ledger.lastSeq === 0;
    return draftsOfHold({ isEmpty, setBack }, this.pipeline.control().phase ?? phase);
  }

  #planner(): PlannerSettings | undefined {
    const { hostile } = this.#parts;
    if (hostile === undefined) return undefined;
    const use = this.ledger.register(modelUseProjection);
    return hostilePlanner(hostile, { clock: this.ledger.clock, append: this.append, use });
  }

  #createDispatcher(): Dispatcher {
    const { ids, random } = this.#parts;
    const { clock } = this.ledger;
    const { outbox, append } = this;
    return new Dispatcher({ outbox, append, clock, ids, random, receivers: this.#parts.receivers(this) });
  }

  /** What the daemon's own runs write with a change whose end is not known. */
  pageUnknown(terms: PermitTerms): readonly Draft[] {
    const { incident } = terms;
    const { scope = terms.call.target, channels } = openById(this.pipeline.incidents(), incident)?.incident ?? {};
    return this.#paging.raise({
      ...unknownPage(terms, { when: 'did not come to a known end', channels }),
      ...{ scope, key: keyOfIncidentPage(incident), incident, classification: undefined },
    });
  }

  /** As the daemon does: nothing that fails in Reeve itself stays quiet. */
  #fail(text: string): void {
    this.#parts.onFailure(text);
    const journal = () => this.ledger.broken?.kind;
    const pageFor = (fault: JournalFault | undefined) =>
      this.#paging.stamp({ ...failurePage(text, fault), key: 'reeve/internal' });
    const taken = raiseFailure(pageFor, {
      ...{ journal, outbox: this.outbox, append: this.append },
      pageUnjournaled: (unwritten) => this.dispatcher.pageUnjournaled(unwritten),
    });
    if (taken === 'unjournaled') this.#parts.onFailure('not written: the journal takes nothing');
  }
}
