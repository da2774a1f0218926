/** Looks at single channels of an engine whose list takes long to come. */
import type { Clock, MonoMs } from '../core/clock.ts';
import { MINUTE_MS } from '../core/duration.ts';
import type { Engine } from '../core/engine.ts';
import type { Sample } from '../core/sample.ts';
import type { ChannelId } from '../core/scope.ts';

export interface ChannelLooksOptions {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly onSamples: (samples: readonly Sample[]) => void;
  /** After the samples of one look: judge now. */
  readonly onLooked: () => void;
  /** A look did not work: the list is what remains. At most once a minute. */
  readonly onFailure: (thrown: unknown) => void;
}

/** Looks under way at one engine. When more channels are in trouble than that, one list tells of all of them. */
const AT_ONCE = 8;
/** A channel is not looked at again so soon after a look has begun. */
const REST_MS = 500;
/** And so long after one that did not work. */
const FAILED_REST_MS = MINUTE_MS;

/** One look at a channel at a time, a few at an engine. What they find is judged at once. */
export class ChannelLooks implements Disposable {
  readonly #options: ChannelLooksOptions;
  readonly #underWay = new Set<ChannelId>();
  /** Until when a channel is not looked at again. */
  readonly #restsUntilMs = new Map<ChannelId, MonoMs>();
  readonly #stop = new AbortController();
  #toldMs: MonoMs = Number.NEGATIVE_INFINITY;

  constructor(options: ChannelLooksOptions) {
    this.#options = options;
  }

  /** Looks at the channel now. False: the engine cannot, or not at this channel now; the list will show it. */
  ask(channel: ChannelId): boolean {
    const { engine, clock } = this.#options;
    if (engine.observeChannel === undefined || this.#stop.signal.aborted) return false;
    if (this.#underWay.has(channel) || this.#underWay.size >= AT_ONCE) return false;
    const nowMs = clock.monotonicMs();
    if (nowMs < (this.#restsUntilMs.get(channel) ?? nowMs)) return false;
    this.#rest(channel, nowMs + REST_MS);
    void this.#look(channel);
    return true;
  }

  async #look(channel: ChannelId): Promise<void> {
    const { engine, clock, onSamples, onLooked } = this.#options;
    const { signal } = this.#stop;
    this.#underWay.add(channel);
    try {
      const samples = (await engine.observeChannel?.(channel, signal)) ?? [];
      if (signal.aborted || samples.length === 0) return;
      onSamples(samples);
      onLooked();
    } catch (thrown) {
      if (signal.aborted) return;
      this.#rest(channel, clock.monotonicMs() + FAILED_REST_MS);
      this.#tell(thrown);
    } finally {
      this.#underWay.delete(channel);
    }
  }

  #tell(thrown: unknown): void {
    const nowMs = this.#options.clock.monotonicMs();
    if (nowMs - this.#toldMs < FAILED_REST_MS) return;
    this.#toldMs = nowMs;
    this.#options.onFailure(thrown);
  }

  #rest(channel: ChannelId, untilMs: MonoMs): void {
    const nowMs = this.#options.clock.monotonicMs();
    for (const [rested, endMs] of this.#restsUntilMs) if (endMs <= nowMs) this.#restsUntilMs.delete(rested);
    this.#restsUntilMs.set(channel, untilMs);
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
  }
}
