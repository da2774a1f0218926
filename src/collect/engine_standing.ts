/** Tells in words what is wrong with an engine: samples say only of what kind it is. */
import type { Clock, MonoMs } from '../core/clock.ts';
import { MINUTE_MS } from '../core/duration.ts';
import type { EngineId } from '../core/scope.ts';

export interface EngineStandingOptions {
  readonly clock: Clock;
  /** Called when an engine begins to fail, or fails otherwise than it did, at most once a minute. */
  readonly onFailure?: (engine: EngineId, because: string) => void;
  /** Called when an engine of which the failure was told answers well again. */
  readonly onAnswer?: (engine: EngineId) => void;
}

/** Of one engine. What is the same is told once; nothing more than once a minute. */
export class EngineStanding {
  readonly #engine: EngineId;
  readonly #options: EngineStandingOptions;
  #toldMs: MonoMs = Number.NEGATIVE_INFINITY;
  /** What was told of the failure that lasts. */
  #told: string | undefined;

  constructor(engine: EngineId, options: EngineStandingOptions) {
    this.#engine = engine;
    this.#options = options;
  }

  /** A look has ended. Undefined: the engine answered well. */
  told(because: string | undefined): void {
    const { clock, onFailure, onAnswer } = this.#options;
    if (because === undefined) {
      if (this.#told !== undefined) onAnswer?.(this.#engine);
      this.#told = undefined;
      return;
    }
    const nowMs = clock.monotonicMs();
    if (because === this.#told || nowMs - this.#toldMs < MINUTE_MS) return;
    [this.#told, this.#toldMs] = [because, nowMs];
    onFailure?.(this.#engine, because);
  }
}
