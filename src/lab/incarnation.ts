import type { JournalEntry } from '../core/journal.ts';
import type { SymptomKind } from '../core/symptom.ts';
import type { Receiver } from '../escalate/receiver.ts';
import type { MemoryStore } from '../journal/memory.ts';
import { Hammer } from './hammer.ts';
import type { Injector } from './injector.ts';
import type { Plant } from './plant.ts';
import { simReceiver } from './receivers.ts';
import type { Delivery, Invocation } from './record.ts';
import { Reeve } from './reeve.ts';
import { streamOf } from './rng.ts';
import type { Script } from './script.ts';
import type { Settings } from './settings.ts';
import { SimEngine } from './sim-engine.ts';
import type { Host } from './time.ts';
import { Watcher } from './watcher.ts';

export interface IncarnationDeps {
  /** Which life it is: the first is 1. */
  readonly number: number;
  readonly script: Script;
  readonly settings: Settings;
  readonly host: Host;
  readonly store: MemoryStore;
  readonly plant: Plant;
  readonly injector: Injector;
  /** Somebody asks the guard for anything at any time, besides. */
  readonly hammer: boolean;
  /** The world's own time, which goes on when this life has ended. */
  readonly nowMs: () => number;
  readonly at: (atMs: number, run: () => void) => void;
  readonly onInvoked: (invocation: Invocation) => void;
  readonly onDelivery: (delivery: Delivery) => void;
  readonly onBatch: (entries: readonly JournalEntry[]) => void;
  readonly onFailure: (text: string) => void;
}

const RECEIVERS = ['pager', 'chat'] as const;
/** After a start everything is looked at for a while before quiet time may be skipped. */
const SETTLED_MS = 60_000;

/** One life of Reeve with all that ends when it does: its eyes, its connections, and the hammer at its guard. */
export class Incarnation {
  readonly reeve: Reeve;
  readonly watcher: Watcher;
  readonly #deps: IncarnationDeps;
  readonly #bornMs: number;
  /** What each engine last told this life of its pool. */
  readonly #pools = new Map<string, number | undefined>();
  #hammer: Hammer | undefined;

  constructor(deps: IncarnationDeps) {
    this.#deps = deps;
    this.#bornMs = deps.nowMs();
    this.reeve = this.#createReeve();
    this.watcher = this.#createWatcher();
  }

  start(): void {
    this.reeve.start();
    if (this.#deps.hammer) this.#hammer = this.#createHammer();
  }

  /** What the hammer has asked for. */
  get plans(): number {
    return this.#hammer?.plans ?? 0;
  }

  /** Everybody here knows that everything plays, and nobody is in the middle of anything. */
  get quiet(): boolean {
    const { spine, ledger } = this.reeve;
    return (
      this.#deps.nowMs() - this.#bornMs >= SETTLED_MS &&
      ledger.clock.monotonicMs() >= this.watcher.fastUntilMs &&
      spine.incidents().open.length === 0 &&
      Object.keys(spine.guardState().containments).length === 0 &&
      spine.watch.causes.length === 0 &&
      spine.watch.all().every(({ finding }) => !finding.trouble && finding.healthy === true)
    );
  }

  /** How full the engine last said that its pool is; undefined: it could not tell. */
  poolOf(engine: string): number | undefined | 'unasked' {
    return this.#pools.has(engine) ? this.#pools.get(engine) : 'unasked';
  }

  /** A line in a log says this. */
  hear(channel: string, kind: SymptomKind): void {
    if (!this.reeve.alive) return;
    const { spine, ledger } = this.reeve;
    const { clock } = ledger;
    clock.after(50, () =>
      spine.symptom({
        at: clock.now(),
        monoMs: clock.monotonicMs(),
        channel,
        kind,
        origin: 'log',
        countInWindow: 1,
        windowMs: 60_000,
        confidence: 0.9,
        pattern: undefined,
        evidence: [{ source: 'log', text: `a line that says ${kind}` }],
      }),
    );
  }

  #createReeve(): Reeve {
    const { number, script, settings, host, store, onBatch, onFailure } = this.#deps;
    return new Reeve({
      ...settings,
      seed: script.seed + number,
      host,
      store,
      random: streamOf(script.seed, `courier:${number}`),
      engines: (owner) => this.#enginesFor(owner),
      receivers: (owner) => RECEIVERS.map((name) => this.#receiver(name, owner)),
      onBatch,
      onFailure,
      lookCloser: (channels, forMs) => this.watcher.lookCloser(channels, forMs),
      lookNow: (channel, wants) => this.watcher.lookNow(channel, wants),
    });
  }

  #createWatcher(): Watcher {
    const { script, settings, plant, injector } = this.#deps;
    const { spine, ledger } = this.reeve;
    return new Watcher({
      seed: script.seed,
      clock: ledger.clock,
      plant,
      engines: settings.engineSetups.map(({ id }) => id),
      probe: (channel) => injector.probe(channel),
      engineUp: (engine) => injector.engineUp(engine),
      pool: (engine) => ({ pressure: injector.pressure(engine) }),
      take: (sample) => {
        if (sample.kind === 'engine') this.#pools.set(sample.engine, sample.poolPressure);
        spine.take(sample);
      },
      settle: () => spine.settle(),
    });
  }

  #createHammer(): Hammer {
    const { number, script, settings, plant, injector } = this.#deps;
    const { reeve } = this;
    return new Hammer({
      script,
      reeve,
      incarnation: number,
      plant,
      persona: settings.persona,
      engines: this.#enginesFor(reeve),
      quiet: () => injector.healed || (plant.serene && reeve.spine.incidents().open.length === 0),
    });
  }

  #enginesFor(owner: Reeve): ReadonlyMap<string, SimEngine> {
    return new Map(this.#deps.settings.engineSetups.map(({ id }) => [id, this.#engine(id, owner)] as const));
  }

  #engine(id: string, owner: Reeve): SimEngine {
    const { number: incarnation, plant, injector, nowMs, at, onInvoked } = this.#deps;
    return new SimEngine({
      id,
      plant,
      clock: owner.ledger.clock,
      worldMs: nowMs,
      at,
      alive: () => owner.alive,
      mode: () => injector.callMode(id),
      observe: async () => this.watcher.report(id),
      onInvoked: (call) => {
        const status = call.channel === undefined ? '' : plant.statusOf(plant.at(call.channel));
        const whole = { ...call, atMs: nowMs(), endMs: undefined, effect: undefined, incarnation, status };
        onInvoked(whole);
        return whole;
      },
    });
  }

  #receiver(name: string, owner: Reeve): Receiver {
    const { injector, nowMs, onDelivery } = this.#deps;
    return simReceiver(name, {
      clock: owner.ledger.clock,
      worldMs: nowMs,
      alive: () => owner.alive,
      mode: () => injector.receiverMode(name),
      onDelivery,
    });
  }
}
