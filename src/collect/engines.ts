/** Polls engines. */
import type { Clock } from '../core/clock.ts';
import type { Engine } from '../core/engine.ts';
import { ReeveError } from '../core/errors.ts';
import type { EngineSample, Sample } from '../core/sample.ts';
import type { EngineId } from '../core/scope.ts';
import { Poller } from './probes/poller.ts';
import type { Probe } from './probes/scheduled_probe.ts';

export interface EnginePollOptions {
  readonly engines: readonly { readonly engine: Engine; readonly pollMs: number }[];
  readonly clock: Clock;
  readonly onSample: (sample: Sample) => void;
  /** After all samples of one look: judge once, not per sample. */
  readonly onLooked: (engine: EngineId) => void;
  /** Called for a look whose samples could not be taken. The others go on. */
  readonly onBug?: (engine: EngineId, thrown: unknown) => void;
}

/**
 * A look after a hint comes when so many times as long has passed as the samples of the last one took to take, and one
 * that nothing hints at after the second figure. Samples about a few channels take no time, those about thousands do.
 */
const HINTED_REST_TIMES = 2;
const CLOSER_REST_TIMES = 20;
/** The longest that either waits. */
const REST_MS_MAX = 1_000;

/** Looks at engines at their pace, and at once when something hints at trouble. One look at a time per engine. */
export interface EnginePoll extends Disposable {
  start(): void;
  /** Looks now, or right after the look that is under way: what it saw may be older than the hint. */
  now(engine: EngineId): void;
  /** The same, but an engine whose looks are costly is left in peace for longer: something is open, nothing new. */
  closer(engine: EngineId): void;
}

export function createEnginePoll(options: EnginePollOptions): EnginePoll {
  const tookMs = new Map<EngineId, number>();
  const poller = new Poller({
    probes: options.engines.map((each) => probeOf(each, options, (ms) => tookMs.set(each.engine.id, ms))),
    clock: options.clock,
    concurrencyMax: Number.POSITIVE_INFINITY,
    onBug: options.onBug ?? (() => undefined),
    isSpread: false,
  });
  const restMs = (engine: EngineId, times: number): number => Math.min(times * (tookMs.get(engine) ?? 0), REST_MS_MAX);
  return {
    start: () => poller.start(),
    now: (engine) => poller.now(engine, restMs(engine, HINTED_REST_TIMES)),
    closer: (engine) => poller.now(engine, restMs(engine, CLOSER_REST_TIMES)),
    [Symbol.dispose]: () => poller[Symbol.dispose](),
  };
}

/** An engine keeps its own limits of time. */
const probeOf = (
  { engine, pollMs }: EnginePollOptions['engines'][number],
  options: EnginePollOptions,
  onTook: (ms: number) => void,
): Probe => ({
  ...{ name: engine.id, everyMs: pollMs, fastEveryMs: pollMs, timeoutMs: undefined },
  run: async (signal) => onTook(await look(engine, options, signal)),
});

/** Gives back how long its samples took to take, in milliseconds. */
async function look(engine: Engine, options: EnginePollOptions, signal: AbortSignal): Promise<number> {
  const { onSample, onLooked, clock } = options;
  let answeredMs = clock.monotonicMs();
  try {
    const report = await engine.observe(signal);
    if (signal.aborted) return 0;
    answeredMs = clock.monotonicMs();
    onSample(report.engine);
    report.processes.forEach(onSample);
    report.viewers.forEach(onSample);
    if (report.credential !== undefined) onSample(report.credential);
  } catch (thrown) {
    if (signal.aborted) return 0;
    answeredMs = clock.monotonicMs();
    onSample(failed(engine, options, thrown));
  }
  onLooked(engine.id);
  return clock.monotonicMs() - answeredMs;
}

/** An engine that does not answer is a fact about the engine, and says nothing of its channels. */
const failed = (engine: Engine, { clock }: EnginePollOptions, thrown: unknown): EngineSample => ({
  kind: 'engine',
  at: clock.now(),
  monoMs: clock.monotonicMs(),
  source: `engine:${engine.id}`,
  engine: engine.id,
  ok: false,
  failure: failureOf(thrown),
  poolPressure: undefined,
  reportsPool: engine.capabilities.has('pool'),
});

function failureOf(thrown: unknown): NonNullable<EngineSample['failure']> {
  if (!(thrown instanceof ReeveError)) return 'invalid_answer';
  if (thrown.code === 'TIMED_OUT') return 'timeout';
  if (thrown.code === 'ANSWER_TOO_LARGE') return 'too_large';
  if (thrown.code === 'ENGINE_REFUSED') return 'refused_credentials';
  return thrown.code === 'ENGINE_ANSWER_INVALID' ? 'invalid_answer' : 'unreachable';
}
