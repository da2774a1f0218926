import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import type { PlaylistSample, ProbeFailure, ProcessState, Sample } from '../../src/core/sample.ts';
import type { Origin, SymptomKind } from '../../src/core/symptom.ts';
import { type Assessment, classify, type Finding } from '../../src/ground/rules/classify.ts';
import { FactStore } from '../../src/ground/facts/facts.ts';
import type { ClassifyContext } from '../../src/ground/rules/classify_input.ts';
import type { ChannelSetup } from '../../src/ground/facts/setup.ts';

export const EPOCH = Date.UTC(2026, 0, 1);

/** A channel as the configuration of a small site would have it: HLS looked at every 2 s, a stall after 6 s. */
export const setupOf = (id: string, extra: Partial<ChannelSetup> = {}): ChannelSetup => ({
  id,
  group: 'group',
  engine: 'local',
  expected: 'always',
  hasSource: false,
  hasOutputProbe: true,
  stallAfterMs: 6_000,
  outputEveryMs: 2_000,
  sourceEveryMs: 10_000,
  ...extra,
});

/** What one channel really does. Samples report it on their own schedules. */
export interface World {
  state: ProcessState;
  generation: number;
  bornMs: number;
  exitCode: number | undefined;
  exitSignal: number | undefined;
  onPurpose: boolean;
  halted: boolean;
  /** CPU time per second of time. */
  cpu: number;
  /** New segments come out. */
  producing: boolean;
  segmentBytes: number | 'missing';
  /** The encoder has closed its playlist, as one does that is asked to stop. */
  closed: boolean;
  /** The HLS server answers. */
  server: 'ok' | ProbeFailure;
  serverStatus: number | undefined;
  source: 'ok' | ProbeFailure;
  sourceStatus: number | undefined;
  retryAfterMs: number | undefined;
  /** Media seconds per second; undefined: the encoder reports nothing. */
  speed: number | undefined;
  oomKills: number | undefined;
  disk: number | undefined;
  engineUp: boolean;
}

const TICK_MS = 100;

/** One channel, its probes and the board, on a clock of its own. */
export class Scene {
  readonly setup: ChannelSetup;
  readonly factStore: FactStore;
  readonly starts: string[] = [];
  nowMs = 1_000_000;
  #outTimeMs = 0;
  #cpuMs = 0;
  #sequence = 0;
  #segmentDueMs = 0;
  #wasProducing = true;
  readonly world: World = {
    state: 'running',
    generation: 1,
    bornMs: 0,
    exitCode: undefined,
    exitSignal: undefined,
    onPurpose: false,
    halted: false,
    cpu: 100,
    producing: true,
    segmentBytes: 40_000,
    closed: false,
    server: 'ok',
    serverStatus: undefined,
    source: 'ok',
    sourceStatus: undefined,
    retryAfterMs: undefined,
    speed: 1,
    oomKills: 0,
    disk: 0.4,
    engineUp: true,
  };

  constructor(extra: Partial<ChannelSetup> = {}, id = 'gen1') {
    this.setup = setupOf(id, extra);
    const engines = [{ id: 'local', pollMs: 1_000, autorestartGraceMs: 1_000, hostEveryMs: 5_000 }];
    this.factStore = new FactStore({ channels: [this.setup], engines }, (_, generation, _engine, agoMs) => {
      if (agoMs === undefined) this.starts.push(generation);
    });
    this.advance(60_000);
  }

  get at(): number {
    return EPOCH + this.nowMs;
  }

  /** Changes the world now. */
  set(change: Partial<World>): this {
    Object.assign(this.world, change);
    return this;
  }

  /** The process is gone. */
  die(exit: { code?: number; signal?: number }, state: ProcessState = 'exited'): this {
    return this.set({
      state,
      exitCode: exit.code,
      exitSignal: exit.signal,
      producing: false,
      halted: false,
      speed: undefined,
    });
  }

