/** Simulated probes. */
import type { Clock, MonoMs } from '../core/clock.ts';
import type { EngineReport } from '../core/engine.ts';
import type { PlaylistSample, ProcessSample, Sample, SourceSample } from '../core/sample.ts';
import type { Probes } from '../collect/probes/probes.ts';
import type { Want } from '../ground/rules/rule.ts';
import type { ServiceModel, ServiceChannel } from './service_model.ts';
import { fractionOf, mix, numberOf } from './random_streams.ts';
import { originOf } from './scenario.ts';

/** What is wrong with the observation of a channel. */
export type ProbeMode = 'well' | 'noise' | 'gone' | 'says_still' | 'says_dead' | 'says_moving';
/** What the engine reports of its pool. */
export type PoolReport = { readonly pressure: number | undefined };

export interface SimulatedProbesDeps {
  readonly seed: number;
  readonly clock: Clock;
  readonly service: ServiceModel;
  readonly engines: readonly string[];
  readonly probe: (channel: string) => ProbeMode;
  readonly engineAnswers: (engine: string) => boolean;
  readonly pool: (engine: string) => PoolReport;
  readonly take: (sample: Sample) => void;
  readonly settle: () => void;
  /** Where processes are seen through an adapter: its look at the engine. */
  readonly observe?: ((engine: string) => Promise<EngineReport>) | undefined;
  /** Where outputs and sources are looked at by the real probes: engines are then looked at each second, as theirs. */
  readonly looks?: Pick<Probes, 'now' | 'fast' | 'saw' | 'disturb'> | undefined;
}

export const TICK_MS = 1_000;
/** Looks at a channel without trouble, and at one in doubt. */
export const SLOW_S = 5;
const SOURCE_SLOW_S = 10;
const SOURCE_FAST_S = 2;
const VIEWERS_S = 30;
export const NOISE = 0.3;

interface Watched {
  readonly id: string;
  readonly number: number;
  fastUntilMs: MonoMs;
}

/** Takes samples of the plant on Reeve's clock, as probes and polls do: slowly, and fast where it was asked for. */
export class SimulatedProbes {
  readonly #deps: SimulatedProbesDeps;
  readonly #watched: readonly Watched[];
  readonly #ticking: Disposable;
  #fastUntilMs = 0;
  /** Engines that have not answered the last look yet. */
  readonly #looking = new Set<string>();
  /** When everybody was last looked at in every way. */
  wholeLookMs: MonoMs | undefined;

  constructor(deps: SimulatedProbesDeps) {
    this.#deps = deps;
    this.#watched = [...deps.service.channels.keys()].map((id) => ({ id, number: numberOf(id), fastUntilMs: 0 }));
    this.#ticking = deps.clock.every(TICK_MS, () => this.look(false));
  }

  [Symbol.dispose](): void {
    this.#ticking[Symbol.dispose]();
  }

  /** Until when somebody wants to look closer at anything. */
  get fastUntilMs(): MonoMs {
    return this.#fastUntilMs;
  }

