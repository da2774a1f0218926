import { safeText } from '../collect/clean.ts';
import type { Engine } from '../core/engine.ts';
import { messageOf } from '../core/errors.ts';
import type { Ids, Random } from '../core/id.ts';
import type { Escalation } from '../core/incident.ts';
import type { Append, JournalEntry, Read } from '../core/journal.ts';
import type { Limits } from '../core/limits.ts';
import type { Phase } from '../core/control.ts';
import type { Persona } from '../core/persona.ts';
import { Dispatcher } from '../escalate/dispatcher.ts';
import { raise, resolve } from '../escalate/escalator.ts';
import { type Outbox, outboxProjection } from '../escalate/outbox.ts';
import type { Receiver } from '../escalate/receiver.ts';
import type { ChannelSetup, EngineSetup } from '../ground/facts/setup.ts';
import type { Want } from '../ground/rules/rule.ts';
import { DecisionPipeline } from '../incident/pipeline/decision_pipeline.ts';
import { Ledger } from '../journal/ledger.ts';
import type { MemoryStore } from '../journal/memory.ts';
import { openWorkProjection, recoveryDrafts } from '../journal/recover.ts';
import { createLanes } from '../resilience/lanes.ts';
import type { Rulebook } from '../rulebook/rulebook.ts';
import { TimerQueue, clockOn, type SimulatedHost } from './virtual_time.ts';

export interface SimulatedDaemonParts {
  readonly seed: number;
  readonly host: SimulatedHost;
  readonly store: MemoryStore;
  readonly ids: Ids;
  readonly random: Random;
  readonly limits: Limits;
  readonly rulebook: Rulebook;
  readonly persona: Persona;
  readonly phase: Phase;
  readonly channels: readonly ChannelSetup[];
  readonly engineSetups: readonly EngineSetup[];
  readonly engines: (reeve: SimulatedDaemon) => ReadonlyMap<string, Engine>;
  readonly receivers: (reeve: SimulatedDaemon) => readonly Receiver[];
  readonly onBatch: (entries: readonly JournalEntry[]) => void;
  readonly onFailure: (text: string) => void;
  readonly lookCloser: (channels: readonly string[], forMs: number) => void;
  readonly lookNow: (channel: string, wants: readonly Want[]) => void;
}

/** One life of SimulatedDaemon: the production code from the journal to the courier, over simulated ports. */
export class SimulatedDaemon {
  readonly agenda: TimerQueue;
  readonly ledger: Ledger;
  readonly pipeline: DecisionPipeline;
  readonly dispatcher: Dispatcher;
  readonly outbox: Read<Outbox>;
  /** Appends, and tells the world what became durable. */
  readonly append: Append;
  /** False once the process is gone: nothing that it still computes reaches anybody. */
  alive = true;
  readonly #parts: SimulatedDaemonParts;

  constructor(parts: SimulatedDaemonParts) {
    this.#parts = parts;
    this.agenda = new TimerQueue(parts.seed);
    this.ledger = new Ledger(parts.store, clockOn(parts.host, this.agenda));
    this.append = (drafts) => {
      const entries = this.ledger.append(drafts);
      if (entries.length > 0) parts.onBatch(entries);
      return entries;
    };
    this.outbox = this.ledger.register(outboxProjection);
    const openWork = this.ledger.register(openWorkProjection);
    this.pipeline = this.#createSpine();
    const recovered = this.ledger.open();
    this.dispatcher = this.#createCourier();
    this.ledger.subscribe(this.dispatcher.onEntry);
    if (!recovered.chain.ok) {
      this.pipeline.guard.distrustJournal(recovered.chain.because ?? 'the chain is broken');
      this.#fail('the journal is broken');
    }
    const { clock } = this.ledger;
    const moment = { at: clock.now(), nowMs: clock.monotonicMs(), ids: parts.ids };
    this.append([
      ...recoveryDrafts(openWork(), moment),
      { fact: { type: 'reeve.started', version: 'simulated', configSha: 'none' } },
    ]);
  }

  start(): void {
    this.dispatcher.start();
    this.pipeline.start();
  }

  /** The process is gone, in the middle of whatever it did. */
  kill(): void {
    this.alive = false;
  }

  #createSpine(): DecisionPipeline {
    const { ids, limits, rulebook, persona, phase, channels, engineSetups } = this.#parts;
    const { clock } = this.ledger;
    const settings = { limits, rulebook, personaOf: () => persona, initialPhase: () => phase };
    const isOpen = ({ resolved }: { resolved: unknown }): boolean => resolved === undefined;
    return new DecisionPipeline({
      clock,
      ids,
      append: this.append,
      register: (projection) => this.ledger.register(projection),
      lanes: createLanes({ concurrentMax: 16 }, clock),
      settings: () => settings,
      channels,
      engineSetups,
      engines: this.#parts.engines(this),
      clean: (text) => safeText(text, 400),
      raise: (page) => raise(this.outbox(), this.#page(page)),
      resolve: (key, because) => resolve(this.outbox(), key, because),
      openPages: () =>
        this.outbox()
          .pages.filter(isOpen)
          .map(({ key }) => key),
      lookCloser: this.#parts.lookCloser,
      lookNow: this.#parts.lookNow,
      onFailure: (text) => this.#fail(text),
      journalBroken: () => this.ledger.broken?.because,
    });
  }

  #createCourier(): Dispatcher {
    const { ids, random } = this.#parts;
    const { clock } = this.ledger;
    const { outbox, append } = this;
    return new Dispatcher({ outbox, append, clock, ids, random, receivers: this.#parts.receivers(this) });
  }

  #page(page: Omit<Escalation, 'id' | 'at'>): Escalation {
    return { ...page, id: this.#parts.ids.next('esc'), at: this.ledger.clock.now() };
  }

  /** As the daemon does: nothing that fails in SimulatedDaemon itself stays quiet. */
  #fail(text: string): void {
    this.#parts.onFailure(text);
    const page = this.#page({
      key: 'reeve/internal',
      severity: 'critical',
      reason: this.ledger.broken === undefined ? 'internal' : 'journal_broken',
      scope: { kind: 'fleet' },
      incident: undefined,
      classification: undefined,
      summary: `SimulatedDaemon itself failed: ${text}`.slice(0, 200),
      details: text.slice(0, 2_000),
    });
    try {
      this.append(raise(this.outbox(), page));
    } catch (thrown) {
      this.#parts.onFailure(`not written: ${messageOf(thrown)}`);
      this.dispatcher.pageUnjournaled(page);
    }
  }
}
