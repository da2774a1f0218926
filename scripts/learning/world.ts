/** The streaming service of the learning run: channels, what comes over them, and an engine that does as it is asked. */
import type { Clock } from '../../src/core/clock.ts';
import { DAY_MS, HOUR_MS } from '../../src/core/duration.ts';
import type { Capability } from '../../src/core/tool.ts';
import type { ActionContext, Engine, EngineReport } from '../../src/core/engine.ts';
import { type Stream, streamOf } from '../../src/simulation/random_streams.ts';
import type { ChannelPlan } from '../../src/simulation/scenario.ts';
import { ServiceModel } from '../../src/simulation/service_model.ts';
import { areCredentialsRefused, refreshCredentials } from '../../src/simulation/treatments.ts';
import { CHANNELS, PLANTED_TROUBLES, SOURCED, type Trouble, TROUBLES } from './troubles.ts';

const LINES_EVERY_MS = 2_000;
/** No person repairs it sooner: after a page, and without one. */
const PAGED_MS = 15 * 60_000;
const UNPAGED_MS = 60 * 60_000;
/** No two troubles begin nearer to each other: each is judged by itself. */
const APART_MS = 75 * 60_000;
/** The process writes this line and goes on; after that it writes others. */
/** The buffer runs dry first. */
const SILENT_MS = 7_000;
const TALKS_MAX_MS = 20 * 60_000;

export interface WorldDeps {
  readonly seed: number;
  readonly days: number;
  readonly nowMs: () => number;
  readonly at: (atMs: number, run: () => void) => void;
  readonly onLine: (channel: string, line: string) => void;
}

/** What comes when: written before the run, the same for a seed whatever Reeve does. */
export function planOf(seed: number, days: number): readonly { atMs: number; trouble: Trouble; channel: string }[] {
  const all = [...TROUBLES, ...PLANTED_TROUBLES].flatMap((trouble) => {
    const stream = streamOf(seed, `trouble:${trouble.id}`);
    const found: { atMs: number; trouble: Trouble; channel: string }[] = [];
    const untilMs = Math.min(days, trouble.untilDay ?? days) * DAY_MS;
    for (let atMs = HOUR_MS; ; ) {
      atMs += Math.ceil(trouble.everyHours * HOUR_MS * (0.4 + 1.2 * stream.next()));
      if (atMs >= untilMs) return found;
      found.push({ atMs, trouble, channel: stream.pick(trouble.channels) });
    }
  });
  let free = 0;
  return all
    .sort((a, b) => a.atMs - b.atMs || (a.trouble.id < b.trouble.id ? -1 : 1))
    .map((one) => {
      const atMs = Math.max(one.atMs, free);
      free = atMs + APART_MS;
      return { ...one, atMs };
    })
    .filter(({ atMs }) => atMs < days * DAY_MS);
}

/** Channels, troubles, and the person who comes when called. */
export class World {
  readonly service: ServiceModel;
  readonly #deps: WorldDeps;
  readonly #lots: Stream;
  readonly #pagedMs = new Map<string, number>();
  /** What is wrong with each channel now, and since when. */
  readonly present = new Map<string, { readonly trouble: Trouble; readonly sinceMs: number }>();

