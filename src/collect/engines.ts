/** Polls engines. */
import { setImmediate as nextRound } from 'node:timers/promises';
import type { Clock } from '../core/clock.ts';
import type { Engine } from '../core/engine.ts';
import { messageOf, ReeveError } from '../core/errors.ts';
import type { EngineSample, Sample } from '../core/sample.ts';
import type { ChannelId, EngineId } from '../core/scope.ts';
import { ChannelLooks } from './channel_looks.ts';
import { EngineStanding, type EngineStandingOptions } from './engine_standing.ts';
import { Poller } from './probes/poller.ts';
import type { Probe } from './probes/scheduled_probe.ts';

export interface EnginePollOptions extends EngineStandingOptions {
  readonly engines: readonly { readonly engine: Engine; readonly pollMs: number }[];
  readonly clock: Clock;
  /** Takes what one look found, or a part of it where that is much: the event loop has its share before the next. */
  readonly onSamples: (samples: readonly Sample[]) => void;
  /** After all samples of one look, and before that after those it was asked for: judge once, not per sample. */
  readonly onLooked: (engine: EngineId) => void;
  /** Called for a look whose samples could not be taken. The others go on. */
  readonly onBug?: (engine: EngineId, thrown: unknown) => void;
  /** Called for a look at one channel that did not work, at most once a minute for each engine. */
  readonly onChannelFailure?: (engine: EngineId, thrown: unknown) => void;
}

/**
 * A look after a hint comes when so many times as long has passed as the samples of the last one took to take, and one
 * that nothing hints at after the second figure. Samples about a few channels take no time, those about thousands do.
 */
const HINTED_REST_TIMES = 2;
const CLOSER_REST_TIMES = 20;
/** The longest that either waits. */
const REST_MS_MAX = 1_000;
/**
 * An engine whose list took longer than the first figure is asked about one channel by itself, where it can be, until a
 * list took less than the second: one that takes about so long would else be asked now this way, now that.
 */
const SLOW_LIST_MS = 50;
const QUICK_LIST_MS = 25;
/** More are taken in parts: each takes some microseconds, and a line of a log must not wait for ten thousand. */
const PART_SAMPLES = 4_000;

/** Looks at engines at their pace, and at once when something hints at trouble. One look at a time per engine. */
export interface EnginePoll extends Disposable {
  start(): void;
  /**
   * Looks now, or right after the look that is under way: what it saw may be older than the hint. What it finds of the
   * channel is judged first. Where the list takes long, the channel is looked at by itself, and the list comes later.
   */
  now(engine: EngineId, channel?: ChannelId): void;
  /** The same, but an engine whose looks are costly is left in peace for longer: something is open, nothing new. */
  closer(engine: EngineId, channel?: ChannelId): void;
}

/** Of one engine: what it takes to look at it, and whom the next look is asked for. */
interface Looked extends Pick<EnginePollOptions, 'onSamples' | 'onLooked' | 'clock'> {
  readonly standing: EngineStanding;
  readonly engine: Engine;
  readonly single: ChannelLooks;
  /** By how long its lists took to come and to be taken. */
  isSlow: boolean;
  /** How long the last one held the event loop. */
  tookMs: number;
  askedFor: Set<ChannelId>;
}

export function createEnginePoll(options: EnginePollOptions): EnginePoll {
  const { engines, clock, onBug = () => undefined } = options;
  const byId = new Map(engines.map(({ engine }) => [engine.id, lookedOf(engine, options)]));
  const probes = engines.map(({ engine, pollMs }) => probeOf(byId.get(engine.id)!, pollMs));
  const poller = new Poller({ probes, clock, concurrencyMax: Number.POSITIVE_INFINITY, onBug, isSpread: false });
  const ask = (id: EngineId, times: number, channel: ChannelId | undefined): void => {
    const looked = byId.get(id);
    if (channel !== undefined) looked?.askedFor.add(channel);
    poller.now(id, Math.min(times * (looked?.tookMs ?? 0), REST_MS_MAX));
  };
  return {
    start: () => poller.start(),
    now(engine, channel) {
      const isSingle = channel !== undefined && asksSingly(byId.get(engine), channel);
      ask(engine, isSingle ? CLOSER_REST_TIMES : HINTED_REST_TIMES, channel);
    },
    closer: (engine, channel) => ask(engine, CLOSER_REST_TIMES, channel),
    [Symbol.dispose]() {
      poller[Symbol.dispose]();
      for (const { single } of byId.values()) single[Symbol.dispose]();
    },
  };
}

