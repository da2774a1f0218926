/** The simulated streaming service. */
import { invariant } from '../core/errors.ts';
import type { SymptomKind } from '../core/symptom.ts';
import { Downtime, type Status } from './downtime.ts';
import { EngineRetries } from './engine_retries.ts';
import { Origins } from './origins.ts';
import {
  beginGeneration,
  freshChannel,
  type Generation,
  nextName,
  pauseOutput,
  type ServiceChannel,
  segmentsOf,
  shouldProduce,
  statusOf,
  type Starter,
} from './service_channel.ts';
import { fractionOf, numberOf } from './random_streams.ts';
import { type ChannelPlan, originOf } from './scenario.ts';
import { StartingMachine } from './start_cost.ts';

export type { Generation, ServiceChannel } from './service_channel.ts';

/** A process that ends sooner than this never really ran. */
const SHORT_GENERATION_MS = 15_000;

export interface ServiceModelDeps {
  readonly seed: number;
  readonly nowMs: () => number;
  readonly at: (atMs: number, run: () => void) => void;
  /** What an encoder writes into its log. */
  readonly onSymptom: (channel: string, kind: SymptomKind) => void;
  readonly onStart?: (process: Generation) => void;
  /** True: encoders that start at once on one engine slow each other down. */
  readonly startCost?: boolean;
}

/** The streaming service as it really is: processes, sources and viewers, independent of any observer. */
export class ServiceModel {
  readonly channels = new Map<string, ServiceChannel>();
  readonly downtime: Downtime;
  readonly #deps: ServiceModelDeps;
  readonly origins: Origins;
  readonly #retries: EngineRetries;
  readonly #machines = new Map<string, StartingMachine>();

  constructor(plans: readonly ChannelPlan[], deps: ServiceModelDeps) {
    this.#deps = deps;
    const { seed, nowMs } = deps;
    const channels = plans.map((plan) => freshChannel(plan, seed, nowMs()));
    this.downtime = new Downtime(channels.map(({ plan, viewers }) => ({ id: plan.id, viewers })));
    this.origins = new Origins(new Map(plans.map((plan) => [plan.group, originOf(plan)])), nowMs);
    const restart = (id: string): void => void this.restart(id, 'engine');
    this.#retries = new EngineRetries({ ...deps, restart, settle: (channel) => this.#settle(channel) });
    for (const [engine, carried] of Map.groupBy(plans, (plan) => plan.engine)) {
      if (deps.startCost === true)
        this.#machines.set(engine, new StartingMachine({ ...deps, channels: carried.length }));
    }
    for (const channel of channels) {
      this.channels.set(channel.plan.id, channel);
      this.#settle(channel);
    }
  }

  nowMs(): number {
    return this.#deps.nowMs();
  }

  at(id: string): ServiceChannel {
    const channel = this.channels.get(id);
    invariant(channel !== undefined, `there is no channel ${id}`);
    return channel;
  }

