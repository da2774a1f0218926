/** The whole simulation: service, machine, people and Reeve. */
import { DAY_MS, MINUTE_MS } from '../core/duration.ts';
import { messageOf } from '../core/errors.ts';
import type { JournalEntry } from '../core/journal.ts';
import type { Persona } from '../core/persona.ts';
import type { SymptomKind } from '../core/symptom.ts';
import { Attacker } from './attacker.ts';
import { Disk } from './disk_faults.ts';
import { DaemonRun } from './daemon_run.ts';
import { FaultInjector } from './fault_injector.ts';
import { Invariants } from './invariants/invariants.ts';
import { Operators } from './operators.ts';
import { ServiceModel } from './service_model.ts';
import { type Delivery, EffectLog } from './effect_log.ts';
import { PolicyFile } from './policy_file.ts';
import type { SimulatedDaemon } from './simulated_daemon.ts';
import type { Scenario } from './scenario.ts';
import { type Settings, settingsOf } from './settings.ts';
import type { SimulationEnd, SimulationOptions } from './simulation_options.ts';
import { skippableMs } from './quiet_time.ts';
import { channelTruths, isExcused, serviceTruths, TRUTH_MS } from './truth.ts';
import { drained, TimerQueue, SimulatedHost } from './virtual_time.ts';

/** After everything is healed, this long until all that is promised must have come true. */
const LIVENESS_MS = 45 * MINUTE_MS;

/** The whole of a simulated world. One instance is one run. */
export class Simulation {
  readonly #script: Scenario;
  readonly #options: SimulationOptions;
  readonly #agenda: TimerQueue;
  readonly #host: SimulatedHost;
  readonly service: ServiceModel;
  readonly #injector: FaultInjector;
  readonly #operators: Operators;
  readonly #record = new EffectLog();
  readonly #invariants: Invariants;
  readonly #settings: Settings;
  readonly #disk: Disk;
  readonly #policy: PolicyFile;
  readonly #attacker: Attacker | undefined = undefined;
  #daemon: DaemonRun | undefined;
  #daemonRun = 0;
  /** What the adversarial planners of earlier processes have asked for. */
  #plans = 0;
  #activity = 0;
  #nowMs = 0;
  #lookedMs = 0;
  #events = 0;

