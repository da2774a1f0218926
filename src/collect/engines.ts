/** Polls engines. */
import type { Clock } from '../core/clock.ts';
import type { Engine } from '../core/engine.ts';
import { ReeveError } from '../core/errors.ts';
import type { EngineSample, Sample } from '../core/sample.ts';
import type { EngineId } from '../core/scope.ts';

export interface EnginePollOptions {
  readonly engines: readonly { readonly engine: Engine; readonly pollMs: number }[];
  readonly clock: Clock;
  readonly onSample: (sample: Sample) => void;
  /** After all samples of one look: judge once, not per sample. */
  readonly onLooked: (engine: EngineId) => void;
}

/** Looks at engines at their pace, and at once when something hints at trouble. One look at a time per engine. */
export interface EnginePoll extends Disposable {
  start(): void;
  /** Looks now, or right after the look that is under way: what it saw may be older than the hint. */
  now(engine: EngineId): void;
}

export function createEnginePoll(options: EnginePollOptions): EnginePoll {
  const pollers = new Map(
    options.engines.map(({ engine, pollMs }) => [engine.id, new Poller(engine, pollMs, options)] as const),
  );
  return {
    start() {
      for (const poller of pollers.values()) poller.start();
    },
    now: (engine) => pollers.get(engine)?.now(),
    [Symbol.dispose]() {
      for (const poller of pollers.values()) poller[Symbol.dispose]();
    },
  };
}

class Poller implements Disposable {
  readonly #engine: Engine;
  readonly #pollMs: number;
  readonly #options: EnginePollOptions;
  readonly #stop = new AbortController();
  #timer: Disposable | undefined;
  #looking = false;
  #again = false;

  constructor(engine: Engine, pollMs: number, options: EnginePollOptions) {
    this.#engine = engine;
    this.#pollMs = pollMs;
    this.#options = options;
  }

  start(): void {
    this.#timer = this.#options.clock.every(this.#pollMs, () => this.#begin());
    this.#begin();
  }

  now(): void {
    if (this.#looking) this.#again = true;
    else this.#begin();
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#stop.abort();
  }

  #begin(): void {
    if (this.#looking || this.#stop.signal.aborted) return;
    this.#looking = true;
    const done = (): void => {
      this.#looking = false;
      if (!this.#again) return;
      this.#again = false;
      this.#begin();
    };
    this.#look().then(done, done);
  }

  async #look(): Promise<void> {
    const { onSample, onLooked } = this.#options;
    try {
      const report = await this.#engine.observe(this.#stop.signal);
      if (this.#stop.signal.aborted) return;
      onSample(report.engine);
      report.processes.forEach(onSample);
      report.viewers.forEach(onSample);
      if (report.credential !== undefined) onSample(report.credential);
    } catch (thrown) {
      if (this.#stop.signal.aborted) return;
      onSample(this.#failed(thrown));
    }
    onLooked(this.#engine.id);
  }

  /** An engine that does not answer is a fact about the engine, and says nothing of its channels. */
  #failed(thrown: unknown): EngineSample {
    const { clock } = this.#options;
    return {
      kind: 'engine',
      at: clock.now(),
      monoMs: clock.monotonicMs(),
      source: `engine:${this.#engine.id}`,
      engine: this.#engine.id,
      ok: false,
      failure: failureOf(thrown),
      poolPressure: undefined,
      reportsPool: this.#engine.capabilities.has('pool'),
    };
  }
}

function failureOf(thrown: unknown): NonNullable<EngineSample['failure']> {
  if (!(thrown instanceof ReeveError)) return 'invalid_answer';
  if (thrown.code === 'TIMED_OUT') return 'timeout';
  if (thrown.code === 'ANSWER_TOO_LARGE') return 'too_large';
  if (thrown.code === 'ENGINE_REFUSED') return 'refused_credentials';
  return thrown.code === 'ENGINE_ANSWER_INVALID' ? 'invalid_answer' : 'unreachable';
}
