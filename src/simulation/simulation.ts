/** The whole simulation: service, machine, people and Reeve. */
import { DAY_MS, MINUTE_MS } from '../core/duration.ts';
import { messageOf } from '../core/errors.ts';
import type { JournalEntry } from '../core/journal.ts';
import type { Persona } from '../core/persona.ts';
import type { SymptomKind } from '../core/symptom.ts';
import { Attacker } from './attacker.ts';
import { Disk } from './disk_faults.ts';
import { DaemonRuns } from './daemon_runs.ts';
import type { DaemonRun } from './daemon_run.ts';
import { type FaultControls, FaultInjector } from './fault_injector.ts';
import { Invariants } from './invariants/invariants.ts';
import { Operators } from './operators.ts';
import { reception } from './receivers.ts';
import { SecondReeve } from './second_reeve.ts';
import { ServiceModel } from './service_model.ts';
import { type Delivery, EffectLog } from './effect_log.ts';
import { PolicyFile } from './policy_file.ts';
import type { Scenario } from './scenario.ts';
import { type Settings, settingsOf } from './settings.ts';
import type { SimulationEnd, SimulationOptions } from './simulation_options.ts';
import { skippableMs } from './quiet_time.ts';
import { channelTruths, isExcused, serviceTruths, TRUTH_MS, unseen } from './truth.ts';
import { drained, earlier, nextOf, TimerQueue, SimulatedHost } from './virtual_time.ts';

/** After everything is healed, this long until all that is promised must have come true. */
const LIVENESS_MS = 45 * MINUTE_MS;