  /** Ends the present process, if there is one, and starts another. */
  restart(id: string, by: Starter): Generation {
    const channel = this.at(id);
    const nowMs = this.#deps.nowMs();
    channel.processes += 1;
    channel.state = 'running';
    channel.frozenMs = undefined;
    channel.stallsUntilMs = 0;
    if (by !== 'engine') channel.retries = 0;
    const generation = nextName(channel, nowMs);
    this.#leave(channel);
    channel.process = beginGeneration(id, generation, nowMs, by);
    this.#startUp(channel, 1_500 + Math.floor(3_500 * this.#lot(channel, 1)));
    if (nowMs < channel.unfitUntilMs) this.#dieLater(channel, nowMs + channel.unfitUptimeMs, 1);
    else if (this.isOut(channel) && this.#lot(channel, 2) < 0.4) this.#dieLater(channel, nowMs + 6_000, 1);
    this.#settle(channel);
    this.#deps.onStart?.(channel.process);
    return channel.process;
  }

  /** The engine ends the process because it was asked to, and starts it only when it is asked again. */
  stop(id: string, by: Starter): void {
    const channel = this.at(id);
    this.#leave(channel);
    Object.assign(channel, { state: 'stopped', stoppedBy: by, exitSignal: 15, exitCode: undefined });
    channel.frozenMs = undefined;
    this.#settle(channel);
  }

  /** For so long the engine starts again whatever ends on it, every two seconds and for ever. */
  retryForEver(engine: string, forMs: number): void {
    this.#retries.keep(engine, forMs);
  }

  /** The process ends, and only an operator or Reeve starts it again. */
  crash(id: string, how: { readonly exitSignal?: number; readonly exitCode?: number }): void {
    const channel = this.at(id);
    if (channel.state === 'running') this.#end(channel, how.exitSignal, how.exitCode);
  }

  freeze(id: string): void {
    const channel = this.at(id);
    if (channel.state === 'running') channel.frozenMs ??= this.#deps.nowMs();
    this.#settle(channel);
  }

  stall(id: string, forMs: number): void {
    const channel = this.at(id);
    channel.stallsUntilMs = this.#deps.nowMs() + forMs;
    this.#later(channel, channel.stallsUntilMs);
    this.#settle(channel);
  }

  /** The engine starts it again by itself after a moment. */
  hiccup(id: string, afterMs: number): void {
    this.crash(id, { exitSignal: 11 });
    const { process } = this.at(id);
    this.#deps.at(this.#deps.nowMs() + afterMs, () => {
      const channel = this.at(id);
      if (channel.process === process && channel.state === 'exited') this.restart(id, 'engine');
    });
  }

  /** Processes end early for a while: a crash loop, or a setting that no start can cure. */
  unfit(id: string, forMs: number, uptimeMs: number): void {
    const channel = this.at(id);
    channel.unfitUntilMs = this.#deps.nowMs() + forMs;
    channel.unfitUptimeMs = uptimeMs;
    channel.retries = 0;
    if (channel.state === 'running') this.#dieLater(channel, this.#deps.nowMs() + 500, 1);
    this.#later(channel, channel.unfitUntilMs);
  }

  slow(id: string, forMs: number): void {
    const channel = this.at(id);
    const nowMs = this.#deps.nowMs();
    pauseOutput(channel, nowMs);
    channel.slowUntilMs = nowMs + forMs;
    this.#later(channel, channel.slowUntilMs);
    this.#settle(channel);
  }

  outage(group: string, forMs: number): void {
    const outUntilMs = this.origins.cutOff(group, forMs);
    const nowMs = this.#deps.nowMs();
    for (const channel of this.#readers(group)) {
      const lot = this.#lot(channel, nowMs);
      if (channel.state === 'running' && lot < 0.35)
        this.#dieLater(channel, nowMs + 2_000 + Math.floor(lot * 9_000), 1);
      if (lot > 0.85) this.#deps.at(nowMs + forMs - 1, () => this.freeze(channel.plan.id));
      this.#later(channel, outUntilMs);
      this.#settle(channel);
    }
  }

  isOut({ plan }: ServiceChannel): boolean {
    return this.origins.isOut(plan.group);
  }

  isRefused({ plan }: ServiceChannel): boolean {
    return this.origins.refuses(plan.group);
  }

  /** What was done to the origin of a group shows now, and again when it ends. */
  originChanged(group: string, untilMs?: number): void {
    for (const channel of this.#readers(group)) {
      if (untilMs !== undefined) this.#later(channel, untilMs);
      this.#settle(channel);
    }
  }

  /** The channel runs and writes nothing until this tool cures it, or a person does; undefined: it is well. */
  ail(id: string, cure: string | undefined): void {
    const channel = this.at(id);
    channel.ailment = cure;
    this.#settle(channel);
  }

  /** A person looks after the channel: mends what is wrong with it, and starts it. */
  repair(id: string): void {
    const channel = this.at(id);
    channel.unfitUntilMs = 0;
    this.ail(id, undefined);
    if (this.statusOf(channel) === 'curable') this.restart(id, 'human');
  }

  /** Ends every lasting trouble. What is dead stays dead. */
  heal(): void {
    this.origins.heal();
    this.#retries.heal();
    for (const channel of this.channels.values()) {
      Object.assign(channel, { unfitUntilMs: 0, stallsUntilMs: 0, slowUntilMs: 0, ailment: undefined });
      this.#settle(channel);
    }
  }

  /** Segments written so far, over all processes. */
  segments(channel: ServiceChannel): number {
    return segmentsOf(channel, this.#deps.nowMs());
  }

  produces(channel: ServiceChannel): boolean {
    return channel.producingMs !== undefined;
  }

  /** All play and nothing is on its way to happen to them. */
  get serene(): boolean {
    const nowMs = this.#deps.nowMs();
    for (const channel of this.channels.values()) {
      if (channel.producingMs === undefined || nowMs < channel.slowUntilMs || nowMs < channel.unfitUntilMs)
        return false;
    }
    return true;
  }

  statusOf(channel: ServiceChannel): Status {
    return statusOf(channel, this.#deps.nowMs(), this.origins);
  }

  #lot({ plan, processes }: ServiceChannel, ...salt: readonly number[]): number {
    return fractionOf(this.#deps.seed, numberOf(plan.id), processes, ...salt);
  }

  /** Of the group, and of all that read from the same origin. */
  #readers(group: string): readonly ServiceChannel[] {
    return [...this.channels.values()].filter(({ plan }) => this.origins.areShared(plan.group, group));
  }

  #later(channel: ServiceChannel, atMs: number): void {
    this.#deps.at(atMs, () => this.#settle(channel));
  }

  #dieLater(channel: ServiceChannel, atMs: number, exitCode: number): void {
    const { process } = channel;
    this.#deps.at(atMs, () => {
      if (channel.process === process && channel.state === 'running') this.#end(channel, undefined, exitCode);
    });
  }

  #end(channel: ServiceChannel, exitSignal: number | undefined, exitCode: number | undefined): void {
    const nowMs = this.#deps.nowMs();
    const short = nowMs - channel.process.bornMs < SHORT_GENERATION_MS;
    this.#leave(channel);
    Object.assign(channel, { state: 'exited', exitSignal, exitCode, frozenMs: undefined });
    this.#settle(channel);
    if (this.#retries.ended(channel, short)) return;
    if (exitCode !== undefined) this.#deps.onSymptom(channel.plan.id, 'process_exit_nonzero');
  }

  /** Output comes after so long alone on its machine. */
  #startUp(channel: ServiceChannel, workMs: number): void {
    const machine = this.#machines.get(channel.plan.engine);
    const nowMs = this.#deps.nowMs();
    channel.playsFromMs = machine === undefined ? nowMs + workMs : Number.POSITIVE_INFINITY;
    if (machine === undefined) return this.#later(channel, channel.playsFromMs);
    machine.begin(channel.process, workMs, () => {
      channel.playsFromMs = this.#deps.nowMs();
      this.#settle(channel);
    });
  }

  #leave({ process, plan }: ServiceChannel): void {
    process.endedMs ??= this.#deps.nowMs();
    this.#machines.get(plan.engine)?.end(process);
  }

  /** Brings output and the account of downtime up to date after anything has changed. */
  #settle(channel: ServiceChannel): void {
    const nowMs = this.#deps.nowMs();
    const should = shouldProduce(channel, nowMs, this.origins);
    const slowed = channel.producingMs !== undefined && channel.producingMs < channel.slowUntilMs;
    if (slowed && nowMs >= channel.slowUntilMs) pauseOutput(channel, nowMs);
    if (should) {
      channel.producingMs ??= nowMs;
      channel.process.playedMs ??= nowMs;
    } else pauseOutput(channel, nowMs);
    this.downtime.note(channel.plan.id, this.statusOf(channel), nowMs);
  }
}