  constructor(script: Scenario, options: SimulationOptions = {}) {
    this.#script = script;
    this.#options = options;
    this.#settings = settingsOf(script, options);
    const { limits, persona: written } = this.#settings;
    const { seed, channels } = script;
    this.#agenda = new TimerQueue(seed);
    const nowMs = (): number => this.#nowMs;
    const at = (atMs: number, run: () => void): void => void this.#agenda.add(Math.max(atMs, this.#nowMs), run);
    const onSymptom = (channel: string, kind: SymptomKind) => this.#daemon?.hear({ channel, kind, origin: 'log' });
    this.#host = new SimulatedHost(nowMs);
    const untouchable = new Set(channels.flatMap((plan) => (plan.untouchable === true ? [plan.id] : [])));
    this.#policy = new PolicyFile(written, { nowMs, at, untouchable });
    const personaOf = (channel?: string): Persona => this.#policy.personaOf(channel);
    this.service = new ServiceModel(channels, {
      ...{ seed, nowMs, at, onSymptom, startCost: script.startCost },
      onStart: (process) => this.#invariants?.started(process),
    });
    const poolOf = (engine: string) => (this.#daemon === undefined ? 'unasked' : this.#daemon.poolOf(engine));
    this.#invariants = new Invariants({ script, limits, personaOf, nowMs, poolOf });
    this.#operators = new Operators({ seed, channels, nowMs, at, service: this.service, reeve: () => this.#present() });
    const inUse = (): boolean => this.#daemon !== undefined;
    this.#disk = new Disk({ nowMs, at, inUse, die: (downMs, survivors) => this.#die(downMs, survivors) });
    this.#injector = new FaultInjector({
      ...{ service: this.service, nowMs, at, symptom: onSymptom },
      jumpWall: (byMs) => this.#host.jumpWall(byMs),
      suspend: (forMs) => this.#host.suspend(forMs),
      reboot: (downMs) => this.#reboot(downMs),
      stopReeve: (downMs) => this.#stop(downMs),
      reload: (variant, forMs) => this.#policy.reload(variant, forMs),
      move: (downMs) => this.#reboot(downMs, () => this.#host.move()),
      crash: (injection) => this.#disk.crash(injection),
      setBack: (injection) => this.#disk.setBack(injection),
      breakDisk: (injection) => this.#disk.breakDown(injection),
      operate: (injection) => this.#operators.operate(injection),
      change: () => undefined,
    });
    if (options.attacker !== true) return;
    const ended = (): boolean => this.#injector.healed;
    this.#attacker = new Attacker({ script, nowMs, at, ended, target: () => this.#daemon });
  }

  /** Plays the script, heals everything, and checks what was promised. */
  async run(): Promise<SimulationEnd> {
    const endMs = this.#script.days * DAY_MS;
    for (const injection of this.#script.injections) {
      this.#agenda.add(injection.atMs, () => this.#injector.inject(injection));
    }
    this.#agenda.every(0, MINUTE_MS, () => this.#operators.round());
    this.#begin();
    await this.#until(endMs);
    const livenessMs = this.#options.livenessMs ?? LIVENESS_MS;
    if (livenessMs > 0) {
      this.#heal();
      await this.#until(endMs + livenessMs);
      this.#demand();
    }
    this.#daemon?.reeve.kill();
    return {
      events: this.#events,
      nowMs: this.#nowMs,
      violations: this.#invariants.violations,
      plans: this.#plans + (this.#daemon?.plans ?? 0),
      attacker: this.#attacker,
      traceSha256: this.#record.traceSha256(),
      record: this.#record,
      service: this.service,
      invariants: this.#invariants,
    };
  }

  async #until(endMs: number): Promise<void> {
    const stopEarly = this.#options.stopEarly ?? true;
    while (!(stopEarly && this.#invariants.violations.length > 0)) {
      const ofEnvironment = this.#agenda.next();
      const ofReeve = this.#daemon?.reeve.agenda.next();
      const reeveMs = ofReeve === undefined ? Number.POSITIVE_INFINITY : this.#host.worldMsAt(ofReeve.atMs);
      const isReeves = reeveMs < (ofEnvironment?.atMs ?? Number.POSITIVE_INFINITY);
      const atMs = isReeves ? reeveMs : (ofEnvironment?.atMs ?? Number.POSITIVE_INFINITY);
      if (atMs > this.#nowMs && this.#leap(endMs)) {
        await drained();
        continue;
      }
      if (atMs > endMs) break;
      this.#nowMs = Math.max(this.#nowMs, atMs);
      const due = isReeves ? this.#daemon!.reeve.agenda.take()! : this.#agenda.take()!;
      await this.#happen(due.run, isReeves && !due.tick);
    }
    this.#nowMs = Math.max(this.#nowMs, endMs);
  }

  async #happen(run: () => void, mayWake: boolean): Promise<void> {
    this.#events += 1;
    const before = this.#activity;
    try {
      run();
    } catch (thrown) {
      if (this.#daemon?.reeve.alive !== false) this.#invariants.broke('invariant', messageOf(thrown));
    }
    if (mayWake || this.#activity !== before) await drained();
    this.#bury();
    this.#look();
  }

  /** Once a second, after whatever happened: no timer of its own, so that it changes no order of events. */
  #look(): void {
    const reeve = this.#present();
    if (reeve === undefined || this.#nowMs - this.#lookedMs < TRUTH_MS) return;
    this.#lookedMs = this.#nowMs;
    const monoMs = reeve.ledger.clock.monotonicMs();
    const truths = serviceTruths(this.service, this.#injector, this.#disk.broken || isExcused(this.#options));
    this.#invariants.look(channelTruths(truths), monoMs);
    this.#invariants.watch(truths, monoMs);
  }

  /** Skips a stretch of whole minutes in which nothing can happen. True when it did: its last look is answered then. */
  #leap(endMs: number): boolean {
    const daemon = this.#daemon;
    if (this.#options.leap === false || daemon === undefined) return false;
    const { reeve, watcher } = daemon;
    if (reeve.ledger.clock.monotonicMs() !== watcher.wholeLookMs || !this.#quiet(daemon)) return false;
    const queues = { ofWorld: this.#agenda, ofReeve: reeve.agenda, host: this.#host };
    const byMs = skippableMs(queues, this.#nowMs, endMs);
    if (byMs === 0) return false;
    this.#agenda.skipTicks(byMs);
    reeve.agenda.skipTicks(byMs);
    this.#nowMs += byMs;
    watcher.look(true);
    return true;
  }

  /** Everything plays, Reeve knows it, and nothing is under way. */
  #quiet(daemon: DaemonRun): boolean {
    return this.#injector.quiet && !this.#disk.broken && this.service.serene && daemon.quiet;
  }

  #begin(): void {
    this.#daemonRun += 1;
    this.#activity += 1;
    this.#daemon = new DaemonRun({
      number: this.#daemonRun,
      script: this.#script,
      settings: this.#settings,
      personaOf: (channel) => this.#policy.personaOf(channel),
      host: this.#host,
      store: this.#disk.store,
      setBack: this.#disk.setBackBecause,
      service: this.service,
      injector: this.#injector,
      adversary: this.#options.adversary === true,
      nowMs: () => this.#nowMs,
      at: (atMs, run) => void this.#agenda.add(atMs, run),
      onInvoked: (invocation) => {
        this.#record.invoked(invocation);
        this.#invariants.invoked(invocation);
        if (this.#daemon?.stopping) this.#invariants.stopped(invocation);
      },
      onSample: (sample) => this.#invariants.seen(sample),
      onDelivery: (delivery) => this.#delivered(delivery),
      onBatch: (entries) => this.#batch(entries),
      onFailure: (text) => this.#failed(text),
      stir: () => (this.#activity += 1),
    });
    this.#daemon.start();
  }

  /** The SimulatedDaemon that runs, if one does. */
  #present(): SimulatedDaemon | undefined {
    return this.#daemon?.reeve.alive ? this.#daemon.reeve : undefined;
  }

  #delivered(delivery: Delivery): void {
    this.#record.delivered(delivery);
    this.#invariants.delivered(delivery);
    if (delivery.what !== 'resolve') this.#operators.paged(delivery.scope, delivery.atMs);
  }

  #batch(entries: readonly JournalEntry[]): void {
    this.#activity += 1;
    const found = this.#disk.unannouncedBefore(entries);
    if (found.length > 0) this.#tell(found, this.#daemonRun - 1);
    this.#tell(entries, this.#daemonRun);
  }

  #tell(entries: readonly JournalEntry[], daemonRun: number): void {
    const batch = { entries, atMs: this.#nowMs, daemonRun };
    this.#record.batch(batch);
    this.#options.onBatch?.(batch);
    this.#invariants.batch(batch);
  }

  #failed(text: string): void {
    this.#activity += 1;
    if (this.#daemon?.reeve.alive === false) return;
    this.#record.failures.push({ atMs: this.#nowMs, text, expected: this.#disk.broken });
    if (!this.#disk.broken) this.#invariants.broke('internal', text);
  }

  #reboot(downMs: number, next = () => this.#host.reboot()): void {
    if (this.#daemon === undefined) return;
    this.#die(downMs, 0);
    this.#bury();
    next();
  }

  /** Asked to stop, it ends what it has begun, and is gone. */
  #stop(downMs: number): void {
    const daemon = this.#daemon;
    if (this.#present() === undefined) return;
    void daemon?.stop().then(() => daemon === this.#daemon && this.#die(downMs, 0));
  }

  #die(downMs: number, survivors: number): void {
    const reeve = this.#present();
    if (reeve === undefined) return;
    reeve.kill();
    this.#agenda.add(this.#nowMs + Math.max(1, downMs), () => {
      this.#bury();
      this.#disk.restore(survivors);
      if (this.#disk.setBackBecause !== undefined) this.#invariants.setBack(this.#disk.journal());
      this.#begin();
    });
  }

  #bury(): void {
    if (this.#daemon?.reeve.alive !== false) return;
    for (const invocation of this.#record.invocations) {
      if (invocation.daemonRun === this.#daemonRun) invocation.endMs ??= this.#nowMs;
    }
    this.#plans += this.#daemon.plans;
    this.#daemon = undefined;
  }

  #heal(): void {
    this.#injector.heal();
    this.#disk.disarm();
    if (this.#disk.broken) this.#die(1_000, 0);
    for (const minutes of [5, 15, 25]) {
      this.#agenda.add(this.#nowMs + minutes * MINUTE_MS, () => this.#operators.settle());
    }
  }

  #demand(): void {
    const reeve = this.#daemon?.reeve;
    if (this.#invariants.violations.length > 0) return;
    if (reeve === undefined) return this.#invariants.broke('L2', 'SimulatedDaemon did not come back');
    this.#invariants.demand(reeve, this.#nowMs);
  }
}
