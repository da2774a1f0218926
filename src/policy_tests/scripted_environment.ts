/** Samples of a channel as a case describes them. */
import type { Clock } from '../core/clock.ts';
import { HOUR_MS } from '../core/duration.ts';
import type { PlaylistSample, ProcessSample, ProbeFailure, Sample, SourceSample } from '../core/sample.ts';
import type { ChannelRef } from '../core/scope.ts';
import type { Given, GivenProbes } from './document.ts';

const SEGMENT_MS = 2_000;
const ORIGIN_HOST = 'origin.example:80';

type SourceState = NonNullable<GivenProbes['source']>;

/** What a look at the source finds. */
const SOURCES: Readonly<Record<SourceState, { readonly failure?: ProbeFailure; readonly status?: number }>> = {
  ok: { status: 200 },
  unwatched: {},
  refused: { failure: 'refused' },
  timeout: { failure: 'timeout' },
  unauthorised: { failure: 'http_status', status: 401 },
  not_found: { failure: 'http_status', status: 404 },
  rate_limited: { failure: 'http_status', status: 429 },
};

/** The channel of a case as its probes see it: well, then as the case says, then as the change made it. */
export class ScriptedEnvironment {
  readonly #channel: ChannelRef;
  readonly #clock: Clock;
  readonly #trouble: GivenProbes;
  readonly #effect: NonNullable<Given['effect']>;
  #state: GivenProbes = {};
  #processes = 1;
  #bornMs: number;
  #revision = 1;
  #changedMs: number;

  constructor(about: { channel: ChannelRef; given: Given }, clock: Clock) {
    this.#channel = about.channel;
    this.#clock = clock;
    this.#trouble = about.given.probes ?? {};
    this.#effect = about.given.effect ?? 'cured';
    this.#bornMs = clock.monotonicMs() - HOUR_MS;
    this.#changedMs = clock.monotonicMs();
  }

  /** From now on it is as the case says. */
  fail(): void {
    this.#state = this.#trouble;
  }

  /** Reeve has changed something. A channel that was named was started. */
  change(channel: string | undefined): void {
    const restarted = channel !== undefined;
    if (this.#effect === 'unchanged' || (this.#effect === 'fixed' && !restarted)) return;
    this.#state = {};
    if (!restarted) return;
    this.#processes += 1;
    this.#bornMs = this.#clock.monotonicMs();
    this.#changedMs = this.#clock.monotonicMs();
  }

  /** One look at everything that is watched. */
  samples(): readonly Sample[] {
    const base = { at: this.#clock.now(), monoMs: this.#clock.monotonicMs(), source: 'policy test' };
    const { id, engine } = this.#channel;
    const source = this.#source(base);
    return [
      { ...base, kind: 'engine', engine, ok: true, poolPressure: undefined, reportsPool: false },
      this.#process(base),
      ...(this.#channel.hasOutputProbe ? [this.#playlist(base)] : []),
      ...(source === undefined ? [] : [{ ...source, channel: id }]),
    ];
  }

  #process(base: Pick<ProcessSample, 'at' | 'monoMs' | 'source'>): ProcessSample {
    const halted = this.#state.process === 'halted';
    const state = this.#state.process === undefined || halted ? 'running' : (this.#state.process as 'exited');
    const runs = String(state) === 'running';
    const { exit_code: exitCode, exit_signal: exitSignal } = this.#state;
    return {
      ...base,
      kind: 'process',
      channel: this.#channel.id,
      engine: this.#channel.engine,
      state,
      pid: runs ? 1_000 + this.#processes : undefined,
      generation: `${1_000 + this.#processes}:${this.#bornMs}`,
      uptimeMs: runs ? base.monoMs - this.#bornMs : undefined,
      exitCode: runs || exitSignal !== undefined ? undefined : (exitCode ?? 1),
      exitSignal: runs ? undefined : exitSignal,
      stoppedOnPurpose: false,
      cpuMs: halted || this.#stands ? 0 : base.monoMs - this.#bornMs,
      halted,
      bytesWritten: undefined,
    };
  }

  get #stands(): boolean {
    const { process = 'running', output = 'moving' } = this.#state;
    return process !== 'running' || output === 'still';
  }

  #playlist(base: Pick<PlaylistSample, 'at' | 'monoMs' | 'source'>): PlaylistSample {
    const shared = { ...base, kind: 'playlist', channel: this.#channel.id } as const;
    if (this.#state.output === 'missing') return { ...shared, ok: false, failure: 'http_status', status: 404 };
    if (!this.#stands && base.monoMs - this.#changedMs >= SEGMENT_MS) {
      this.#revision += 1;
      this.#changedMs = base.monoMs;
    }
    const mediaSequence = this.#revision;
    const details = { revision: String(mediaSequence), mediaSequence, targetDurationMs: SEGMENT_MS };
    return { ...shared, ok: true, ...details, newestSegmentBytes: 50_000 };
  }

  #source(base: Pick<SourceSample, 'at' | 'monoMs' | 'source'>): Omit<SourceSample, 'channel'> | undefined {
    if (!this.#channel.hasSource) return undefined;
    const { failure, status } = SOURCES[this.#state.source ?? 'ok'];
    const details = { ...(failure !== undefined && { failure }), ...(status !== undefined && { status }) };
    return { ...base, kind: 'source', host: ORIGIN_HOST, ok: failure === undefined, ...details };
  }
}
