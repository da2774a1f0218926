/** Injects the faults of a scenario. */
import { DAY_MS, HOUR_MS } from '../core/duration.ts';
import type { SymptomKind } from '../core/symptom.ts';
import { RECEIVER_MODES, type ReceiverMode } from './receivers.ts';
import { type CruelControls, inflict } from './cruel_faults.ts';
import type { Kind } from './kinds.ts';
import { SAMPLE_FAULTS, type SampleFault } from './sample_faults.ts';
import type { Injection } from './scenario.ts';
import { CALL_MODES, type CallMode, HALF_MODES } from './sim_engine.ts';
import type { ProbeMode } from './simulated_probes.ts';
import { emptyPlayout, outdateAddresses, refuseCredentials } from './treatments.ts';

/** What an injection may do to the machine and to Reeve itself. */
export interface FaultControls extends Omit<CruelControls, 'healed'> {
  readonly symptom: (channel: string, kind: SymptomKind) => void;
  readonly jumpWall: (byMs: number) => void;
  readonly suspend: (forMs: number) => void;
  readonly reboot: (downMs: number) => void;
  readonly operate: (injection: Injection) => void;
  readonly change: () => void;
}

const PROBE_LIES: readonly ProbeMode[] = ['says_still', 'says_dead', 'says_moving'];
const FORGED: readonly SymptomKind[] = ['process_crash', 'stalled_output', 'auth_expired', 'publisher_lost'];
const WALL_JUMPS_MS = [HOUR_MS, -HOUR_MS, 315_360_000_000, -DAY_MS, 1_000, -2_500] as const;
const LASTING: ReadonlySet<Kind> = new Set([
  'pool',
  'engine_down',
  'calls',
  'receiver',
  'probe_noise',
  'probe_lie',
  'probe_gone',
  'half_restart',
  'one_way',
  'samples',
]);

const pickOf = <T>(items: readonly T[], variant: number): T => items[Math.floor(variant * items.length)]!;

/** Does to the world what the script says, and remembers what is still going on. */
export class FaultInjector {
  readonly #levers: FaultControls;
  /** By kind, then by target: asked for every sample of every channel. */
  readonly #going = new Map<Kind, Map<string, Injection>>();
  #healed = false;

  constructor(levers: FaultControls) {
    this.#levers = levers;
  }

  /** Nothing lasting is going on beside the simulated service's own troubles. */
  get quiet(): boolean {
    return this.#going.size === 0;
  }

  /** Nothing is injected any more. */
  get healed(): boolean {
    return this.#healed;
  }

  inject(injection: Injection): void {
    if (this.#healed) return;
    if (LASTING.has(injection.kind)) this.#lasting(injection);
    else this.#once(injection);
  }

  /** From now on nothing is injected, and everything that lasted is over. */
  heal(): void {
    this.#healed = true;
    this.#going.clear();
    this.#levers.service.heal();
  }

  probe(channel: string): ProbeMode {
    if (this.#going.size === 0) return 'well';
    if (this.#of('probe_gone', channel) !== undefined) return 'gone';
    const lie = this.#of('probe_lie', channel);
    if (lie !== undefined) return pickOf(PROBE_LIES, lie.variant);
    return this.#of('probe_noise', channel) === undefined ? 'well' : 'noise';
  }

  samples(channel: string): SampleFault | undefined {
    const fault = this.#of('samples', channel);
    return fault === undefined ? undefined : pickOf(SAMPLE_FAULTS, fault.variant);
  }

  engineUp(engine: string): boolean {
    return this.#of('engine_down', engine) === undefined;
  }

  /** What it is asked arrives, and its answers come back. */
  engineAnswers(engine: string): boolean {
    return this.engineUp(engine) && this.#of('one_way', engine) === undefined;
  }

  pressure(engine: string): number | undefined {
    const pool = this.#of('pool', engine);
    if (pool === undefined) return 0.4;
    return pool.variant < 0.3 ? undefined : 0.85 + pool.variant * 0.15;
  }

  callMode(engine: string): CallMode {
    if (!this.engineUp(engine)) return 'hang';
    if (!this.engineAnswers(engine)) return 'unheard';
    const half = this.#of('half_restart', engine);
    if (half !== undefined) return pickOf(HALF_MODES, half.variant);
    const calls = this.#of('calls', engine);
    return calls === undefined ? 'well' : pickOf(CALL_MODES, calls.variant);
  }

  receiverMode(name: string): ReceiverMode {
    const down = this.#of('receiver', '');
    if (down === undefined || (down.variant < 0.3 && name !== 'pager')) return 'up';
    return pickOf(RECEIVER_MODES, (down.variant * 7) % 1);
  }

  #of(kind: Kind, target: string): Injection | undefined {
    return this.#going.get(kind)?.get(target);
  }

  #lasting(injection: Injection): void {
    const { kind, target } = injection;
    const going = this.#going.get(kind) ?? new Map<string, Injection>();
    this.#going.set(kind, going.set(target, injection));
    this.#levers.change();
    this.#levers.at(injection.atMs + injection.forMs, () => {
      if (this.#of(kind, target) !== injection) return;
      going.delete(target);
      if (going.size === 0) this.#going.delete(kind);
      this.#levers.change();
    });
  }

