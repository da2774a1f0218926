import type { Ids } from '../core/id.ts';
import { messageOf, ReeveError } from '../core/errors.ts';
import { DEFAULT_LIMITS, type Limits } from '../core/limits.ts';
import type { Persona } from '../core/persona.ts';
import type { JournalEntry } from '../core/journal.ts';
import type { SymptomKind } from '../core/symptom.ts';
import type { ChannelSetup, EngineSetup } from '../ground/setup.ts';
import { entryOf } from '../journal/entry.ts';
import { type AppendStep, MemoryStore } from '../journal/memory.ts';
import type { Rulebook } from '../rulebook/rulebook.ts';
import { Hammer } from './hammer.ts';
import { Injector } from './injector.ts';
import { Laws, type Violation } from './laws/laws.ts';
import { People } from './people.ts';
import { Plant } from './plant.ts';
import { type Batch, Record } from './record.ts';
import { Reeve } from './reeve.ts';
import { type ReceiverMode, simReceiver } from './receivers.ts';
import { streamOf } from './rng.ts';
import type { ChannelPlan, Injection, Script } from './script.ts';
import { shippedFiles } from './shipped.ts';
import { SimEngine } from './sim-engine.ts';
import { Agenda, Host } from './time.ts';
import { SLOW_S, Watcher } from './watcher.ts';

export interface WorldOptions {
  /** False: every second is lived through. True (the default): stretches in which nothing can happen are skipped. */
  readonly leap?: boolean;
  /** Who plans; the shipped rules where nothing is said. */
  readonly rulebook?: (script: Script) => Rulebook;
  readonly persona?: Persona;
  /** Somebody asks the guard for anything at any time, besides. */
  readonly hammer?: boolean;
  /** Told of everything that becomes durable. */
  readonly onBatch?: (batch: Batch) => void;
  /** How long everything that is promised may take to come true once all is healed; 0: nothing is demanded. */
  readonly livenessMs?: number;
  /** Stops at the first violation. Default true. */
  readonly stopEarly?: boolean;
}

export interface WorldEnd {
  readonly events: number;
  readonly nowMs: number;
  readonly violations: readonly Violation[];
  /** What the hammer has asked for. */
  readonly plans: number;
  readonly traceSha256: string;
  readonly record: Record;
  readonly plant: Plant;
  readonly laws: Laws;
}

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** After everything is healed, this long until all that is promised must have come true. */
const LIVENESS_MS = 45 * MINUTE_MS;
const LEAP_RUN_UP_MS = 45_000;
/** After a start everything is looked at for a while before quiet time may be skipped. */
const SETTLED_MS = 60_000;

const drained = (): Promise<void> => new Promise((done) => setImmediate(done));

/** A crash at one step of one append. */
interface Trap {
  readonly step: AppendStep;
  readonly spring: () => void;
  appendsLeft: number;
}

/** The whole of a simulated world. One instance is one run. */
export class World {
  readonly #script: Script;
  readonly #options: WorldOptions;
  readonly #agenda: Agenda;
  readonly #host: Host;
  readonly #plant: Plant;
  readonly #injector: Injector;
  readonly #people: People;
  readonly #record = new Record();
  readonly #laws: Laws;
  readonly #limits: Limits;
  readonly #persona: Persona;
  readonly #setups: readonly ChannelSetup[];
  readonly #engineIds: readonly string[];
  readonly #rulebook: Rulebook;
  readonly #ids: Ids;
  #store: MemoryStore;
  #reeve: Reeve | undefined;
  #watcher: Watcher | undefined;
  #hammer: Hammer | undefined;
  #plans = 0;
  #healed = false;
  #incarnation = 0;
  #startedMs = 0;
  #lastSeq = 0;
  /** What each engine last told this life of Reeve of its pool. */
  readonly #pools = new Map<string, number | undefined>();
  #trap: Trap | undefined;
  #diskBroken = false;
  #activity = 0;
  #nowMs = 0;
  #events = 0;

