import type { ActionContext, Engine, EngineReport } from '../../src/core/engine.ts';
import type { Clock } from '../../src/core/clock.ts';
import { HOUR_MS } from '../../src/core/duration.ts';
import { ReeveError } from '../../src/core/errors.ts';
import type { PlaylistSample, ProcessSample, ProcessState, SourceSample } from '../../src/core/sample.ts';
import type { Capability } from '../../src/core/tool.ts';

interface FakeChannel {
  state: ProcessState;
  pid: number;
  bornMs: number;
  revision: number;
  changedMs: number;
  exitSignal: number | undefined;
  exitCode: number | undefined;
  frozen: boolean;
}

/** A streaming service in memory: channels that can be killed, frozen and set to fail their next start. */
export class FakeEngine implements Engine {
  readonly id = 'local';
  readonly kind = 'fake';
  readonly capabilities = new Set<Capability>(['observe', 'restart', 'logs', 'bytes']);
  readonly channels = new Map<string, FakeChannel>();
  readonly restarts: { readonly channel: string; readonly atMs: number; readonly fence: number }[] = [];
  /** What the next restart does instead of working. */
  onRestart: ((channel: string, context: ActionContext) => Promise<string>) | undefined;
  /** Channels whose source refuses. */
  readonly deadSources = new Set<string>();
  /** Channels whose source answers 403. */
  readonly refusingSources = new Set<string>();
  /** What dropping the cache does besides. */
  onCacheDropped: ((channel: string | undefined) => Promise<string>) | undefined;
  /** Permits under which new credentials were fetched. */
  readonly refreshes: string[] = [];
  credentialsWork = true;
  readonly #clock: Clock;
  #pids = 100;

  constructor(clock: Clock, names: readonly string[]) {
    this.#clock = clock;
    for (const name of names) {
      this.#begin(name);
      this.#at(name).bornMs -= HOUR_MS;
    }
  }

  kill(name: string, signal = 9): void {
    Object.assign(this.#at(name), { state: 'exited', exitSignal: signal, exitCode: undefined });
  }

  /** It ends by itself. */
  end(name: string, exitCode: number): void {
    Object.assign(this.#at(name), { state: 'exited', exitSignal: undefined, exitCode });
  }

  freeze(name: string): void {
    this.#at(name).frozen = true;
  }

  /** The same process plays on. */
  thaw(name: string): void {
    this.#at(name).frozen = false;
  }

  /** As a person does at the engine itself. */
  stop(name: string): void {
    Object.assign(this.#at(name), { state: 'stopped', exitSignal: undefined, exitCode: 0 });
  }

  /** A new process generation that Reeve did not ask for. */
  startByHand(name: string, agoMs = 0): void {
    this.#begin(name);
    this.#at(name).bornMs -= agoMs;
  }

  async refreshCredentials({ permit }: ActionContext): Promise<string> {
    this.refreshes.push(permit);
    this.credentialsWork = true;
    return 'fetched';
  }

  async invalidateCache(name: string | undefined): Promise<string> {
    return this.onCacheDropped?.(name) ?? 'dropped';
  }

  async probeCredentials(): Promise<boolean> {
    return this.credentialsWork;
  }

  async restart(name: string, context: ActionContext): Promise<string> {
    this.restarts.push({ channel: name, atMs: this.#clock.monotonicMs(), fence: context.fence });
    if (this.onRestart !== undefined) return this.onRestart(name, context);
    this.#begin(name);
    return `restarted ${name}`;
  }

  async recentLogs(): Promise<string> {
    return 'a line\nanother line';
  }

  async observe(): Promise<EngineReport> {
    const at = this.#clock.now();
    const monoMs = this.#clock.monotonicMs();
    const engine = { kind: 'engine', at, monoMs, source: 'fake', engine: 'local', ok: true } as const;
    return {
      engine: { ...engine, poolPressure: undefined, reportsPool: false },
      processes: [...this.channels.keys()].map((name) => this.processOf(name)),
      viewers: [],
      credential: undefined,
    };
  }

  processOf(name: string): ProcessSample {
    const channel = this.#at(name);
    const monoMs = this.#clock.monotonicMs();
    const running = channel.state === 'running';
    return {
      kind: 'process',
      at: this.#clock.now(),
      monoMs,
      source: 'fake',
      channel: name,
      engine: 'local',
      state: channel.state,
      pid: running ? channel.pid : undefined,
      generation: `${channel.pid}:${channel.bornMs}`,
      uptimeMs: running ? monoMs - channel.bornMs : undefined,
      exitCode: channel.exitCode,
      exitSignal: channel.exitSignal,
      stoppedOnPurpose: channel.state === 'stopped',
      cpuMs: channel.frozen ? 1_000 : monoMs - channel.bornMs,
      halted: channel.frozen,
      bytesWritten: undefined,
    };
  }

  sourceOf(name: string): SourceSample {
    const isRefused = this.refusingSources.has(name);
    const ok = !this.deadSources.has(name) && !isRefused;
    const at = this.#clock.now();
    const about = { kind: 'source', at, monoMs: this.#clock.monotonicMs(), source: 'probe', channel: name } as const;
    if (isRefused) return { ...about, ok, host: 'origin:80', failure: 'http_status', status: 403 };
    return ok ? { ...about, ok, host: 'origin:80' } : { ...about, ok, host: 'origin:80', failure: 'refused' };
  }

  /** A new segment every 2 s while it runs. */
  playlistOf(name: string): PlaylistSample {
    const channel = this.#at(name);
    const monoMs = this.#clock.monotonicMs();
    if (channel.state === 'running' && !channel.frozen && monoMs - channel.changedMs >= 2_000) {
      channel.revision += 1;
      channel.changedMs = monoMs;
    }
    return {
      kind: 'playlist',
      at: this.#clock.now(),
      monoMs,
      source: 'probe',
      channel: name,
      ok: true,
      revision: String(channel.revision),
      mediaSequence: channel.revision,
      targetDurationMs: 2_000,
      newestSegmentBytes: 10_000,
    };
  }

  #begin(name: string): void {
    this.#pids += 1;
    const bornMs = this.#clock.monotonicMs();
    const revision = (this.channels.get(name)?.revision ?? 0) + 1;
    this.channels.set(name, {
      state: 'running',
      pid: this.#pids,
      bornMs,
      revision,
      changedMs: bornMs,
      exitSignal: undefined,
      exitCode: undefined,
      frozen: false,
    });
  }

  #at(name: string): FakeChannel {
    const channel = this.channels.get(name);
    if (channel === undefined) throw new ReeveError('ENGINE_REFUSED', `no channel ${name}`);
    return channel;
  }
}