type At = (atMs: number, run: () => void) => void;

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
  readonly #runs: DaemonRuns;
  readonly #second: SecondReeve;
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
    const onSymptom = (channel: string, kind: SymptomKind): void => {
      for (const run of [this.#runs.daemon, this.#second.run]) run?.hear({ channel, kind, origin: 'log' });
    };
    this.#host = new SimulatedHost(nowMs);
    const untouchable = new Set(channels.flatMap((plan) => (plan.untouchable === true ? [plan.id] : [])));
    const reeves = () => [this.#runs.present, this.#second.run?.reeve];
    const onEdit = (): void => void reeves().map((reeve) => reeve?.noteEdit());
    this.#policy = new PolicyFile(written, { nowMs, at, untouchable, onEdit });
    const personaOf = (channel?: string): Persona => this.#policy.personaOf(channel);
    this.service = new ServiceModel(channels, {
      ...{ seed, nowMs, at, onSymptom, startCost: script.startCost },
      onStart: (process) => {
        this.#invariants?.started(process);
        this.#second?.started(process);
      },
    });
    const poolOf = (engine: string) => (this.#runs.daemon === undefined ? 'unasked' : this.#runs.daemon.poolOf(engine));
    this.#invariants = new Invariants({
      ...{ script, limits, personaOf, nowMs, poolOf },
      sleptSinceMs: (monoMs) => this.#runs.sleptSinceMs(monoMs),
      surroundings: {
        hasStarted: (permit) => this.#disk.startedSeq(permit) !== undefined,
        startedSeq: (permit) => this.#disk.startedSeq(permit),
        isWritable: () => this.#disk.takesProbes,
        ...reception((name) => this.#injector.receiverMode(name)),
        hasRotten: () => this.#disk.hasRotten,
        records: () => this.#disk.store.highestSeq(),
        newestOf: (type) => this.#disk.newestOf(type),
      },
      isMisled: () => this.#disk.rotting.beganOnIt,
    });
    this.#operators = new Operators({
      ...{ seed, channels, nowMs, at, service: this.service },
      reeve: () => this.#runs.present,
    });
    this.#disk = this.#createDisk(nowMs, at);
    this.#injector = this.#createInjector(nowMs, at, onSymptom);
    this.#runs = this.#createRuns(nowMs, at);
    this.#second = this.#createSecond(nowMs, at);
    if (options.attacker !== true) return;
    const ended = (): boolean => this.#injector.healed;
    this.#attacker = new Attacker({ script, nowMs, at, ended, target: () => this.#runs.daemon });
  }

  /** Plays the script, heals everything, and checks what was promised. */
  async run(): Promise<SimulationEnd> {
    const endMs = this.#script.days * DAY_MS;
    for (const injection of this.#script.injections) {
      this.#agenda.add(injection.atMs, () => this.#injector.inject(injection));
    }
    this.#agenda.every(0, MINUTE_MS, () => this.#operators.round());
    this.#runs.begin();
    await this.#until(endMs);
    const livenessMs = this.#options.livenessMs ?? LIVENESS_MS;
    if (livenessMs > 0) {
      // A machine that sleeps is healed when it wakes.
      const healedMs = endMs + this.#host.wakesInMs;
      await this.#until(healedMs);
      this.#heal();
      await this.#until(healedMs + livenessMs);
      this.#demand();
    }
    this.#runs.daemon?.reeve.kill();
    this.#second.end();
    return {
      ...{ events: this.#events, nowMs: this.#nowMs, plans: this.#runs.plans, attacker: this.#attacker },
      violations: this.#invariants.violations,
      traceSha256: this.#record.traceSha256(),
      ...{ record: this.#record, service: this.service, invariants: this.#invariants },
    };
  }

  #createDisk(nowMs: () => number, at: At): Disk {
    return new Disk({
      ...{ nowMs, at },
      inUse: () => this.#runs.daemon !== undefined,
      die: (downMs, survivors) => this.#runs.die(downMs, survivors),
      wait: (forMs) => {
        this.#nowMs += forMs;
        this.#invariants.stoodStill(forMs);
      },
      onGivenUp: () => this.#invariants.unwritten.givenUp(),
      onRotten: () => this.#invariants.rot.rotted(),
    });
  }

  #createInjector(nowMs: () => number, at: At, symptom: FaultControls['symptom']): FaultInjector {
    return new FaultInjector({
      ...{ service: this.service, nowMs, at, symptom },
      jumpWall: (byMs) => this.#host.jumpWall(byMs),
      suspend: (forMs) => this.#host.suspend(forMs),
      reboot: (downMs) => this.#runs.reboot(downMs, () => this.#host.reboot()),
      stopReeve: (downMs) => this.#runs.stop(downMs),
      reload: (variant, forMs) => this.#policy.reload(variant, forMs),
      move: (downMs) => this.#runs.reboot(downMs, () => this.#host.move()),
      disk: this.#disk,
      second: (injection) => this.#second.begin(injection),
      operate: (injection) => this.#operators.operate(injection),
      change: () => undefined,
    });
  }

  #createRuns(nowMs: () => number, at: At): DaemonRuns {
    return new DaemonRuns({
      ...{ script: this.#script, nowMs, at, settings: this.#settings, policy: this.#policy, host: this.#host },
      ...{ disk: this.#disk, service: this.service, injector: this.#injector },
      ...{ record: this.#record, invariants: this.#invariants, adversary: this.#options.adversary === true },
      onDelivery: (delivery) => this.#delivered(delivery),
      onBatch: (entries) => this.#batch(entries),
      onInvoked: (invocation) => this.#second.invoked(invocation),
      onFailure: (text) => this.#failed(text),
      stir: () => (this.#activity += 1),
    });
  }

  #createSecond(nowMs: () => number, at: At): SecondReeve {
    return new SecondReeve({
      ...{ script: this.#script, service: this.service, injector: this.#injector, nowMs, at },
      onDelivery: (delivery) => this.#called(delivery),
      stir: () => (this.#activity += 1),
      broke: (law, because) => this.#invariants.broke(law, because),
    });
  }

  async #until(endMs: number): Promise<void> {
    const stopEarly = this.#options.stopEarly ?? true;
    while (!(stopEarly && this.#invariants.violations.length > 0)) {
      const first = nextOf({ world: this.#agenda, reeve: this.#runs.daemon?.reeve.agenda, host: this.#host });
      const { atMs, take, isReeves } = earlier(first, this.#second.next());
      if (atMs > this.#nowMs && this.#leap(endMs)) {
        await drained();
        continue;
      }
      if (atMs > endMs) break;
      this.#nowMs = Math.max(this.#nowMs, atMs);
      const due = take();
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
      if (this.#runs.daemon?.reeve.alive !== false) this.#invariants.broke('invariant', messageOf(thrown));
    }
    if (mayWake || this.#activity !== before) await drained();
    this.#runs.clearAway();
    this.#look();
  }

  /** Once a second, after whatever happened: no timer of its own, so that it changes no order of events. */
  #look(): void {
    this.#second.look();
    this.#runs.lapse();
    const reeve = this.#runs.present;
    if (reeve === undefined || this.#nowMs - this.#lookedMs < TRUTH_MS) return;
    this.#lookedMs = this.#nowMs;
    const monoMs = reeve.ledger.clock.monotonicMs();
    const isBlind = this.#disk.rotting.beganOnIt || isExcused(this.#options);
    const truths = serviceTruths(this.service, this.#injector, isBlind);
    this.#invariants.look(channelTruths(truths), monoMs, reeve.unfit !== undefined);
    this.#invariants.watch(this.#disk.broken ? unseen(truths) : truths, monoMs);
  }

  /** Skips a stretch of whole minutes in which nothing can happen. True when it did: its last look is answered then. */
  #leap(endMs: number): boolean {
    const daemon = this.#runs.daemon;
    if (this.#options.leap === false || daemon === undefined || this.#second.run) return false;
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
    return this.#injector.quiet && !this.#disk.isFaulty && this.service.serene && daemon.quiet;
  }

  #delivered(delivery: Delivery): void {
    this.#record.delivered(delivery);
    this.#invariants.delivered(delivery);
    this.#called(delivery);
  }

  #called({ what, scope, atMs }: Delivery): void {
    if (what !== 'resolve') this.#operators.paged(scope, atMs);
  }

  #batch(entries: readonly JournalEntry[]): void {
    this.#activity += 1;
    const found = this.#disk.unannouncedBefore(entries);
    if (found.length > 0) this.#tell(found, this.#runs.number - 1);
    this.#tell(entries, this.#runs.number);
  }

  #tell(entries: readonly JournalEntry[], daemonRun: number): void {
    const batch = { entries, atMs: this.#nowMs, daemonRun };
    this.#record.batch(batch);
    this.#options.onBatch?.(batch);
    this.#invariants.batch(batch);
  }

  #failed(text: string): void {
    this.#activity += 1;
    if (this.#runs.daemon?.reeve.alive === false) return;
    this.#record.failures.push({ atMs: this.#nowMs, text, expected: this.#disk.isFaulty });
    if (!this.#disk.isFaulty) this.#invariants.broke('internal', text);
  }

  #heal(): void {
    this.#injector.heal();
    this.#second.end();
    this.#disk.disarm();
    if (this.#disk.broken) this.#runs.die(1_000, 0);
    this.#disk.rotting.mend();
    for (const minutes of [5, 15, 20, 25]) {
      this.#agenda.add(this.#nowMs + minutes * MINUTE_MS, () => this.#operators.settle());
    }
  }

  #demand(): void {
    const reeve = this.#runs.daemon?.reeve;
    if (this.#invariants.violations.length > 0) return;
    if (reeve === undefined) return this.#invariants.broke('L2', 'SimulatedDaemon did not come back');
    this.#invariants.demand(reeve, this.#nowMs);
  }
}
