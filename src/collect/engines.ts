/** Polls engines. */
import type { Clock } from '../core/clock.ts';
import type { Engine } from '../core/engine.ts';
import { ReeveError } from '../core/errors.ts';
import type { EngineSample, Sample } from '../core/sample.ts';
import type { EngineId } from '../core/scope.ts';
import { Poller, type Probe } from './probes/poller.ts';

export interface EnginePollOptions {
  readonly engines: readonly { readonly engine: Engine; readonly pollMs: number }[];
  readonly clock: Clock;
  readonly onSample: (sample: Sample) => void;
  /** After all samples of one look: judge once, not per sample. */
  readonly onLooked: (engine: EngineId) => void;
  /** Called for a look whose samples could not be taken. The others go on. */
  readonly onBug?: (engine: EngineId, thrown: unknown) => void;
}

/** Looks at engines at their pace, and at once when something hints at trouble. One look at a time per engine. */
export interface EnginePoll extends Disposable {
  start(): void;
  /** Looks now, or right after the look that is under way: what it saw may be older than the hint. */
  now(engine: EngineId): void;
}

export const createEnginePoll = (options: EnginePollOptions): EnginePoll =>
  new Poller({
    probes: options.engines.map((each) => probeOf(each, options)),
    clock: options.clock,
    concurrencyMax: Number.POSITIVE_INFINITY,
    onBug: options.onBug ?? (() => undefined),
    isSpread: false,
  });

/** An engine keeps its own limits of time, and a hint is never put off: what died is looked for at once. */
const probeOf = ({ engine, pollMs }: EnginePollOptions['engines'][number], options: EnginePollOptions): Probe => ({
  ...{ name: engine.id, everyMs: pollMs, fastEveryMs: pollMs, timeoutMs: undefined, restMs: 0 },
  run: (signal) => look(engine, options, signal),
});

async function look(engine: Engine, options: EnginePollOptions, signal: AbortSignal): Promise<void> {
  const { onSample, onLooked } = options;
  try {
    const report = await engine.observe(signal);
    if (signal.aborted) return;
    onSample(report.engine);
    report.processes.forEach(onSample);
    report.viewers.forEach(onSample);
    if (report.credential !== undefined) onSample(report.credential);
  } catch (thrown) {
    if (signal.aborted) return;
    onSample(failed(engine, options, thrown));
  }
  onLooked(engine.id);
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
