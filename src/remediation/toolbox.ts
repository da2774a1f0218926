import type { ActionContext, Engine } from '../core/engine.ts';
import { ReeveError } from '../core/errors.ts';
import { type ChannelRef, type EngineId, keyOfScope, type Scope } from '../core/scope.ts';
import type { ToolName } from '../core/tool.ts';

/** What a tool's body may touch. No runner, no guard, no other tool: a tool cannot start a tool (law S7). */
export interface ToolPorts {
  channelOf(id: string): ChannelRef | undefined;
  engineOf(id: EngineId): Engine | undefined;
  /** One line about the channel's health, from samples that were taken already. */
  healthLine(channel: string): string;
  /** Log text made safe: secrets and control characters gone, at most 400 characters. */
  clean(text: string): string;
}

/**
 * Does one thing and says in one line what came of it; throws a `ReeveError` when it did not work.
 * `engine` is the permit's: a group does not name its engine.
 */
export type ToolBody = (target: Scope, context: ActionContext, engine?: EngineId) => Promise<string>;

const LOG_BYTES_MAX = 8_192;

/** The seven tools, each a few lines over an engine's own verbs. Which may run is the guard's word, not theirs. */
export function createToolbox(ports: ToolPorts): ReadonlyMap<ToolName, ToolBody> {
  const engineAt = (target: Scope, ofPermit: EngineId | undefined): Engine => {
    const own = target.kind === 'channel' ? ports.channelOf(target.id)?.engine : undefined;
    const engine = ports.engineOf(own ?? (target.kind === 'engine' ? target.id : ofPermit) ?? '');
    if (engine) return engine;
    throw new ReeveError('ENGINE_REFUSED', `no engine is configured for ${keyOfScope(target)}`);
  };
  const channelAt = (target: Scope): string => {
    if (target.kind === 'channel') return target.id;
    throw new ReeveError('ENGINE_REFUSED', `a channel was expected, got ${keyOfScope(target)}`);
  };

  const bodies: Record<ToolName, ToolBody> = {
    restart_channel: async (target, context, of) => able(engineAt(target, of), 'restart')(channelAt(target), context),
    refresh_credentials: async (target, context, of) => able(engineAt(target, of), 'refreshCredentials')(context),
    async fetch_recent_logs(target, context, of) {
      const text = await able(engineAt(target, of), 'recentLogs')(channelAt(target), LOG_BYTES_MAX, context.signal);
      const lines = text.split('\n').filter((line) => line.trim() !== '');
      return `${lines.length} recent lines; last: ${ports.clean(lines.at(-1) ?? '(none)')}`;
    },
    async inspect_pool_status(target, context, of) {
      const { engine } = await engineAt(target, of).observe(context.signal);
      const pressure =
        engine.poolPressure === undefined ? 'not reported' : `${Math.round(engine.poolPressure * 100)} %`;
      return `engine ${engine.ok ? 'answers' : `does not answer (${engine.failure})`}, pool ${pressure}`;
    },
    get_channel_health: async (target) => ports.healthLine(channelAt(target)),
    async rebuild_playout(target, context, of) {
      const { itemsAdded, summary } = await able(engineAt(target, of), 'rebuildPlayout')(channelAt(target), context);
      if (itemsAdded > 0) return `${itemsAdded} items added; ${summary}`;
      throw new ReeveError('ENGINE_REFUSED', `the rebuild added no items: ${summary}`);
    },
    invalidate_cache: async (target, context, of) =>
      able(engineAt(target, of), 'invalidateCache')(target.kind === 'channel' ? target.id : undefined, context),
  };
  return new Map(Object.entries(bodies) as [ToolName, ToolBody][]);
}

type Verb = 'restart' | 'refreshCredentials' | 'recentLogs' | 'rebuildPlayout' | 'invalidateCache';

/** The engine's verb, bound. The guard has asked for the capability before; a gap here is the adapter's bug. */
function able<V extends Verb>(engine: Engine, verb: V): NonNullable<Engine[V]> {
  const found = engine[verb];
  if (!found) throw new ReeveError('ENGINE_REFUSED', `engine ${engine.id} (${engine.kind}) cannot ${verb}`);
  return found.bind(engine) as NonNullable<Engine[V]>;
}
