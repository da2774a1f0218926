/** Keeps pool readings that Prometheus reports. */
import type { Clock, MonoMs } from '../../core/clock.ts';
import type { EngineSample } from '../../core/sample.ts';
import type { EngineId } from '../../core/scope.ts';

/** Pool pressure that something else than the engine reports, laid over what the engine reports of itself. */
export class PoolReadings {
  readonly #clock: Clock;
  readonly #staleMs: (engine: EngineId) => number | undefined;
  readonly #readings = new Map<EngineId, { readonly ratio: number; readonly monoMs: MonoMs }>();

  /** `staleMs`: after how long a reading says nothing; undefined for an engine without such a query. */
  constructor(clock: Clock, staleMs: (engine: EngineId) => number | undefined) {
    this.#clock = clock;
    this.#staleMs = staleMs;
  }

  note(engine: EngineId, ratio: number): void {
    this.#readings.set(engine, { ratio, monoMs: this.#clock.monotonicMs() });
  }

  /** An engine whose pool is asked about reports one: a reading that is missing or old means unknown, not fine. */
  over(sample: EngineSample): EngineSample {
    const staleMs = this.#staleMs(sample.engine);
    if (staleMs === undefined) return sample;
    const reading = this.#readings.get(sample.engine);
    const isFresh = reading !== undefined && this.#clock.monotonicMs() - reading.monoMs <= staleMs;
    return { ...sample, reportsPool: true, poolPressure: isFresh ? reading.ratio : sample.poolPressure };
  }
}
