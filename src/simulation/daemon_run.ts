/** One process of the simulated daemon, from its start to its end. */
import { MINUTE_MS } from '../core/duration.ts';
import { HARMLESS_SYMPTOMS } from '../core/symptom.ts';
import type { Engine } from '../core/engine.ts';
import type { JournalEntry } from '../core/journal.ts';
import type { Persona } from '../core/persona.ts';
import type { Sample } from '../core/sample.ts';
import type { Receiver } from '../escalate/receiver.ts';
import type { MemoryStore } from '../journal/memory.ts';
import { AdversarialPlanner } from './adversarial_planner.ts';
import type { Claim, SampleOf } from './attacker.ts';
import type { FaultInjector } from './fault_injector.ts';
import type { Starter } from './service_channel.ts';
import type { ServiceModel } from './service_model.ts';
import { RECEIVERS, type ReceiverDeps, simReceiver } from './receivers.ts';
import type { ReceiverServers } from './receiver_servers.ts';
import type { Delivery, Invocation } from './effect_log.ts';
import { type Recovery, SimulatedDaemon, type SimulatedDaemonParts, type Upkeep } from './simulated_daemon.ts';
import { streamOf } from './random_streams.ts';
import { isWired, type Scenario } from './scenario.ts';
import type { Settings } from './settings.ts';
import { SimEngine, type SimEngineDeps } from './sim_engine.ts';
import { wiredEngine } from './wired_engine.ts';
import { wiredLooks } from './wired_looks.ts';
import { wiredReceiver } from './wired_receiver.ts';
import type { SimulatedHost } from './virtual_time.ts';
import { SampleFaults } from './sample_faults.ts';
import { SimulatedProbes, type SimulatedProbesDeps } from './simulated_probes.ts';

export interface DaemonRunDeps {
  /** Which process of Reeve it is: the first is 1. */
  readonly number: number;
  readonly script: Scenario;
  readonly settings: Settings;
  /** As the policy file says now. */
  readonly personaOf: (channel: string | undefined) => Persona;
  readonly host: SimulatedHost;
  readonly store: MemoryStore;
  /** Why that store is not the one that was last witnessed; undefined: it is. */
  readonly setBack: string | undefined;
  readonly recovery: Recovery | undefined;
  readonly seenDead?: SimulatedDaemonParts['seenDead'];
  readonly upkeep: Upkeep | undefined;
  readonly service: ServiceModel;
  readonly injector: FaultInjector;
  /** Which Reeve it is; default: the first. */
  readonly by?: Starter;
  /** Somebody asks the guard for anything at any time, besides. */
  readonly adversary: boolean;
  /** The simulation's own time, which goes on when this process has ended. */
  readonly nowMs: () => number;
  readonly at: (atMs: number, run: () => void) => void;
  readonly onInvoked: (invocation: Invocation) => void;
  /** A sample, before Reeve makes anything of it. */
  readonly onSample: (sample: Sample) => void;
  readonly onDelivery: (delivery: Delivery) => void;
  /** What pages reach where the real adapters bring them. */
  readonly servers: ReceiverServers;
  readonly onBatch: (entries: readonly JournalEntry[]) => void;
  readonly onFailure: (text: string) => void;
  readonly unjournaled?: SimulatedDaemonParts['unjournaled'];
  /** Called when something goes on that ends by promises alone. */
  readonly stir: () => void;
}

/** After a start everything is looked at for a while before quiet time may be skipped. */
const SETTLED_MS = MINUTE_MS;

/** One process of the simulated daemon with all that ends when it does: probes, connections, adversarial planner. */
export class DaemonRun {
  readonly reeve: SimulatedDaemon;
  readonly watcher: SimulatedProbes;
  readonly #deps: DaemonRunDeps;
  readonly #bornMs: number;
  #stopping = false;
  /** What each engine last reported of its pool to this process. */
  readonly #pools = new Map<string, number | undefined>();
  #adversary: AdversarialPlanner | undefined;
  #engines: ReadonlyMap<string, Engine> | undefined;

  constructor(deps: DaemonRunDeps) {
    this.#deps = deps;
    this.#bornMs = deps.nowMs();
    this.reeve = this.#createReeve();
    this.watcher = this.#createWatcher();
  }

