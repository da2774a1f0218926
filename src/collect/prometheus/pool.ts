/** Keeps pool readings that Prometheus reports. */
import type { Clock, MonoMs } from '../../core/clock.ts';
import type { EngineSample } from '../../core/sample.ts';
import type { EngineId } from '../../core/scope.ts';

/** By query: after how long its reading says nothing. */
export type ExpectedReadings = ReadonlyMap<string, number>;

/** Two servers may be asked the same. */
export const nameOfQuery = (server: string, query: string): string => `${server}: ${query}`;

/** Pool pressure that something else than the engine reports, laid over what the engine reports of itself. */
export class PoolReadings {
  readonly #clock: Clock;
  readonly #expected: (engine: EngineId) => ExpectedReadings | undefined;
  /** By engine and query: an engine may have several pools. */
  readonly #readings = new Map<EngineId, Map<string, { readonly ratio: number; readonly bootMs: MonoMs }>>();

  /** `expected`: undefined for an engine that nothing is asked about. */
  constructor(clock: Clock, expected: (engine: EngineId) => ExpectedReadings | undefined) {
    this.#clock = clock;
    this.#expected = expected;
  }

  /** `query`: what was asked, and of whom. */
  note(engine: EngineId, ratio: number, query: string): void {
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
    const expected = this.#expected(sample.engine);
    if (expected === undefined) return sample;
    const nowMs = this.#bootMs();
    const readings = this.#readings.get(sample.engine);
    const fresh = [...expected].flatMap(([query, staleMs]) => {
      const reading = readings?.get(query);
      return reading !== undefined && nowMs - reading.bootMs <= staleMs ? [reading.ratio] : [];
    });
    const { poolPressure: own } = sample;
    const besides = own === undefined ? undefined : Math.max(own, ...fresh);
    return {
      ...sample,
      reportsPool: true,
      poolPressure: fresh.length === expected.size ? Math.max(...fresh) : besides,
    };
  }
}