  constructor(script: Script, options: WorldOptions = {}) {
    this.#script = script;
    this.#options = options;
    const { seed, channels } = script;
    const files = shippedFiles();
    this.#persona = options.persona ?? files.personas.find(({ id }) => id === script.persona) ?? files.personas[0]!;
    this.#rulebook = options.rulebook?.(script) ?? files.rulebook;
    this.#limits = { ...DEFAULT_LIMITS, ...script.limits };
    this.#engineIds = [...new Set(channels.map(({ engine }) => engine))];
    this.#setups = channels.map(setupOf);
    this.#ids = idsOf();
    this.#agenda = new Agenda(seed);
    this.#host = new Host(() => this.#nowMs);
    const at = (atMs: number, run: () => void): void => void this.#agenda.add(Math.max(atMs, this.#nowMs), run);
    const nowMs = (): number => this.#nowMs;
    const onWords = (channel: string, kind: SymptomKind): void => this.#words(channel, kind);
    this.#plant = new Plant(channels, { seed, nowMs, at, onWords, onLife: (life) => this.#laws?.lived(life) });
    this.#laws = new Laws({
      script,
      limits: this.#limits,
      persona: this.#persona,
      nowMs,
      poolOf: (engine) => (this.#pools.has(engine) ? this.#pools.get(engine) : 'unasked'),
    });
    this.#people = new People({
      seed,
      channels,
      nowMs,
      at,
      plant: this.#plant,
      reeve: () => (this.#reeve?.alive ? this.#reeve : undefined),
    });
    this.#injector = new Injector({
      plant: this.#plant,
      nowMs,
      at,
      words: onWords,
      jumpWall: (byMs) => this.#host.jumpWall(byMs),
      suspend: (forMs) => this.#host.suspend(forMs),
      reboot: (downMs) => this.#reboot(downMs),
      crash: (injection) => this.#crash(injection),
      breakDisk: (injection) => this.#breakDisk(injection),
      operate: (injection) => this.#people.operate(injection),
      change: () => undefined,
    });
    this.#store = this.#newStore();
  }

  /** Lives through the script, heals everything, and demands what was promised. */
  async run(): Promise<WorldEnd> {
    const endMs = this.#script.days * DAY_MS;
    for (const injection of this.#script.injections) {
      this.#agenda.add(injection.atMs, () => this.#injector.inject(injection));
    }
    this.#agenda.every(0, MINUTE_MS, () => this.#people.round());
    this.#begin();
    await this.#until(endMs);
    const livenessMs = this.#options.livenessMs ?? LIVENESS_MS;
    if (livenessMs > 0) {
      this.#heal();
      await this.#until(endMs + livenessMs);
      this.#demand();
    }
    this.#reeve?.kill();
    return {
      events: this.#events,
      nowMs: this.#nowMs,
      violations: this.#laws.violations,
      plans: this.#plans + (this.#hammer?.plans ?? 0),
      traceSha256: this.#record.traceSha256(),
      record: this.#record,
      plant: this.#plant,
      laws: this.#laws,
    };
  }

  async #until(endMs: number): Promise<void> {
    const stopEarly = this.#options.stopEarly ?? true;
    while (!(stopEarly && this.#laws.violations.length > 0)) {
      const ofWorld = this.#agenda.next();
      const ofReeve = this.#reeve?.agenda.next();
      const reeveMs = ofReeve === undefined ? Number.POSITIVE_INFINITY : this.#host.worldMsAt(ofReeve.atMs);
      const isReeves = reeveMs < (ofWorld?.atMs ?? Number.POSITIVE_INFINITY);
      const atMs = isReeves ? reeveMs : (ofWorld?.atMs ?? Number.POSITIVE_INFINITY);
      if (atMs > this.#nowMs && this.#leap(endMs)) continue;
      if (atMs > endMs) break;
      this.#nowMs = Math.max(this.#nowMs, atMs);
      const due = isReeves ? this.#reeve!.agenda.take()! : this.#agenda.take()!;
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
      if (this.#reeve?.alive !== false) this.#laws.broke('invariant', messageOf(thrown));
    }
    if (mayWake || this.#activity !== before) await drained();
    if (this.#reeve !== undefined && !this.#reeve.alive) this.#bury();
  }

  /** Skips a stretch of whole minutes in which nothing can happen. True when it did. */
  #leap(endMs: number): boolean {
    const reeve = this.#reeve;
    if (this.#options.leap === false || reeve === undefined || this.#watcher === undefined) return false;
    if (reeve.ledger.clock.monotonicMs() !== this.#watcher.wholeLookMs || !this.#quiet(reeve)) return false;
    const singleMs = Math.min(this.#agenda.firstSingleMs(), this.#host.worldMsAt(reeve.agenda.firstSingleMs()), endMs);
    const minutes = Math.floor((singleMs - LEAP_RUN_UP_MS - this.#nowMs) / MINUTE_MS);
    if (minutes < 1) return false;
    const byMs = minutes * MINUTE_MS;
    this.#agenda.skipTicks(byMs);
    reeve.agenda.skipTicks(byMs);
    this.#nowMs += byMs;
    this.#watcher.look(true);
    return true;
  }

  /** Everything plays, everybody knows it, and nobody is in the middle of anything. */
  #quiet(reeve: Reeve): boolean {
    const { spine } = reeve;
    return (
      this.#injector.quiet &&
      !this.#diskBroken &&
      this.#nowMs - this.#startedMs >= SETTLED_MS &&
      reeve.ledger.clock.monotonicMs() >= this.#watcher!.fastUntilMs &&
      this.#plant.serene &&
      spine.incidents().open.length === 0 &&
      Object.keys(spine.guardState().containments).length === 0 &&
      spine.watch.causes.length === 0 &&
      spine.watch.all().every(({ finding }) => !finding.trouble && finding.healthy === true)
    );
  }

  #begin(): void {
    this.#incarnation += 1;
    this.#startedMs = this.#nowMs;
    this.#pools.clear();
    this.#activity += 1;
    const { seed, phase } = this.#script;
    const random = streamOf(seed, `courier:${this.#incarnation}`);
    const reeve = new Reeve({
      seed: seed + this.#incarnation,
      host: this.#host,
      store: this.#store,
      ids: this.#ids,
      random,
      limits: this.#limits,
      rulebook: this.#rulebook,
      persona: this.#persona,
      phase,
      channels: this.#setups,
      engineSetups: this.#engineSetups(),
      engines: (owner) => this.#engines(owner),
      receivers: (owner) => ['pager', 'chat'].map((name) => this.#receiver(name, owner)),
      onBatch: (entries) => this.#batch(entries),
      onFailure: (text) => this.#failed(text),
      lookCloser: (channels, forMs) => this.#watcher?.lookCloser(channels, forMs),
      lookNow: (channel, wants) => this.#watcher?.lookNow(channel, wants),
    });
    this.#reeve = reeve;
    this.#watcher = this.#watch(reeve);
    reeve.start();
    if (this.#options.hammer === true) this.#hammer = this.#strikeWith(reeve);
  }

  #strikeWith(reeve: Reeve): Hammer {
    const script = this.#script;
    return new Hammer({
      script,
      reeve,
      incarnation: this.#incarnation,
      plant: this.#plant,
      persona: this.#persona,
      engines: this.#engines(reeve),
      quiet: () => this.#healed || (this.#plant.serene && reeve.spine.incidents().open.length === 0),
    });
  }

  #engineSetups(): readonly EngineSetup[] {
    return this.#engineIds.map((id) => ({
      id,
      pollMs: SLOW_S * 1_000,
      autorestartGraceMs: 1_500,
      hostEveryMs: undefined,
    }));
  }

  #watch({ spine, ledger }: Reeve): Watcher {
    return new Watcher({
      seed: this.#script.seed,
      clock: ledger.clock,
      plant: this.#plant,
      engines: this.#engineIds,
      probe: (channel) => this.#injector.probe(channel),
      engineUp: (engine) => this.#injector.engineUp(engine),
      pool: (engine) => ({ pressure: this.#injector.pressure(engine) }),
      take: (sample) => {
        if (sample.kind === 'engine') this.#pools.set(sample.engine, sample.poolPressure);
        spine.take(sample);
      },
      settle: () => spine.settle(),
    });
  }

  #engines(owner: Reeve): ReadonlyMap<string, SimEngine> {
    const incarnation = this.#incarnation;
    const engines = this.#engineIds.map((id) => {
      const engine = new SimEngine({
        id,
        plant: this.#plant,
        clock: owner.ledger.clock,
        worldMs: () => this.#nowMs,
        at: (atMs, run) => void this.#agenda.add(atMs, run),
        alive: () => owner.alive,
        mode: () => this.#injector.callMode(id),
        observe: async () => this.#watcher!.report(id),
        onInvoked: (call) => {
          const status = call.channel === undefined ? '' : this.#plant.statusOf(this.#plant.at(call.channel));
          const whole = { ...call, atMs: this.#nowMs, endMs: undefined, effect: undefined, incarnation, status };
          this.#record.invoked(whole);
          this.#laws.invoked(whole);
          return whole;
        },
      });
      return [id, engine] as const;
    });
    return new Map(engines);
  }

  #receiver(name: string, owner: Reeve) {
    return simReceiver(name, {
      clock: owner.ledger.clock,
      worldMs: () => this.#nowMs,
      alive: () => owner.alive,
      mode: (): ReceiverMode => this.#injector.receiverMode(name),
      onDelivery: (delivery) => {
        this.#record.delivered(delivery);
        this.#laws.delivered(delivery);
        if (delivery.what !== 'resolve') this.#people.paged(delivery.scope, delivery.atMs);
      },
    });
  }

  /** What a crash left durable although nobody was told of it comes to light at the next start. */
  #batch(entries: readonly JournalEntry[]): void {
    this.#activity += 1;
    const firstSeq = entries[0]!.seq;
    if (firstSeq > this.#lastSeq + 1) {
      const found = [...this.#store.read({ sinceSeq: this.#lastSeq + 1, throughSeq: firstSeq - 1 })].map(entryOf);
      this.#tell(found, this.#incarnation - 1);
    }
    this.#lastSeq = entries.at(-1)!.seq;
    this.#tell(entries, this.#incarnation);
  }

  #tell(entries: readonly JournalEntry[], incarnation: number): void {
    const batch = { entries, atMs: this.#nowMs, incarnation };
    this.#record.batch(batch);
    this.#options.onBatch?.(batch);
    this.#laws.batch(batch);
  }

  #failed(text: string): void {
    this.#activity += 1;
    if (this.#reeve !== undefined && !this.#reeve.alive) return;
    this.#record.failures.push({ atMs: this.#nowMs, text, expected: this.#diskBroken });
    if (!this.#diskBroken) this.#laws.broke('internal', text);
  }

  #words(channel: string, kind: SymptomKind): void {
    const reeve = this.#reeve;
    if (reeve === undefined || !reeve.alive) return;
    const { clock } = reeve.ledger;
    clock.after(50, () =>
      reeve.spine.symptom({
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

  #newStore(): MemoryStore {
    return new MemoryStore({ onStep: (step) => this.#step(step) });
  }

  #step(step: AppendStep): void {
    const trap = this.#trap;
    if (trap === undefined || trap.step !== step) return;
    if (trap.appendsLeft > 0) {
      trap.appendsLeft -= 1;
      return;
    }
    this.#trap = undefined;
    trap.spring();
    throw new ReeveError('JOURNAL_UNWRITABLE', `stopped while ${step}`);
  }

  /** Now, or in the middle of an append that is about to come. */
  #crash({ variant, forMs }: Injection): void {
    if (this.#reeve === undefined || this.#trap !== undefined) return;
    if (variant < 0.3) return this.#die(forMs, 0);
    const step = variant < 0.5 ? 'writing' : variant < 0.8 ? 'written' : 'synced';
    const survivors = step === 'written' && variant < 0.65 ? 1 : 0;
    this.#trap = { step, appendsLeft: Math.floor(variant * 1e4) % 12, spring: () => this.#die(forMs, survivors) };
  }

  #breakDisk({ variant, forMs }: Injection): void {
    if (this.#reeve === undefined || this.#trap !== undefined) return;
    const spring = (): void => {
      this.#diskBroken = true;
      this.#agenda.add(this.#nowMs + forMs, () => this.#die(1_000, 0));
    };
    this.#trap = { step: 'writing', appendsLeft: Math.floor(variant * 1e4) % 8, spring };
  }

  #reboot(downMs: number): void {
    if (this.#reeve === undefined) return;
    this.#die(downMs, 0);
    this.#bury();
    this.#host.reboot();
  }

  #die(downMs: number, survivors: number): void {
    const reeve = this.#reeve;
    if (reeve === undefined || !reeve.alive) return;
    reeve.kill();
    const store = this.#store;
    this.#agenda.add(this.#nowMs + Math.max(1, downMs), () => {
      this.#bury();
      this.#store = store.crash(survivors, { onStep: (step) => this.#step(step) });
      this.#diskBroken = false;
      this.#trap = undefined;
      this.#begin();
    });
  }

  #bury(): void {
    if (this.#reeve === undefined || this.#reeve.alive) return;
    for (const invocation of this.#record.invocations) {
      if (invocation.incarnation === this.#incarnation) invocation.endMs ??= this.#nowMs;
    }
    this.#plans += this.#hammer?.plans ?? 0;
    this.#hammer = undefined;
    this.#reeve = undefined;
    this.#watcher = undefined;
  }

  #heal(): void {
    this.#injector.heal();
    this.#healed = true;
    this.#trap = undefined;
    if (this.#diskBroken) this.#die(1_000, 0);
    for (const minutes of [5, 15, 25]) {
      this.#agenda.add(this.#nowMs + minutes * MINUTE_MS, () => this.#people.settle());
    }
  }

  #demand(): void {
    const reeve = this.#reeve;
    if (this.#laws.violations.length > 0) return;
    if (reeve === undefined) return this.#laws.broke('L2', 'Reeve did not come back');
    this.#laws.demand(reeve, this.#nowMs);
  }
}

const setupOf = ({ id, group, engine, hasSource }: ChannelPlan): ChannelSetup => ({
  id,
  group,
  engine,
  hasSource,
  expected: 'always',
  hasOutputProbe: true,
  stallAfterMs: 10_000,
  outputEveryMs: SLOW_S * 1_000,
  sourceEveryMs: 10_000,
});

/** Names that count up over all lives of Reeve: random ones do not repeat after a restart either. */
function idsOf(): Ids {
  let last = 0;
  return {
    next: (prefix) => {
      last += 1;
      return `${prefix}-${last}`;
    },
  };
}
