/** Assembles the decision path for replays. */
import { setImmediate as macrotask } from 'node:timers/promises';
import type { EpochMs, MonoMs } from '../core/clock.ts';
import { DAY_MS } from '../core/duration.ts';
import { countingIds, type Ids } from '../core/id.ts';
import type { Draft, JournalEntry, Read } from '../core/journal.ts';
import type { ChannelId, EngineId } from '../core/scope.ts';
import type { LogReading } from '../core/symptom.ts';
import type { Outbox } from '../escalate/outbox.ts';
import type { ChannelSetup, EngineSetup } from '../ground/facts/setup.ts';
import type { Settings } from '../incident/pipeline/settings.ts';
import { assembleDecisionPath, journaledPaging, type JournaledPaging } from '../incident/assembly.ts';
import type { DecisionPipeline } from '../incident/pipeline/decision_pipeline.ts';
import { Ledger } from '../journal/ledger.ts';
import { MemoryStore } from '../journal/memory.ts';
import { createKeyedQueues, type KeyedQueues } from '../resilience/keyed_queues.ts';
import { VirtualClock } from './virtual_clock.ts';
import { type Imagined, RecordingEngine } from './recording_engine.ts';
import type { Capability } from '../core/tool.ts';

/** What a replay needs to know of the world that was recorded. */
export interface ReplicaSetup {
  readonly settings: Settings;
  readonly channels: readonly ChannelSetup[];
  readonly engines: readonly (EngineSetup & { readonly capabilities: ReadonlySet<Capability> })[];
  readonly at: EpochMs;
  readonly imagined?: Imagined;
  /** What the last lines of a log of the recording say as a whole. */
  readonly readLog?: (channel: ChannelId) => LogReading;
}

/** Monotonic time of a replay begins here, so that a day and more lies before it. */
export const REPLAY_FROM_MS: MonoMs = 40 * DAY_MS;
/** Iterations of the event loop that may pass without virtual time. More is an endless loop. */
const ITERATIONS_MAX = 10_000;

/**
 * The decision path of the daemon, the same code, over a memory journal, a virtual clock and engines that touch
 * nothing.
 */
export class Replica implements Disposable {
  readonly clock: VirtualClock;
  readonly ledger: Ledger;
  readonly pipeline: DecisionPipeline;
  readonly engines: ReadonlyMap<EngineId, RecordingEngine>;
  readonly outbox: Read<Outbox>;
  readonly entries: JournalEntry[] = [];
  /** What went wrong in Reeve itself. */
  readonly failures: string[] = [];
  readonly ids: Ids = countingIds();
  readonly #lanes: KeyedQueues;
  readonly #paging: JournaledPaging;
  #seenSeq = 0;

  constructor(setup: ReplicaSetup) {
    this.clock = new VirtualClock({ at: setup.at, monoMs: REPLAY_FROM_MS });
    this.ledger = new Ledger(new MemoryStore(), this.clock, {
      onSubscriberError: (thrown) => this.failures.push(String(thrown)),
    });
    this.#paging = journaledPaging(this.ledger, this.ids);
    this.outbox = this.#paging.outbox;
    const engine = (one: ReplicaSetup['engines'][number]) => new RecordingEngine(one, this.clock, setup.imagined);
    this.engines = new Map(setup.engines.map((one) => [one.id, engine(one)]));
    this.#lanes = createKeyedQueues({}, this.clock);
    this.pipeline = this.#pipeline(setup);
    this.ledger.open();
    this.ledger.subscribe((entry) => this.entries.push(entry));
    this.ledger.append([{ fact: { type: 'reeve.started', version: 'replay', configSha: 'replay' } }]);
  }

  /** Lets time pass, and everything that is due in it happen. */
  async runUntil(untilMs: MonoMs): Promise<void> {
    while (this.clock.step(untilMs)) {
      if (this.busy) await this.settle();
    }
  }

  /** Something was started that needs another iteration of the event loop. */
  get busy(): boolean {
    return this.ledger.lastSeq !== this.#seenSeq || this.#lanes.counts.running > 0;
  }

  /** Lets everything run that is not waiting for time. */
  async settle(): Promise<void> {
    for (let iterations = 0; iterations < ITERATIONS_MAX; iterations += 1) {
      const seq = this.ledger.lastSeq;
      await macrotask();
      if (this.ledger.lastSeq === seq) break;
    }
    this.#seenSeq = this.ledger.lastSeq;
  }

  /** Lets time pass until a run that began after entry `from` of `entries` has ended, or until `untilMs`. */
  async untilRunEnds(from: number, untilMs: MonoMs): Promise<void> {
    const hasEnded = () => this.entries.slice(from).some(({ fact }) => fact.type === 'run.ended');
    await this.settle();
    while (!hasEnded() && this.clock.step(untilMs)) if (this.busy) await this.settle();
  }

  append(drafts: readonly Draft[]): void {
    this.ledger.append(drafts);
  }

  [Symbol.dispose](): void {
    this.pipeline[Symbol.dispose]();
  }

  #pipeline({ settings, channels, engines, readLog }: ReplicaSetup): DecisionPipeline {
    const nothing = () => undefined;
    return assembleDecisionPath({
      ...{ ledger: this.ledger, paging: this.#paging, ids: this.ids, lanes: this.#lanes, settings: () => settings },
      observations: {
        ...{ channels, engineSetups: engines, engines: this.engines, readLog },
        ...{ lookCloser: nothing, lookNow: nothing },
      },
      onFailure: (text) => this.failures.push(text),
    }).pipeline;
  }
}
