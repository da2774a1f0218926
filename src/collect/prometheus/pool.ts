/** Keeps pool readings that Prometheus reports. */
import type { Clock, MonoMs } from '../../core/clock.ts';
import type { EngineSample } from '../../core/sample.ts';
import type { EngineId } from '../../core/scope.ts';

/** Pool pressure that something else than the engine reports, laid over what the engine reports of itself. */
export class PoolReadings {
  readonly #clock: Clock;
  readonly #staleMs: (engine: EngineId) => number | undefined;
  /** By engine and query: an engine may have several pools. */
  readonly #readings = new Map<EngineId, Map<string, { readonly ratio: number; readonly bootMs: MonoMs }>>();

  /** `staleMs`: after how long a reading says nothing; undefined for an engine without such a query. */
  constructor(clock: Clock, staleMs: (engine: EngineId) => number | undefined) {
    this.#clock = clock;
    this.#staleMs = staleMs;
  }

  /** `query`: what was asked. */
  note(engine: EngineId, ratio: number, query = ''): void {
    const own = this.#readings.get(engine) ?? new Map();
    this.#readings.set(engine, own.set(query, { ratio, bootMs: this.#bootMs() }));
  }

  /** The clock that goes on while the machine sleeps: what was measured before is older by that (law T3). */
  #bootMs(): MonoMs {
    return this.#clock.bootTimeMs?.() ?? this.#clock.monotonicMs();
  }

  /**
   * An engine whose pool is asked about reports one: a reading that is missing or old means unknown, not fine. Of
   * several pools the fullest counts.
   */
  over(sample: EngineSample): EngineSample {
    const staleMs = this.#staleMs(sample.engine);
    if (staleMs === undefined) return sample;
    const nowMs = this.#bootMs();
    const readings = [...(this.#readings.get(sample.engine)?.values() ?? [])];
    const isFresh = readings.length > 0 && readings.every(({ bootMs }) => nowMs - bootMs <= staleMs);
    const fullest = Math.max(...readings.map(({ ratio }) => ratio));
    return { ...sample, reportsPool: true, poolPressure: isFresh ? fullest : sample.poolPressure };
  }
}
