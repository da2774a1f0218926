/** The simulated engine's API, with its faults. */
import type { Clock } from '../core/clock.ts';
import { MINUTE_MS } from '../core/duration.ts';
import type { ActionContext, Engine, EngineReport } from '../core/engine.ts';
import { ReeveError } from '../core/errors.ts';
import type { Capability, ToolName } from '../core/tool.ts';
import type { Starter } from './service_channel.ts';
import type { ServiceModel } from './service_model.ts';
import type { Invocation } from './effect_log.ts';
import { areCredentialsRefused, dropCache, hasPlayout, rebuildPlayout, refreshCredentials } from './treatments.ts';

/** How the engine treats calls at present. */
export const CALL_MODES = ['hang', 'late', 'lie_ok', 'lie_fail', 'slow', 'refuse'] as const;
/** A restart that is no single act: the stop comes at once, the start much later or never, whatever is answered. */
export const HALF_MODES = ['stop_only', 'stop_fails', 'stop_late_start', 'stop_lie_ok', 'very_late'] as const;
/** `unheard`: it is done at once, and the answer is lost. */
export type CallMode = (typeof CALL_MODES)[number] | (typeof HALF_MODES)[number] | 'well' | 'unheard';

/** When the old process is stopped, when the effect comes and when the answer; undefined: never. */
export interface Course {
  readonly stopMs?: number;
  readonly effectMs?: number;
  readonly answerMs?: number;
  readonly fails?: true;
}

export const COURSES: Readonly<Record<CallMode, Course>> = {
  well: { effectMs: 200, answerMs: 300 },
  slow: { effectMs: 8_000, answerMs: 12_000 },
  unheard: { effectMs: 200 },
  hang: {},
  late: { effectMs: 25_000 },
  lie_ok: { answerMs: 300 },
  lie_fail: { effectMs: 200, answerMs: 400, fails: true },
  refuse: { answerMs: 100, fails: true },
  stop_only: { stopMs: 200 },
  stop_fails: { stopMs: 200, answerMs: 17_000, fails: true },
  stop_late_start: { stopMs: 200, effectMs: 25_000 },
  stop_lie_ok: { stopMs: 200, answerMs: 300 },
  very_late: { effectMs: 45_000, answerMs: 300 },
};

export const CAPABILITIES: readonly Capability[] = [
  'observe',
  'restart',
  'logs',
  'bytes',
  'credentials',
  'viewers',
  'rebuild',
  'cache',
];

/** What an engine says that adds nothing and does not admit it. */
export const LIE_ITEMS = 1;
export const CACHED = 12;
/** After so long the cache is as full as before. */
export const FILLS_MS = 10 * MINUTE_MS;

export interface SimEngineDeps {
  readonly id: string;
  readonly service: ServiceModel;
  /** Reeve's own clock: an answer reaches only a process of Reeve that still runs. */
  readonly clock: Clock;
  readonly worldMs: () => number;
  /** Effects happen whether or not Reeve still runs to see them. */
  readonly at: (atMs: number, run: () => void) => void;
  readonly alive: () => boolean;
  readonly mode: () => CallMode;
  /** Which Reeve calls. */
  readonly by: Starter;
  readonly onInvoked: (call: Pick<Invocation, 'tool' | 'channel' | 'engine' | 'permit' | 'fence'>) => Invocation;
  readonly observe: (signal: AbortSignal) => Promise<EngineReport>;
}

/** A streaming service that may hang, come late, or say one thing and do another. */
export class SimEngine implements Engine {
  readonly id: string;
  readonly kind = 'simulated';
  readonly capabilities: ReadonlySet<Capability> = new Set(CAPABILITIES);
  readonly #deps: SimEngineDeps;
  #droppedMs = Number.NEGATIVE_INFINITY;

  constructor(deps: SimEngineDeps) {
    this.id = deps.id;
    this.#deps = deps;
  }

  observe(signal: AbortSignal): Promise<EngineReport> {
    return this.#deps.observe(signal);
  }

  restart(channel: string, context: ActionContext): Promise<string> {
    return this.#call('restart_channel', channel, context, (invocation) => {
      invocation.effect = this.#deps.service.restart(channel, this.#deps.by);
    });
  }

  refreshCredentials(context: ActionContext): Promise<string> {
    return this.#call('refresh_credentials', undefined, context, () => refreshCredentials(this.#deps.service, this.id));
  }

  async probeCredentials(): Promise<boolean> {
    return !areCredentialsRefused(this.#deps.service, this.id);
  }

  /** Whether it has helped is in the answer only where the effect came before it. */
  async rebuildPlayout(
    channel: string,
    context: ActionContext,
  ): Promise<{ readonly itemsAdded: number; readonly summary: string }> {
    let itemsAdded = LIE_ITEMS;
    const summary = await this.#call('rebuild_playout', channel, context, () => {
      itemsAdded = rebuildPlayout(this.#deps.service, channel);
    });
    return { itemsAdded, summary };
  }

  async probePlayout(channel: string): Promise<boolean> {
    return hasPlayout(this.#deps.service, channel);
  }

  invalidateCache(channel: string | undefined, context: ActionContext): Promise<string> {
    return this.#call('invalidate_cache', channel, context, () => {
      dropCache(this.#deps.service, this.id, channel);
      this.#droppedMs = this.#deps.worldMs();
    });
  }

  async probeCache(): Promise<number> {
    return this.#deps.worldMs() - this.#droppedMs < FILLS_MS ? 0 : CACHED;
  }

  async recentLogs(): Promise<string> {
    return 'a line of the log\nanother line';
  }

  #call(
    tool: ToolName,
    channel: string | undefined,
    { permit, fence, signal }: ActionContext,
    effect: (invocation: Invocation) => void,
  ): Promise<string> {
    const { clock, worldMs, at, alive, mode, onInvoked, by } = this.#deps;
    if (!alive()) return new Promise(() => undefined);
    const invocation = onInvoked({ tool, channel, engine: this.id, permit, fence });
    const { stopMs, effectMs, answerMs, fails } = COURSES[mode()];
    if (stopMs !== undefined && channel !== undefined && tool === 'restart_channel')
      at(worldMs() + stopMs, () => this.#deps.service.stop(channel, by));
    if (effectMs !== undefined) at(worldMs() + effectMs, () => effect(invocation));
    return new Promise((resolve, reject) => {
      const end = (): void => {
        invocation.endMs ??= worldMs();
      };
      const onAbort = (): void => {
        end();
        reject(signal.reason);
      };
      signal.addEventListener('abort', onAbort, { once: true });
      if (answerMs === undefined) return;
      clock.after(answerMs, () => {
        end();
        if (fails) reject(new ReeveError('ENGINE_REFUSED', 'the engine says that it did not work'));
        else resolve('the engine says that it worked');
      });
    });
  }
}