  /** A new process runs; its first segment comes after 2 s unless it produces nothing. */
  start(producing = true, speed: number | 'silent' = 1): this {
    this.#outTimeMs = 0;
    this.#cpuMs = 0;
    this.#segmentDueMs = this.nowMs + 2_500;
    const generation = this.world.generation + 1;
    return this.set({
      state: 'running',
      generation,
      bornMs: this.nowMs,
      exitCode: undefined,
      exitSignal: undefined,
      halted: false,
      producing,
      speed: speed === 'silent' ? undefined : speed,
      cpu: 100,
    });
  }

  /** The process table is looked at now, as a line of the supervisor's log would make one do. */
  look(): this {
    this.#process();
    return this;
  }

  lookAtHost(): this {
    this.#host();
    return this;
  }

  log(
    kind: SymptomKind,
    options: { count?: number; origin?: Origin; confidence?: number; pattern?: string } = {},
  ): this {
    const { count = 1, origin = 'log', confidence = 0.9, pattern = `p_${kind}` } = options;
    this.factStore.symptom({
      at: this.at,
      monoMs: this.nowMs,
      channel: this.setup.id,
      kind,
      origin,
      countInWindow: count,
      windowMs: 60_000,
      confidence,
      pattern: origin === 'log' ? pattern : undefined,
      evidence: [{ source: `${this.setup.id}.err`, text: `a line about ${kind}` }],
    });
    return this;
  }

  /** Time passes; every probe looks on its schedule. */
  advance(ms: number): this {
    for (const endMs = this.nowMs + ms; this.nowMs < endMs; ) {
      this.nowMs += TICK_MS;
      this.#live();
      if (this.nowMs % 1_000 === 0) this.#process();
      if (this.nowMs % 2_000 === 700) this.#playlist();
      if (this.nowMs % 2_000 === 300) this.#progress();
      if (this.setup.hasSource && this.nowMs % 10_000 === 500) this.#source();
      if (this.nowMs % 5_000 === 400) this.#host();
    }
    return this;
  }

  context(extra: Partial<ClassifyContext> = {}): ClassifyContext {
    return {
      engine: this.factStore.engineFacts('local'),
      host: this.factStore.hostFacts('local'),
      limits: DEFAULT_LIMITS,
      autorestartGraceMs: 1_000,
      sharingSource: 0,
      ...extra,
    };
  }

  facts() {
    return this.factStore.view(this.setup.id)!;
  }

  find(): Finding {
    return classify(this.facts(), this.context(), this.nowMs);
  }

  /** What it is called now: the classification (`settling …` before it may be acted on), or its health. */
  verdict(): string {
    const finding = this.find();
    if (finding.trouble) return `${finding.settling ? 'settling ' : ''}${finding.classification}`;
    return finding.quiet ? 'quiet' : `fine ${finding.healthy ?? 'unknown'}`;
  }

  /** Every verdict over the coming time, each once, in order of first appearance. */
  verdicts(ms: number): readonly string[] {
    const heard = new Set<string>();
    for (const endMs = this.nowMs + ms; this.nowMs < endMs; ) {
      this.advance(TICK_MS);
      heard.add(this.verdict());
    }
    return [...heard];
  }

  trouble(): Assessment {
    const finding = this.find();
    if (!finding.trouble) throw new Error(`no trouble: ${finding.because}`);
    return finding;
  }

  #live(): void {
    const { world } = this;
    if (world.producing && !this.#wasProducing) this.#segmentDueMs = Math.max(this.#segmentDueMs, this.nowMs + 2_000);
    this.#wasProducing = world.producing;
    if (world.producing && this.nowMs >= this.#segmentDueMs) {
      this.#sequence += 1;
      world.closed = false;
      this.#segmentDueMs = this.nowMs + 2_000;
    }
    if (world.speed !== undefined && !world.halted) this.#outTimeMs += TICK_MS * world.speed;
    if (world.state === 'running' && !world.halted) this.#cpuMs += (world.cpu * TICK_MS) / 1000;
  }

