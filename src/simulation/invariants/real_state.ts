/** The oracle of S8 and S10 by the true state of the service. */
import type { Invocation } from '../effect_log.ts';
import { type InvariantContext, planOf } from './context.ts';
import type { ServiceTruth, TruthOracle } from './service_truth.ts';

/** A source that is out is known by then: it is asked every ten seconds, and a group has several. */
const CAUSE_SEEN_MS = 40_000;
/** So many channels of a group whose sources are probed are a witness of the cause. */
const WITNESSES_MIN = 3;

/**
 * S10 and S8 by the state in which the service really was: nothing is restarted that has played well for longer than
 * evidence may be old, by the service's clock; nor by itself, whose source has been out before Reeve's eyes.
 */
export class RealState implements TruthOracle {
  readonly #case: InvariantContext;
  /** When a channel last was anything but well and truly seen, in world time. */
  readonly #troubledMs = new Map<string, number>();
  readonly #outSinceMs = new Map<string, number>();
  #begunMs: number | undefined;

  constructor(world: InvariantContext) {
    this.#case = world;
  }

  watch(truths: readonly ServiceTruth[]): void {
    const nowMs = this.#case.nowMs();
    this.#begunMs ??= nowMs;
    for (const { channel, status, onTime, sourceOut, visible } of truths) {
      if (status !== 'playing' || !onTime || !visible) this.#troubledMs.set(channel, nowMs);
      if (!sourceOut || !visible) this.#outSinceMs.delete(channel);
      else if (!this.#outSinceMs.has(channel)) this.#outSinceMs.set(channel, nowMs);
    }
  }

  invoked({ tool, channel, atMs, status }: Invocation): void {
    if (tool !== 'restart_channel' || channel === undefined) return;
    // It may have died since it was last watched.
    if (status === 'playing') this.#ripe(channel, atMs);
    this.#cause(channel, atMs);
  }

  #ripe(channel: string, nowMs: number): void {
    const { limits, broke } = this.#case;
    const wellMs = nowMs - (this.#troubledMs.get(channel) ?? this.#begunMs ?? nowMs);
    if (wellMs > limits.evidenceAgeMsMax) broke('S10', `${channel} was restarted after it had played for ${wellMs} ms`);
  }

  #cause(channel: string, nowMs: number): void {
    const { script, broke } = this.#case;
    const plan = planOf(this.#case, channel);
    if (plan?.hasSource !== true) return;
    const group = script.channels.filter((one) => one.group === plan.group && one.hasSource);
    const out = group.filter(({ id }) => nowMs - (this.#outSinceMs.get(id) ?? nowMs) >= CAUSE_SEEN_MS);
    if (out.length >= WITNESSES_MIN && out.some(({ id }) => id === channel))
      broke('S8', `${channel} was restarted while the sources of ${out.length} channels of ${plan.group} were out`);
  }
}