  constructor(deps: WorldDeps) {
    this.#deps = deps;
    this.#lots = streamOf(deps.seed, 'words');
    const { seed, nowMs, at } = deps;
    this.service = new ServiceModel(plansOf(), { seed, nowMs, at, onSymptom: () => undefined });
    for (const one of planOf(deps.seed, deps.days)) at(one.atMs, () => this.#begin(one.trouble, one.channel));
  }

  /** Nothing is wrong, and no log line says so. */
  get quiet(): boolean {
    return this.present.size === 0 && this.service.serene;
  }

  paged(channel: string): void {
    if (!this.#pagedMs.has(channel)) this.#pagedMs.set(channel, this.#deps.nowMs());
  }

  /** A tool was used on it. */
  treat(id: string, tool: string): void {
    if (this.service.at(id).ailment === tool) this.service.ail(id, undefined);
  }

  /** The cached guide or address is gone: on ch3 the playout hangs on it. */
  dropCache(channel: string | undefined): void {
    for (const id of channel === undefined ? CHANNELS : [channel]) {
      this.treat(id, 'invalidate_cache');
      if (id === 'ch3' && this.present.get(id)?.trouble.id === 'old_guide') this.service.ail(id, 'person');
    }
  }

  /** Once a minute: who was called repairs. */
  round(): void {
    const nowMs = this.#deps.nowMs();
    for (const id of CHANNELS) {
      const episode = this.service.downtime.episodeOf(id);
      if (episode === undefined) {
        this.#pagedMs.delete(id);
        continue;
      }
      const called = this.#pagedMs.get(id);
      const dueMs = Math.min(episode.fromMs + UNPAGED_MS, (called ?? Number.POSITIVE_INFINITY) + PAGED_MS);
      if (nowMs < dueMs) continue;
      const { engine } = this.service.at(id).plan;
      if (this.service.isRefused(this.service.at(id))) refreshCredentials(this.service, engine);
      this.service.ail(id, undefined);
      this.service.repair(id);
    }
  }

  #begin(trouble: Trouble, channel: string): void {
    const sinceMs = this.#deps.nowMs();
    if (this.present.has(channel) || this.service.downtime.episodeOf(channel) !== undefined) return;
    this.present.set(channel, { trouble, sinceMs });
    trouble.begin(this.service, channel);
    this.#talk(trouble, channel, sinceMs);
  }

  #talk(trouble: Trouble, channel: string, sinceMs: number): void {
    const forMs = this.#deps.nowMs() - sinceMs;
    const status = this.service.statusOf(this.service.at(channel));
    const fine = status === 'playing';
    const isOver = trouble.talksMs === undefined ? fine : forMs >= trouble.talksMs;
    if (isOver) {
      this.present.delete(channel);
      return;
    }
    const line = trouble.line?.(this.#lots.int(1_000, 9_999));
    const isDue = trouble.talksMs !== undefined || (forMs >= SILENT_MS && status !== 'young');
    if (line !== undefined && isDue && forMs < TALKS_MAX_MS) this.#deps.onLine(channel, line);
    this.#deps.at(this.#deps.nowMs() + LINES_EVERY_MS, () => this.#talk(trouble, channel, sinceMs));
  }
}

const plansOf = (): readonly ChannelPlan[] =>
  CHANNELS.map((id) => ({ id, group: `g-${id}`, engine: 'e0', hasSource: SOURCED.includes(id) }));

const CAPABILITIES: readonly Capability[] = [
  'observe',
  'restart',
  'logs',
  'credentials',
  'viewers',
  'rebuild',
  'cache',
];
const EFFECT_MS = 300;
/** What was planned anew is on air. */
const PLAYS_MS = 8_000;

/** An engine whose tools do what the world says that they do. */
export class WorldEngine implements Engine {
  readonly id = 'e0';
  readonly kind = 'simulated';
  readonly capabilities: ReadonlySet<Capability> = new Set(CAPABILITIES);
  readonly #world: World;
  readonly #clock: Clock;
  readonly #report: () => EngineReport;
  #cached = 12;

  constructor(world: World, clock: Clock, report: () => EngineReport) {
    this.#world = world;
    this.#clock = clock;
    this.#report = report;
  }

  async observe(): Promise<EngineReport> {
    return this.#report();
  }

  restart(channel: string, context: ActionContext): Promise<string> {
    return this.#after(context, () => {
      this.#world.treat(channel, 'restart_channel');
      this.#world.service.restart(channel, 'reeve');
      return 'restarted';
    });
  }

  rebuildPlayout(channel: string, context: ActionContext): Promise<{ itemsAdded: number; summary: string }> {
    return this.#after(context, () => {
      this.#world.treat(channel, 'rebuild_playout');
      const isEmpty = this.#world.service.at(channel).ailment === 'person';
      return { itemsAdded: isEmpty ? 0 : 40, summary: isEmpty ? 'the library is empty' : 'planned again' };
    });
  }

  async probePlayout(channel: string): Promise<boolean> {
    const { producingMs } = this.#world.service.at(channel);
    return producingMs !== undefined && this.#world.service.nowMs() - producingMs >= PLAYS_MS;
  }

  invalidateCache(channel: string | undefined, context: ActionContext): Promise<string> {
    return this.#after(context, () => {
      this.#world.dropCache(channel);
      this.#cached = 0;
      this.#clock.after(600_000, () => {
        this.#cached = 12;
      });
      return 'dropped';
    });
  }

  async probeCache(): Promise<number> {
    return this.#cached;
  }

  refreshCredentials(context: ActionContext): Promise<string> {
    return this.#after(context, () => {
      refreshCredentials(this.#world.service, this.id);
      for (const id of CHANNELS) this.#world.treat(id, 'refresh_credentials');
      return 'refreshed';
    });
  }

  async probeCredentials(): Promise<boolean> {
    const { service } = this.#world;
    return (
      !areCredentialsRefused(service, this.id) &&
      !CHANNELS.some((id) => service.at(id).ailment === 'refresh_credentials')
    );
  }

  async recentLogs(): Promise<string> {
    return '';
  }

  #after<Result>({ signal }: ActionContext, effect: () => Result): Promise<Result> {
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      this.#clock.after(EFFECT_MS, () => resolve(effect()));
    });
  }
}
