/** The channels in trouble, and how many of them fail by the source that they share. */
import type { Family } from '../../core/classification.ts';
import type { MonoMs } from '../../core/clock.ts';
import type { ChannelId } from '../../core/scope.ts';
import type { ChannelFacts } from '../../ground/facts/facts.ts';
import type { ClassifyContext } from '../../ground/rules/classify_input.ts';

/** A channel in trouble, and what its judgement rests on. */
export interface TroubledChannel {
  readonly family: Family | undefined;
  readonly facts: ChannelFacts;
  readonly context: ClassifyContext;
  readonly judgedMs: MonoMs;
}

/**
 * Few of many: each judgement asks how many others fail at its source, so those are counted when they are judged and
 * not when they are asked about.
 */
export class TroubledChannels {
  readonly #all = new Map<ChannelId, TroubledChannel>();
  /** Channels that fail by their source, by its host. */
  readonly #failing = new Map<string, number>();

  get size(): number {
    return this.#all.size;
  }

  get ids(): Iterable<ChannelId> {
    return this.#all.keys();
  }

  get(id: ChannelId): TroubledChannel | undefined {
    return this.#all.get(id);
  }

  has(id: ChannelId): boolean {
    return this.#all.has(id);
  }

  set(id: ChannelId, now: TroubledChannel): void {
    this.#count(hostOf(this.#all.get(id)), -1);
    this.#all.set(id, now);
    this.#count(hostOf(now), 1);
  }

  delete(id: ChannelId): void {
    this.#count(hostOf(this.#all.get(id)), -1);
    this.#all.delete(id);
  }

  /** How many channels other than this one fail by a source on that host. */
  sharing(id: ChannelId, host: string | undefined): number {
    if (host === undefined) return 0;
    return (this.#failing.get(host) ?? 0) - (hostOf(this.#all.get(id)) === host ? 1 : 0);
  }

  #count(host: string | undefined, by: 1 | -1): void {
    if (host === undefined) return;
    const count = (this.#failing.get(host) ?? 0) + by;
    if (count === 0) this.#failing.delete(host);
    else this.#failing.set(host, count);
  }
}

/** Of the source that it fails by; undefined for any other trouble. */
const hostOf = (one: TroubledChannel | undefined): string | undefined =>
  one?.family === 'upstream' ? one.facts.source?.last.host : undefined;