function lookedOf(engine: Engine, options: EnginePollOptions): Looked {
  const { clock, onSamples, onLooked, onChannelFailure } = options;
  const standing = new EngineStanding(engine.id, options);
  const single = new ChannelLooks({
    ...{ engine, clock, onSamples },
    onLooked: () => onLooked(engine.id),
    onFailure: (thrown) => onChannelFailure?.(engine.id, thrown),
  });
  return { ...{ clock, onSamples, onLooked, engine, single, standing }, isSlow: false, tookMs: 0, askedFor: new Set() };
}

const asksSingly = (looked: Looked | undefined, channel: ChannelId): boolean =>
  looked?.isSlow === true && looked.single.ask(channel);

/** An engine keeps its own limits of time. */
const probeOf = (looked: Looked, pollMs: number): Probe => ({
  ...{ name: looked.engine.id, everyMs: pollMs, fastEveryMs: pollMs, timeoutMs: undefined },
  run: (signal) => look(looked, signal),
});

async function look(looked: Looked, signal: AbortSignal): Promise<void> {
  const { askedFor } = looked;
  looked.askedFor = new Set();
  const beganMs = looked.clock.monotonicMs();
  const samples = await samplesOf(looked, signal);
  let tookMs = 0;
  for (const [at, part] of partsOf(samples, askedFor).entries()) {
    if (at > 0) await nextRound();
    if (signal.aborted) return;
    const startedMs = looked.clock.monotonicMs();
    looked.onSamples(part.samples);
    if (part.isJudged) looked.onLooked(looked.engine.id);
    tookMs += looked.clock.monotonicMs() - startedMs;
  }
  looked.tookMs = tookMs;
  const listMs = looked.clock.monotonicMs() - beganMs;
  looked.isSlow = looked.isSlow ? listMs >= QUICK_LIST_MS : listMs > SLOW_LIST_MS;
}

interface Part {
  readonly samples: readonly Sample[];
  readonly isJudged: boolean;
}

/** Few are one part. Of many, those that the look was asked for come first, and are judged at once. */
function partsOf(samples: readonly Sample[], askedFor: ReadonlySet<ChannelId>): readonly Part[] {
  if (samples.length <= PART_SAMPLES) return [{ samples, isJudged: true }];
  const isAsked = (sample: Sample): boolean => !('channel' in sample) || askedFor.has(sample.channel);
  const rest = samples.filter((sample) => !isAsked(sample));
  const parts: Part[] = [{ samples: samples.filter(isAsked), isJudged: true }];
  for (let from = 0; from < rest.length; from += PART_SAMPLES) {
    const isLast = from + PART_SAMPLES >= rest.length;
    parts.push({ samples: rest.slice(from, from + PART_SAMPLES), isJudged: isLast });
  }
  return parts;
}

async function samplesOf({ engine, clock, standing }: Looked, signal: AbortSignal): Promise<readonly Sample[]> {
  try {
    const report = await engine.observe(signal);
    const { credential } = report;
    standing.told(report.because);
    return [report.engine, ...report.processes, ...report.viewers, ...(credential === undefined ? [] : [credential])];
  } catch (thrown) {
    standing.told(messageOf(thrown));
    return [failed(engine, clock, thrown)];
  }
}

/** An engine that does not answer is a fact about the engine, and says nothing of its channels. */
const failed = (engine: Engine, clock: Clock, thrown: unknown): EngineSample => ({
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