  #once(injection: Injection): void {
    const { kind, target, forMs, variant } = injection;
    const { service, jumpWall, suspend, reboot, disk, operate } = this.#levers;
    switch (kind) {
      case 'crash':
        return service.crash(target, deathOf(variant));
      case 'freeze':
        return service.freeze(target);
      case 'self_heal':
        return variant < 0.5 ? service.stall(target, forMs) : service.hiccup(target, 400 + Math.floor(variant * 3_000));
      case 'loop':
        return service.unfit(target, forMs, 3_000 + Math.floor(variant * 6_000));
      case 'misconfig':
        return service.unfit(target, forMs, 300 + Math.floor(variant * 900));
      case 'outage':
        return this.#outage(injection);
      case 'auth':
        refuseCredentials(service, target, forMs);
        return this.#logInGroup(injection, 'auth_expired');
      case 'stale_address':
        outdateAddresses(service, target, forMs);
        return this.#logInGroup(injection, 'auth_denied');
      case 'empty_playout':
        emptyPlayout(service, target, variant < 0.3);
        return this.#talk(injection, target, 'playout_gap');
      case 'slow':
        service.slow(target, forMs);
        return this.#talk(injection, target, 'encoder_overload');
      case 'foreign':
        return void service.restart(target, variant < 0.5 ? 'human' : 'engine');
      case 'storm':
        return this.#storm(injection);
      case 'forged_log':
        return this.#talk(injection, target, pickOf(FORGED, variant));
      case 'wall_jump':
        return jumpWall(pickOf(WALL_JUMPS_MS, variant));
      case 'suspend':
        return suspend(forMs);
      case 'reboot':
        return reboot(forMs);
      case 'reeve_crash':
        return disk.crash(injection);
      case 'disk':
        return disk.breakDown(injection);
      case 'operator':
        return operate(injection);
      default:
        inflict(injection, { ...this.#levers, healed: () => this.#healed });
    }
  }

  #outage(injection: Injection): void {
    this.#levers.service.outage(injection.target, injection.forMs);
    this.#logInGroup(injection, 'upstream_unreachable');
  }

  #logInGroup(injection: Injection, kind: SymptomKind): void {
    for (const { plan } of this.#levers.service.channels.values()) {
      if (plan.group === injection.target) this.#talk(injection, plan.id, kind);
    }
  }

  /** A line in the log every few seconds, for as long as it lasts. */
  #talk(injection: Injection, channel: string, kind: SymptomKind): void {
    const { at, nowMs, symptom } = this.#levers;
    const untilMs = injection.atMs + Math.min(injection.forMs, 120_000);
    const everyMs = 2_000 + Math.floor(injection.variant * 2_000);
    const say = (): void => {
      if (this.#healed || nowMs() >= untilMs) return;
      symptom(channel, kind);
      at(nowMs() + everyMs, say);
    };
    at(nowMs() + 100, say);
  }

  /** Many channels of all groups die within the stretch. */
  #storm({ atMs, forMs, variant }: Injection): void {
    const { service, at } = this.#levers;
    const ids = [...service.channels.keys()];
    const count = Math.max(3, Math.floor(ids.length * (0.3 + variant * 0.7)));
    for (let n = 0; n < count; n += 1) {
      const id = ids[(n * 7 + Math.floor(variant * 97)) % ids.length]!;
      at(atMs + Math.floor((forMs * n) / count), () => service.crash(id, deathOf((variant + n * 0.37) % 1)));
    }
  }
}

const deathOf = (variant: number): { exitSignal?: number; exitCode?: number } =>
  variant < 0.5 ? { exitSignal: 11 } : variant < 0.75 ? { exitSignal: 9 } : { exitCode: 1 };
