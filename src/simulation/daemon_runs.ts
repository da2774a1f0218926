/** The processes of the simulated daemon, one after another. */
import { HOUR_MS } from '../core/duration.ts';
import { DaemonRun, type DaemonRunDeps } from './daemon_run.ts';
import type { Disk } from './disk_faults.ts';
import type { EffectLog, Invocation } from './effect_log.ts';
import type { Invariants } from './invariants/invariants.ts';
import type { PolicyFile } from './policy_file.ts';
import { ReceiverServers } from './receiver_servers.ts';
import type { Recovery, SimulatedDaemon, Upkeep } from './simulated_daemon.ts';

type RunDeps = Pick<
  DaemonRunDeps,
  'script' | 'settings' | 'host' | 'service' | 'injector' | 'adversary' | 'nowMs' | 'at' | 'onDelivery' | 'onFailure'
>;

export interface DaemonRunsDeps extends RunDeps, Pick<DaemonRunDeps, 'onBatch' | 'stir'> {
  readonly disk: Disk;
  readonly policy: PolicyFile;
  readonly record: EffectLog;
  readonly invariants: Invariants;
  /** A call has reached the engine. */
  readonly onInvoked: (invocation: Invocation) => void;
}

/** Much less is kept than a daemon keeps, so that the few records of a small world come and go as those of years do. */
const UPKEEP: Upkeep = { keepMs: HOUR_MS / 2, snapshotEntries: 100 };

/** Begins and ends Reeve, as its supervisor, the machine and people do. */
export class DaemonRuns {
  readonly #deps: DaemonRunsDeps;
  readonly #servers: ReceiverServers;
  #daemon: DaemonRun | undefined;
  #number = 0;
  /** What the same process saw before it began again by itself, until it has. */
  #seenDead: DaemonRunDeps['seenDead'];
  /** What the adversarial planners of earlier processes have asked for. */
  #plans = 0;

  constructor(deps: DaemonRunsDeps) {
    this.#deps = deps;
    this.#servers = new ReceiverServers(deps.script.seed);
  }

  /** The process that runs, or the last one until what it left is cleared away. */
  get daemon(): DaemonRun | undefined {
    return this.#daemon;
  }

  /** Which process it is: the first is 1. */
  get number(): number {
    return this.#number;
  }

  /** What the adversarial planners have asked for so far. */
  get plans(): number {
    return this.#plans + (this.#daemon?.plans ?? 0);
  }

  /** The daemon of the process that runs, if one does. */
  get present(): SimulatedDaemon | undefined {
    return this.#daemon?.reeve.alive ? this.#daemon.reeve : undefined;
  }

  /** How long the machine has slept since the clock of the process that runs showed this: it goes on over boots. */
  sleptSinceMs(monoMs: number): number {
    const { host } = this.#deps;
    const reeve = this.present;
    if (reeve === undefined) return 0;
    return host.sleptSinceMs(monoMs - (reeve.ledger.clock.monotonicMs() - host.monotonicMs()));
  }

  begin(): void {
    const { script, policy, disk, record, invariants, stir } = this.#deps;
    this.#number += 1;
    stir();
    this.#daemon = new DaemonRun({
      ...this.#deps,
      servers: this.#servers,
      number: this.#number,
      personaOf: (channel) => policy.personaOf(channel),
      store: disk.store,
      setBack: disk.setBackBecause,
      recovery: this.#recovery(),
      seenDead: this.#seenDead,
      upkeep: script.kinds.includes('journal_rot') ? UPKEEP : undefined,
      onInvoked: (invocation) => {
        record.invoked(invocation);
        invariants.invoked(invocation);
        this.#deps.onInvoked(invocation);
        if (this.#daemon?.stopping) invariants.stopped(invocation);
      },
      onSample: (sample) => invariants.seen(sample),
      unjournaled: invariants.unjournaled,
    });
    this.#seenDead = undefined;
    this.#daemon.start();
  }

  reboot(downMs: number, next: () => void): void {
    if (this.#daemon === undefined) return;
    this.die(downMs, 0);
    this.clearAway();
    next();
  }

  /** Asked to stop, it ends what it has begun, and is gone. */
  stop(downMs: number): void {
    const daemon = this.#daemon;
    if (this.present === undefined) return;
    void daemon?.stop().then(() => daemon === this.#daemon && this.die(downMs, 0));
  }

  /** Ends it; of the appends that were not durable yet the next one finds the first `survivors`. */
  die(downMs: number, survivors: number): void {
    const reeve = this.present;
    if (reeve === undefined) return;
    reeve.kill();
    this.#startAgain(Math.max(1, downMs), survivors);
  }

  /** What receivers have ended by themselves, whether or not Reeve runs. */
  lapse(): void {
    for (const lapse of this.#servers.lapse(this.#deps.nowMs())) this.#deps.onDelivery(lapse);
  }

  clearAway(): void {
    if (this.#daemon?.reeve.alive !== false) return;
    for (const invocation of this.#deps.record.invocations) {
      if (invocation.daemonRun === this.#number) invocation.endMs ??= this.#deps.nowMs();
    }
    this.#plans += this.#daemon.plans;
    this.#daemon = undefined;
  }

  #startAgain(afterMs: number, survivors: number): void {
    const { disk, invariants, host, nowMs, at } = this.#deps;
    at(nowMs() + afterMs, () => {
      this.clearAway();
      // While the machine sleeps nothing begins.
      const againMs = Math.max(host.wakesInMs, disk.startsAgainMs);
      // A start that fails ends the process, and what it saw goes with it.
      if (disk.startsAgainMs > 0) this.#seenDead = undefined;
      if (againMs > 0) return this.#startAgain(againMs, survivors);
      disk.restore(survivors);
      if (!disk.rotting.rotten) invariants.rot.mended();
      if (disk.setBackBecause !== undefined) invariants.setBack(disk.journal());
      this.begin();
    });
  }

  /** As `main.ts` does; only where the journal may be held, so that no other world has its timer. */
  #recovery(): Recovery | undefined {
    const { script, disk, invariants } = this.#deps;
    if (!script.kinds.includes('journal_busy')) return undefined;
    const onWritable = (): void => {
      if (this.#daemon?.stopping !== false) return;
      invariants.unwritten.beganAgain();
      const { pipeline, ledger } = this.#daemon.reeve;
      this.#seenDead = pipeline.factStore.seenDead(ledger.clock.monotonicMs());
      this.stop(1);
    };
    return { probe: () => disk.probe(), onWritable };
  }
}