  start(): void {
    this.reeve.start();
    if (this.#deps.adversary) this.#adversary = this.#createHammer();
  }

  /** It was asked to stop. */
  get stopping(): boolean {
    return this.#stopping;
  }

  /** As the daemon does when it is asked to; resolves when it has ended what it had begun. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.reeve.stop();
  }

  /** What the adversarial planner has asked for. */
  get plans(): number {
    return this.#adversary?.plans ?? 0;
  }

  /** Reeve knows that everything plays, and nothing is under way. */
  get quiet(): boolean {
    const { pipeline, ledger } = this.reeve;
    return (
      this.#deps.nowMs() - this.#bornMs >= SETTLED_MS &&
      ledger.clock.monotonicMs() >= this.watcher.fastUntilMs &&
      pipeline.incidents().open.length === 0 &&
      Object.keys(pipeline.guardState().containments).length === 0 &&
      pipeline.watch.causes.length === 0 &&
      pipeline.watch.all().every(({ finding }) => !finding.trouble && finding.healthy === true)
    );
  }

  /** How full the engine last reported its pool; undefined: it did not know. */
  poolOf(engine: string): number | undefined | 'unasked' {
    return this.#pools.has(engine) ? this.#pools.get(engine) : 'unasked';
  }

  /** A line in a log, or an alert, says this. */
  hear(claim: Claim): void {
    if (!this.reeve.alive) return;
    const { pipeline, ledger } = this.reeve;
    const { clock } = ledger;
    clock.after(50, () => {
      if (!HARMLESS_SYMPTOMS.has(claim.kind)) this.watcher.disturb(claim.channel);
      pipeline.symptom({
        ...{ at: clock.now(), monoMs: clock.monotonicMs() },
        ...claim,
        countInWindow: 1,
        windowMs: MINUTE_MS,
        confidence: 0.9,
        pattern: undefined,
        evidence: [{ source: 'log', text: `a line that says ${claim.kind}` }],
      });
    });
  }

  /** Somebody outside answers a probe, or writes what an encoder would. */
  take(sample: SampleOf<'reach'> | SampleOf<'progress'>): void {
    if (!this.reeve.alive) return;
    const { pipeline, ledger } = this.reeve;
    const { clock } = ledger;
    clock.after(50, () => {
      const taken = { ...sample, at: clock.now(), monoMs: clock.monotonicMs() };
      this.watcher.saw(taken);
      pipeline.take(taken);
    });
  }

  #createReeve(): SimulatedDaemon {
    const { number, script, settings, personaOf, host, store, setBack, onBatch, onFailure } = this.#deps;
    const { recovery, seenDead, upkeep, unjournaled } = this.#deps;
    return new SimulatedDaemon({
      ...settings,
      personaOf,
      seed: script.seed + number,
      host,
      store,
      setBack,
      recovery,
      seenDead,
      upkeep,
      random: streamOf(script.seed, `courier:${number}`),
      engines: (owner) => this.#enginesFor(owner),
      receivers: (owner) => RECEIVERS.map((name) => this.#receiver(name, owner)),
      onBatch,
      onFailure,
      unjournaled,
      lookCloser: (channels, forMs) => this.watcher.lookCloser(channels, forMs),
      lookNow: (channel, wants) => this.watcher.lookNow(channel, wants),
    });
  }

  #createWatcher(): SimulatedProbes {
    const { script, settings, service, injector, stir } = this.#deps;
    const { pipeline, ledger } = this.reeve;
    const { clock } = ledger;
    const faults = new SampleFaults({
      seed: script.seed,
      nowMs: () => clock.monotonicMs(),
      after: (delayMs, run) => void clock.after(delayMs, run),
      faultOf: (channel) => injector.samples(channel),
      take: (sample) => {
        this.#deps.onSample(sample);
        pipeline.take(sample);
      },
    });
    const take = (sample: Sample): void => {
      if (sample.kind === 'engine') this.#pools.set(sample.engine, sample.poolPressure);
      faults.take(sample);
    };
    const probe = (channel: string) => injector.probe(channel);
    const settle = (): void => pipeline.settle();
    return new SimulatedProbes({
      seed: script.seed,
      clock,
      service,
      engines: settings.engineSetups.map(({ id }) => id),
      probe,
      engineAnswers: (engine) => injector.engineAnswers(engine),
      pool: (engine) => ({ pressure: injector.pressure(engine) }),
      ...{ take, settle },
      observe: this.#looks(),
      looks:
        script.probed === true
          ? wiredLooks({
              ...{ seed: script.seed, clock, service, probe, take, settle, stir },
              channels: script.channels,
            })
          : undefined,
    });
  }

  /** Through the adapter that the process has from its start; undefined where there is none. */
  #looks(): SimulatedProbesDeps['observe'] {
    if (!isWired(this.#deps.script)) return undefined;
    const { reeve } = this;
    const unending = new AbortController().signal;
    return (engine) => {
      this.#deps.stir();
      return this.#enginesFor(reeve).get(engine)!.observe(unending);
    };
  }

  #createHammer(): AdversarialPlanner {
    const { number, script, personaOf, service, injector } = this.#deps;
    const { reeve } = this;
    return new AdversarialPlanner({
      script,
      reeve,
      daemonRun: number,
      service,
      personaOf,
      engines: this.#enginesFor(reeve),
      quiet: () => injector.healed || (service.serene && reeve.pipeline.incidents().open.length === 0),
    });
  }

  /** The same for all that this process does: an adapter remembers fences and what it left half done. */
  #enginesFor(owner: SimulatedDaemon): ReadonlyMap<string, Engine> {
    this.#engines ??= new Map(this.#deps.settings.engineSetups.map(({ id }) => [id, this.#engine(id, owner)]));
    return this.#engines;
  }

  #engine(id: string, owner: SimulatedDaemon): Engine {
    const { number: daemonRun, script, service, injector, nowMs, at, onInvoked, by = 'reeve' } = this.#deps;
    const deps: SimEngineDeps = {
      id,
      by,
      service,
      clock: owner.ledger.clock,
      worldMs: nowMs,
      at,
      alive: () => owner.alive,
      mode: () => injector.callMode(id),
      observe: async () => this.watcher.report(id),
      onInvoked: (call) => {
        const status = call.channel === undefined ? '' : service.statusOf(service.at(call.channel));
        const whole = { ...call, atMs: nowMs(), endMs: undefined, effect: undefined, daemonRun, status };
        onInvoked(whole);
        return whole;
      },
    };
    if (!isWired(script)) return new SimEngine(deps);
    return wiredEngine({
      ...deps,
      countsBytes: script.probed === true,
      isUp: () => injector.engineUp(id),
      answers: () => injector.engineAnswers(id),
    });
  }

  #receiver(name: string, owner: SimulatedDaemon): Receiver {
    const { script, injector, nowMs, onDelivery, servers, stir } = this.#deps;
    const deps: ReceiverDeps = {
      clock: owner.ledger.clock,
      worldMs: nowMs,
      alive: () => owner.alive,
      mode: () => injector.receiverMode(name),
      onDelivery,
    };
    if (!isWired(script)) return simReceiver(name, deps);
    return wiredReceiver(name, { ...deps, stir, server: servers.of(name), channels: script.channels });
  }
}
