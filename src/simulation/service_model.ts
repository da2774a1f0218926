import { invariant } from '../core/errors.ts';
import type { SymptomKind } from '../core/symptom.ts';
import { Downtime, type Status } from './downtime.ts';
import { Origins } from './origins.ts';
import {
  beginLife,
  freshChannel,
  type Generation,
  pauseOutput,
  type ServiceChannel,
  segmentsOf,
  type Starter,
} from './service_channel.ts';
import { fractionOf, numberOf } from './random_streams.ts';
import type { ChannelPlan } from './scenario.ts';

export type { Generation, ServiceChannel } from './service_channel.ts';

/** A life that ends sooner than this never really ran. */
const SHORT_LIFE_MS = 15_000;
const RETRIES_MAX = 3;

export interface ServiceModelDeps {
  readonly seed: number;
  readonly nowMs: () => number;
  readonly at: (atMs: number, run: () => void) => void;
  /** What an encoder writes into its log. */
  readonly onWords: (channel: string, kind: SymptomKind) => void;
  readonly onLife?: (life: Generation) => void;
}

/** The streaming service as it really is: processes, sources and viewers, with nobody watching. */
export class ServiceModel {
  readonly channels = new Map<string, ServiceChannel>();
  readonly darkness: Downtime;
  readonly #deps: ServiceModelDeps;
  readonly #origins: Origins;

  constructor(plans: readonly ChannelPlan[], deps: ServiceModelDeps) {
    this.#deps = deps;
    const { seed, nowMs } = deps;
    const channels = plans.map((plan) => freshChannel(plan, seed, nowMs()));
    this.darkness = new Downtime(channels.map(({ plan, viewers }) => ({ id: plan.id, viewers })));
    const groups = plans.map(({ group }) => group);
    this.#origins = new Origins(groups, nowMs);
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

  /** Ends the present life, if there is one, and begins another. */
  restart(id: string, by: Starter): Generation {
    const channel = this.at(id);
    const nowMs = this.#deps.nowMs();
    channel.lives += 1;
    channel.state = 'running';
    channel.frozenMs = undefined;
    channel.stallsUntilMs = 0;
    if (by !== 'engine') channel.retries = 0;
    const generation = `${1000 + channel.lives}:${nowMs}`;
    channel.life.endedMs ??= nowMs;
    channel.life = beginLife(id, generation, nowMs, by);
    channel.playsFromMs = nowMs + 1_500 + Math.floor(3_500 * this.#lot(channel, 1));
    this.#later(channel, channel.playsFromMs);
    if (nowMs < channel.unfitUntilMs) this.#dieLater(channel, nowMs + channel.unfitLifeMs, 1);
    else if (this.isOut(channel) && this.#lot(channel, 2) < 0.4) this.#dieLater(channel, nowMs + 6_000, 1);
    this.#settle(channel);
    this.#deps.onLife?.(channel.life);
    return channel.life;
  }

  /** The process ends, and nobody but an operator or Reeve starts it again. */
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
    const { life } = this.at(id);
    this.#deps.at(this.#deps.nowMs() + afterMs, () => {
      const channel = this.at(id);
      if (channel.life === life && channel.state === 'exited') this.restart(id, 'engine');
    });
  }

  /** Lives end early for a while: a crash loop, or a setting that no start can cure. */
  unfit(id: string, forMs: number, lifeMs: number): void {
    const channel = this.at(id);
    channel.unfitUntilMs = this.#deps.nowMs() + forMs;
    channel.unfitLifeMs = lifeMs;
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
    const outUntilMs = this.#origins.cutOff(group, forMs);
    const nowMs = this.#deps.nowMs();
    for (const channel of this.#members(group)) {
      const lot = this.#lot(channel, nowMs);
      if (channel.state === 'running' && lot < 0.35)
        this.#dieLater(channel, nowMs + 2_000 + Math.floor(lot * 9_000), 1);
      if (lot > 0.85) this.#deps.at(nowMs + forMs - 1, () => this.freeze(channel.plan.id));
      this.#later(channel, outUntilMs);
      this.#settle(channel);
    }
  }

  refuseSources(group: string, forMs: number): void {
    const refusesUntilMs = this.#origins.refuse(group, forMs);
    for (const channel of this.#members(group)) {
      this.#later(channel, refusesUntilMs);
      this.#settle(channel);
    }
  }

