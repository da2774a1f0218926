/** A second Reeve on the engines of the first: another machine, journal and persona, and the same production code. */
import type { JournalEntry } from '../core/journal.ts';
import type { Persona } from '../core/persona.ts';
import { DaemonRun, type DaemonRunDeps } from './daemon_run.ts';
import { Disk } from './disk_faults.ts';
import type { Invocation } from './effect_log.ts';
import { Invariants } from './invariants/invariants.ts';
import { TwoReeves } from './invariants/two_reeves.ts';
import { ReceiverServers } from './receiver_servers.ts';
import { reception } from './receivers.ts';
import type { Injection, Scenario } from './scenario.ts';
import type { Generation, Starter } from './service_channel.ts';
import { settingsOf } from './settings.ts';
import { channelTruths, serviceTruths, TRUTH_MS } from './truth.ts';
import { type Next, SimulatedHost } from './virtual_time.ts';

type Shared = 'service' | 'injector' | 'nowMs' | 'at' | 'onDelivery' | 'stir';

export interface SecondReeveDeps extends Pick<DaemonRunDeps, Shared> {
  readonly script: Scenario;
  readonly broke: (law: string, because: string) => void;
}

/** It allows more than the first one, as much, or less. */
const PERSONAS = ['lab', 'system_admin', 'system_admin', 'cautious'] as const;
const OWN: Starter = 'second';

interface Instance {
  readonly run: DaemonRun;
  readonly host: SimulatedHost;
  readonly invariants: Invariants;
}

/**
 * Neither knows of the other: to each of them the other's starts are foreign, as a person's or a script's are. The
 * second one is held to all laws, too, by its own journal and by the service as it sees it.
 */
export class SecondReeve {
  readonly #deps: SecondReeveDeps;
  readonly #both: TwoReeves;
  #instance: Instance | undefined;
  #begun = 0;
  #lookedMs = 0;

  constructor(deps: SecondReeveDeps) {
    this.#deps = deps;
    this.#both = new TwoReeves(deps);
  }

  /** Its process, while it runs. */
  get run(): DaemonRun | undefined {
    return this.#instance?.run;
  }

  /** What it does next, and when in world time. */
  next(): Next | undefined {
    const instance = this.#instance;
    const due = instance?.run.reeve.agenda.next();
    if (instance === undefined || due === undefined) return undefined;
    return { atMs: instance.host.worldMsAt(due.atMs), take: () => instance.run.reeve.agenda.take()!, isReeves: true };
  }

  /** Somebody starts it, and stops it again after a while. There is never a third. */
  begin({ variant, forMs }: Injection): void {
    if (this.#instance !== undefined) return;
    this.#begun += 1;
    this.#forgetStops();
    const instance = this.#create(PERSONAS[Math.floor(variant * PERSONAS.length)]!);
    this.#instance = instance;
    instance.run.start();
    this.#deps.at(this.#deps.nowMs() + forMs, () => {
      if (this.#instance === instance) void instance.run.stop().then(() => this.#instance === instance && this.end());
    });
  }

  /** It has no journal of the one before it: what that one stopped and did not start is as somebody wants it. */
  #forgetStops(): void {
    for (const channel of this.#deps.service.channels.values())
      if (channel.stoppedBy === OWN) channel.stoppedBy = 'human';
  }

  /** It is gone, in the middle of whatever it did. */
  end(): void {
    this.#instance?.run.reeve.kill();
    this.#instance = undefined;
  }

  /** A process of a channel has really begun: what the second one started is its own, and all else is foreign to it. */
  started(process: Generation): void {
    if (this.#instance === undefined) return;
    const by: Starter = process.by === OWN ? 'reeve' : process.by === 'reeve' ? 'human' : process.by;
    // A view, not a copy: what becomes of the process later must show.
    this.#instance.invariants.started(Object.create(process, { by: { value: by } }) as Generation);
  }

  /** A call of the first one has reached the engine. */
  invoked(invocation: Invocation): void {
    this.#both.invoked(invocation, 'the first Reeve');
  }

  /** After whatever happened: once a second. */
  look(): void {
    const { service, injector, nowMs } = this.#deps;
    if (nowMs() - this.#lookedMs < TRUTH_MS) return;
    this.#lookedMs = nowMs();
    this.#both.watch(serviceTruths(service, injector, false));
    if (this.#instance === undefined || !this.#instance.run.reeve.alive) return;
    const { run, invariants } = this.#instance;
    const truths = serviceTruths(service, injector, false, OWN);
    const monoMs = run.reeve.ledger.clock.monotonicMs();
    invariants.look(channelTruths(truths), monoMs, run.reeve.unfit !== undefined);
    invariants.watch(truths, monoMs);
  }

  #create(persona: string): Instance {
    const { script: first, injector, nowMs, at, stir, onDelivery } = this.#deps;
    const channels = first.channels.map((plan) => ({ ...plan, untouchable: false }));
    const script: Scenario = { ...first, channels, persona, phase: 4, seed: first.seed + 7_919 * this.#begun };
    const settings = settingsOf(script, {});
    const personaOf = (): Persona => settings.persona;
    const disk = new Disk({
      ...{ nowMs, at, inUse: () => false, die: () => undefined, wait: () => undefined },
      ...{ onGivenUp: () => undefined, onRotten: () => undefined },
    });
    const host = new SimulatedHost(nowMs);
    const invariants: Invariants = new Invariants({
      ...{ script, limits: settings.limits, personaOf, nowMs, isMisled: () => false },
      poolOf: (engine) => this.#instance?.run.poolOf(engine) ?? 'unasked',
      surroundings: {
        hasStarted: (permit) => disk.startedSeq(permit) !== undefined,
        startedSeq: (permit) => disk.startedSeq(permit),
        ...{ isWritable: () => true, hasRotten: () => false },
        ...reception((name) => injector.receiverMode(name)),
        records: () => disk.store.highestSeq(),
        newestOf: (type) => disk.newestOf(type),
      },
      onBroken: (law, because) => this.#deps.broke(law, `the second Reeve: ${because}`),
    });
    const onBatch = (entries: readonly JournalEntry[]): void => {
      stir();
      const found = disk.unannouncedBefore(entries);
      for (const each of [found, entries]) invariants.batch({ entries: each, atMs: nowMs(), daemonRun: 1 });
    };
    const run = new DaemonRun({
      ...this.#deps,
      ...{ number: 1, script, settings, personaOf, host, store: disk.store, by: OWN, adversary: false, onBatch },
      ...{ setBack: undefined, recovery: undefined, upkeep: undefined, servers: new ReceiverServers(script.seed) },
      onInvoked: (invocation) => {
        invariants.invoked(invocation);
        this.#both.invoked(invocation, 'the second Reeve');
        if (this.#instance?.run.stopping === true) invariants.stopped(invocation);
      },
      onSample: (sample) => invariants.seen(sample),
      onDelivery: (delivery) => {
        invariants.delivered(delivery);
        onDelivery(delivery);
      },
      onFailure: (text) => this.#deps.broke('internal', `the second Reeve: ${text}`),
    });
    return { run, host, invariants };
  }
}