  #put(sample: Sample): void {
    this.factStore.observe(sample);
  }

  #process(): void {
    const { world, nowMs, at } = this;
    const failure = world.engineUp ? {} : { failure: 'refused' as const };
    this.#put({
      kind: 'engine',
      engine: 'local',
      at,
      monoMs: nowMs,
      source: 'supervisor',
      ok: world.engineUp,
      poolPressure: undefined,
      reportsPool: false,
      ...failure,
    });
    if (!world.engineUp) return;
    const living = world.state === 'running' || world.state === 'starting';
    this.#put({
      kind: 'process',
      channel: this.setup.id,
      engine: 'local',
      at,
      monoMs: nowMs,
      source: 'supervisor',
      state: world.state,
      pid: living ? 100 + world.generation : undefined,
      generation: living ? `${100 + world.generation}@${world.generation}` : undefined,
      uptimeMs: living ? nowMs - world.bornMs : undefined,
      exitCode: world.exitCode,
      exitSignal: world.exitSignal,
      stoppedOnPurpose: world.onPurpose,
      cpuMs: living ? Math.floor(this.#cpuMs) : undefined,
      halted: living ? world.halted : undefined,
      bytesWritten: undefined,
    });
  }

  #playlist(): void {
    const { world, nowMs, at } = this;
    const base = { kind: 'playlist' as const, channel: this.setup.id, at, monoMs: nowMs, source: 'hls' };
    const sample: PlaylistSample =
      world.server === 'ok'
        ? {
            ...base,
            ok: true,
            revision: world.closed ? 'closed' : `r${this.#sequence}`,
            ended: world.closed,
            mediaSequence: this.#sequence,
            targetDurationMs: 2_000,
            ...(world.segmentBytes === 'missing'
              ? { newestSegmentMissing: true }
              : { newestSegmentBytes: world.segmentBytes }),
          }
        : {
            ...base,
            ok: false,
            failure: world.server,
            ...(world.serverStatus === undefined ? {} : { status: world.serverStatus }),
          };
    this.#put(sample);
  }

  #source(): void {
    const { world, nowMs, at } = this;
    this.#put({
      kind: 'source',
      channel: this.setup.id,
      at,
      monoMs: nowMs,
      source: 'source',
      host: 'origin:8000',
      ok: world.source === 'ok',
      ...(world.source === 'ok' ? {} : { failure: world.source }),
      ...(world.sourceStatus === undefined ? {} : { status: world.sourceStatus }),
      ...(world.retryAfterMs === undefined ? {} : { retryAfterMs: world.retryAfterMs }),
    });
  }

  #progress(): void {
    if (this.world.speed === undefined || this.world.halted) return;
    const { nowMs, at } = this;
    this.#put({
      kind: 'progress',
      channel: this.setup.id,
      at,
      monoMs: nowMs,
      source: 'gen1.err',
      outTimeMs: Math.round(this.#outTimeMs),
      frame: undefined,
    });
  }

  #host(): void {
    const { world, nowMs, at } = this;
    this.#put({
      kind: 'host',
      engine: 'local',
      at,
      monoMs: nowMs,
      source: 'host',
      disks: [{ path: '/var/hls', usedRatio: world.disk }],
      oomKills: world.oomKills,
      cpuPressure: undefined,
    });
  }
}

/** A channel that pulls from a source which is looked at every 10 s. */
export const pulling = (extra: Partial<ChannelSetup> = {}): Scene => new Scene({ hasSource: true, ...extra }, 'pull1');

export const origins = (finding: Assessment): readonly Origin[] => [
  ...new Set(finding.signals.map(({ origin }) => origin)),
];

/** Classes that may lead to a restart. */
export const RESTARTABLE = new Set(['process_crashed', 'output_stalled', 'hls_window_slip']);
export const restartable = (verdicts: readonly string[]): readonly string[] =>
  verdicts.filter((one) => RESTARTABLE.has(one));