  /** New credentials: sources that refused answer again. */
  refreshCredentials(engine: string): void {
    const groups = new Set(
      [...this.channels.values()].filter(({ plan }) => plan.engine === engine).map((c) => c.plan.group),
    );
    for (const group of groups) {
      this.#origins.admit(group);
      for (const channel of this.#members(group)) this.#settle(channel);
    }
  }

  refusedFor(engine: string): boolean {
    return [...this.channels.values()].some(({ plan }) => plan.engine === engine && this.#origins.refuses(plan.group));
  }

  isOut({ plan }: ServiceChannel): boolean {
    return this.#origins.isOut(plan.group);
  }

  isRefused({ plan }: ServiceChannel): boolean {
    return this.#origins.refuses(plan.group);
  }

  /** A person looks after the channel: mends what is wrong with it, and starts it. */
  repair(id: string): void {
    const channel = this.at(id);
    channel.unfitUntilMs = 0;
    if (this.statusOf(channel) === 'curable') this.restart(id, 'human');
  }

  /** Ends every lasting trouble. What is dead stays dead. */
  heal(): void {
    this.#origins.heal();
    for (const channel of this.channels.values()) {
      Object.assign(channel, { unfitUntilMs: 0, stallsUntilMs: 0, slowUntilMs: 0 });
      this.#settle(channel);
    }
  }

  /** Segments written so far, over all lives. */
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
    const nowMs = this.#deps.nowMs();
    if (this.#shouldProduce(channel)) return 'playing';
    if (this.isOut(channel) || this.isRefused(channel) || nowMs < channel.unfitUntilMs) return 'incurable';
    if (channel.state === 'stopped') return 'stopped';
    if (channel.state === 'running' && channel.frozenMs === undefined) {
      return nowMs < channel.playsFromMs ? 'young' : 'self_healing';
    }
    return 'curable';
  }

  #lot({ plan, lives }: ServiceChannel, ...salt: readonly number[]): number {
    return fractionOf(this.#deps.seed, numberOf(plan.id), lives, ...salt);
  }

  #members(group: string): readonly ServiceChannel[] {
    return [...this.channels.values()].filter(({ plan }) => plan.group === group);
  }

  #later(channel: ServiceChannel, atMs: number): void {
    this.#deps.at(atMs, () => this.#settle(channel));
  }

  #dieLater(channel: ServiceChannel, atMs: number, exitCode: number): void {
    const { life } = channel;
    this.#deps.at(atMs, () => {
      if (channel.life === life && channel.state === 'running') this.#end(channel, undefined, exitCode);
    });
  }

  #end(channel: ServiceChannel, exitSignal: number | undefined, exitCode: number | undefined): void {
    const nowMs = this.#deps.nowMs();
    const short = nowMs - channel.life.bornMs < SHORT_LIFE_MS;
    channel.life.endedMs ??= nowMs;
    Object.assign(channel, { state: 'exited', exitSignal, exitCode, frozenMs: undefined });
    this.#settle(channel);
    if (nowMs < channel.unfitUntilMs) this.#retry(channel, short);
    else if (exitCode !== undefined) this.#deps.onWords(channel.plan.id, 'process_exit_nonzero');
  }

  /** The engine's own supervisor: a few tries, then it gives up. */
  #retry(channel: ServiceChannel, short: boolean): void {
    const { life, plan } = channel;
    this.#deps.onWords(plan.id, channel.unfitLifeMs < 2_000 ? 'config_error' : 'process_crash');
    channel.retries = short ? channel.retries + 1 : 0;
    if (channel.retries > RETRIES_MAX) {
      channel.state = 'fatal';
      return this.#settle(channel);
    }
    this.#deps.at(this.#deps.nowMs() + 1_000, () => {
      if (channel.life === life && channel.state === 'exited') this.restart(plan.id, 'engine');
    });
  }

  #shouldProduce(channel: ServiceChannel): boolean {
    const nowMs = this.#deps.nowMs();
    return (
      channel.state === 'running' &&
      channel.frozenMs === undefined &&
      nowMs >= channel.playsFromMs &&
      nowMs >= channel.stallsUntilMs &&
      !this.isOut(channel) &&
      !this.isRefused(channel)
    );
  }

  /** Brings output and the account of darkness up to date after anything has changed. */
  #settle(channel: ServiceChannel): void {
    const nowMs = this.#deps.nowMs();
    const should = this.#shouldProduce(channel);
    const slowed = channel.producingMs !== undefined && channel.producingMs < channel.slowUntilMs;
    if (slowed && nowMs >= channel.slowUntilMs) pauseOutput(channel, nowMs);
    if (should) {
      channel.producingMs ??= nowMs;
      channel.life.playedMs ??= nowMs;
    } else pauseOutput(channel, nowMs);
    this.darkness.note(channel.plan.id, this.statusOf(channel), nowMs);
  }
}