  lookCloser(channels: readonly string[], forMs: number): void {
    const untilMs = this.#deps.clock.monotonicMs() + forMs;
    const wanted = new Set(channels);
    for (const one of this.#watched) if (wanted.has(one.id)) one.fastUntilMs = Math.max(one.fastUntilMs, untilMs);
    this.#fastUntilMs = Math.max(this.#fastUntilMs, untilMs);
    for (const channel of channels) this.#deps.looks?.fast(channel, forMs);
  }

  /** What else is seen. */
  saw(sample: Sample): void {
    this.#deps.looks?.saw(sample);
  }

  /** Something complains of the channel. */
  disturb(channel: string): void {
    this.#deps.looks?.disturb(channel);
  }

  lookNow(channel: string, wants: readonly Want[]): void {
    const { looks } = this.#deps;
    if (looks !== undefined) looks.now(channel, wants);
    else if (wants.length > 0) this.lookCloser([channel], 3_000);
  }

  /** One round: every channel that is due; `all`: every channel. */
  look(all: boolean): void {
    const { clock, engines, settle, service, looks } = this.#deps;
    const nowMs = clock.monotonicMs();
    const second = Math.floor(nowMs / 1_000);
    const slow = all || looks !== undefined || second % SLOW_S === 0;
    if (!slow && nowMs >= this.#fastUntilMs) return;
    if (looks === undefined && (all || second % VIEWERS_S === 0)) this.wholeLookMs = nowMs;
    if (slow) for (const engine of engines) this.#take(this.#engineSample(engine));
    const due = new Set<string>();
    for (const one of this.#watched) {
      const fast = nowMs < one.fastUntilMs;
      if (!slow && !fast) continue;
      due.add(one.id);
      this.#lookAt(service.at(one.id), one.number, second % (fast ? SOURCE_FAST_S : SOURCE_SLOW_S) === 0 || all);
      if (second % VIEWERS_S === 0 || all) this.#take(this.#viewers(service.at(one.id)));
    }
    settle();
    this.#observe(due);
  }

  /** One look at each engine for all of its processes; what it finds comes when it answers. */
  #observe(due: ReadonlySet<string>): void {
    const { observe, engines, settle, probe } = this.#deps;
    if (observe === undefined) return;
    for (const engine of engines) {
      if (this.#looking.has(engine)) continue;
      this.#looking.add(engine);
      void observe(engine).then(({ processes }) => {
        this.#looking.delete(engine);
        for (const sample of processes.filter(({ channel }) => due.has(channel))) {
          const mode = probe(sample.channel);
          const lot = fractionOf(this.#deps.seed, numberOf(sample.channel), this.#deps.clock.monotonicMs(), 1);
          if (mode !== 'gone') this.#take(distorted(sample, mode, lot));
        }
        settle();
      });
    }
  }

  /** What the engine reports when it is asked by a tool. */
  report(engine: string): EngineReport {
    return { engine: this.#engineSample(engine), processes: [], viewers: [], credential: undefined };
  }

  #lookAt(channel: ServiceChannel, number: number, withSource: boolean): void {
    const { plan } = channel;
    const { probe, engineAnswers, looks } = this.#deps;
    const mode = probe(plan.id);
    const lot = (salt: number): number => fractionOf(this.#deps.seed, number, this.#deps.clock.monotonicMs(), salt);
    const isSeen = this.#deps.observe === undefined && engineAnswers(plan.engine) && mode !== 'gone';
    if (isSeen) this.#take(distorted(this.#process(channel), mode, lot(1)));
    if (looks !== undefined) return;
    if (mode !== 'gone') this.#take(this.#playlist(channel, mode, lot(2)));
    if (withSource && plan.hasSource) this.#take(this.#source(channel, mode, lot(3)));
  }

  /** What is seen of a channel also says how closely its probes must look. */
  #take(sample: Sample): void {
    this.#deps.looks?.saw(sample);
    this.#deps.take(sample);
  }

  #base(source: string) {
    return { at: this.#deps.clock.now(), monoMs: this.#deps.clock.monotonicMs(), source };
  }

  #process(channel: ServiceChannel): ProcessSample {
    const { plan, process, frozenMs, exitCode, exitSignal, state } = channel;
    const running = state === 'running';
    const worldNowMs = this.#worldMs();
    return {
      ...this.#base('engine'),
      kind: 'process',
      channel: plan.id,
      engine: plan.engine,
      state,
      pid: running ? Number(process.generation.split(':')[0]) : undefined,
      generation: process.generation,
      uptimeMs: running ? worldNowMs - process.bornMs : undefined,
      exitCode: running ? undefined : exitCode,
      exitSignal: running ? undefined : exitSignal,
      stoppedOnPurpose: state === 'stopped',
      cpuMs: running ? (frozenMs ?? worldNowMs) - process.bornMs : undefined,
      halted: running ? frozenMs !== undefined : undefined,
      bytesWritten: undefined,
    };
  }

  #worldMs(): number {
    return this.#deps.service.nowMs();
  }

  #playlist(channel: ServiceChannel, mode: ProbeMode, lot: number): PlaylistSample {
    const { plan } = channel;
    const base = { ...this.#base('probe'), kind: 'playlist', channel: plan.id } as const;
    if (mode === 'noise' && lot < NOISE) return { ...base, ok: false, failure: 'timeout' };
    const monoMs = this.#deps.clock.monotonicMs();
    const segments = this.#deps.service.segments(channel);
    const shown = mode === 'says_still' ? 7 : mode === 'says_moving' ? Math.floor(monoMs / 2_000) : segments;
    return {
      ...base,
      ok: true,
      revision: `r${shown}`,
      mediaSequence: shown,
      targetDurationMs: 2_000,
      newestSegmentBytes: 50_000,
    };
  }

  #source(channel: ServiceChannel, mode: ProbeMode, lot: number): SourceSample {
    const { plan } = channel;
    const host = `origin-${originOf(plan)}:443`;
    const base = { ...this.#base('probe'), kind: 'source', channel: plan.id, host } as const;
    const { service } = this.#deps;
    if (service.isRefused(channel)) {
      const status = service.origins.refusesCredentials(plan.group) ? 401 : 403;
      return { ...base, ok: false, failure: 'http_status', status };
    }
    if (this.#deps.service.isOut(channel)) return { ...base, ok: false, failure: 'refused' };
    if (mode === 'noise' && lot < NOISE) return { ...base, ok: false, failure: 'timeout' };
    return { ...base, ok: true, status: 200 };
  }

  #viewers(channel: ServiceChannel): Sample {
    return { ...this.#base('engine'), kind: 'viewers', channel: channel.plan.id, viewers: channel.viewers };
  }

  #engineSample(engine: string): EngineReport['engine'] {
    const { engineAnswers, pool } = this.#deps;
    const up = engineAnswers(engine);
    const base = { ...this.#base('engine'), kind: 'engine', engine, reportsPool: true } as const;
    if (!up) return { ...base, ok: false, failure: 'timeout', poolPressure: undefined };
    return { ...base, ok: true, poolPressure: pool(engine).pressure };
  }
}

/** What a lying or unreliable observation makes of it. */
function distorted(sample: ProcessSample, mode: ProbeMode, lot: number): ProcessSample {
  if (mode === 'noise' && lot < NOISE / 3) return { ...sample, state: 'unknown', generation: undefined };
  if (mode !== 'says_dead') return sample;
  const none = { pid: undefined, uptimeMs: undefined, exitSignal: undefined, cpuMs: undefined, halted: undefined };
  return { ...sample, ...none, state: 'exited', exitCode: 1 };
}

/** A slot in the second, so that lots for one channel do not repeat another's. */
export const slotOf = (seed: number, id: string): number => mix(seed, numberOf(id));
