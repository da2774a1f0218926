/** The real adapters with their transports, between Reeve and the simulated supervisord and ExStreamTV. */
import type { ActionContext, Engine } from '../core/engine.ts';
import type { ToolName } from '../core/tool.ts';
import { createChangeGateway } from '../engine/change_gateway.ts';
import { ExstreamtvEngine } from '../engine/exstreamtv/engine.ts';
import { exstreamtvDocument } from '../engine/exstreamtv/schema.ts';
import type { EngineParts } from '../engine/parts.ts';
import { SupervisorEngine } from '../engine/supervisor/engine.ts';
import { supervisorDocument } from '../engine/supervisor/schema.ts';
import type { BoundedFetch } from '../resilience/http.ts';
import { createTransport } from '../resilience/transport.ts';
import type { Invocation } from './effect_log.ts';
import { CAPABILITIES, type SimEngineDeps } from './sim_engine.ts';
import { SimulatedExstreamtv } from './simulated_exstreamtv.ts';
import { SimulatedSupervisord } from './simulated_supervisord.ts';

export interface WiredEngineDeps extends SimEngineDeps {
  readonly isUp: () => boolean;
  readonly answers: () => boolean;
  /** Its machine tells how much each process has written. */
  readonly countsBytes?: boolean;
}

/**
 * Everything goes through an adapter, its gateway, breaker and deadlines: looks, restarts and logs as text of XML-RPC
 * to a supervisord, credentials, playouts and caches over REST to the ExStreamTV whose encoders that one runs.
 */
export function wiredEngine(deps: WiredEngineDeps): Engine {
  const { id, service } = deps;
  const under = new Map<string, Invocation>();
  const call = callerOf(deps, under);
  const supervisord = new SimulatedSupervisord({
    ...deps,
    engine: id,
    onStart: (channel) => {
      const invocation = under.get(channel);
      return (process) => {
        if (invocation !== undefined) invocation.effect = process;
      };
    },
  });
  const document = supervisorDocument.parse({ id, kind: 'supervisor', url: 'http://127.0.0.1:9001/RPC2' });
  const names = [...service.channels.values()].filter(({ plan }) => plan.engine === id).map(({ plan }) => plan.id);
  const encoders = new SupervisorEngine({
    document,
    channels: names.map((channel) => ({ id: channel, name: channel })),
    parts: { ...partsOf(deps, 'encoders', document, supervisord.ask), readProcess: supervisord.readProcess },
  });
  const media = mediaOf(deps);

  return {
    ...{ id, kind: encoders.kind, capabilities: new Set(CAPABILITIES) },
    observe: (signal) => encoders.observe(signal),
    recentLogs: (channel, bytesMax, signal) => encoders.recentLogs(channel, bytesMax, signal),
    restart: (channel, context) => call('restart_channel', channel, context, () => encoders.restart(channel, context)),
    refreshCredentials: (context) =>
      call('refresh_credentials', undefined, context, () => media.refreshCredentials(context)),
    probeCredentials: (signal) => media.probeCredentials(signal),
    rebuildPlayout: (channel, context) =>
      call('rebuild_playout', channel, context, () => media.rebuildPlayout(channel, context)),
    probePlayout: (channel, signal) => media.probePlayout(channel, signal),
    invalidateCache: (channel, context) =>
      call('invalidate_cache', channel, context, () => media.invalidateCache(channel, context)),
    probeCache: (signal) => media.probeCache(signal),
  };
}

/** Tells the world of each call, and of its end. `under`: by channel, the last call that restarts it. */
function callerOf({ id, worldMs, alive, onInvoked }: WiredEngineDeps, under: Map<string, Invocation>) {
  return async <T>(
    tool: ToolName,
    channel: string | undefined,
    { permit, fence, signal }: ActionContext,
    run: () => Promise<T>,
  ): Promise<T> => {
    if (!alive()) return new Promise(() => undefined);
    const invocation = onInvoked({ tool, channel, engine: id, permit, fence });
    if (tool === 'restart_channel' && channel !== undefined) under.set(channel, invocation);
    const end = (): void => {
      invocation.endMs ??= worldMs();
    };
    signal.addEventListener('abort', end, { once: true });
    return run().finally(end);
  };
}

function mediaOf(deps: WiredEngineDeps): ExstreamtvEngine {
  const { id } = deps;
  const server = new SimulatedExstreamtv({ ...deps, engine: id });
  const document = exstreamtvDocument.parse({ id, kind: 'exstreamtv', url: 'http://127.0.0.1:8411' });
  return new ExstreamtvEngine({
    document,
    channels: server.named,
    parts: partsOf(deps, 'media', document, server.ask),
  });
}

function partsOf(
  { id, clock }: WiredEngineDeps,
  part: string,
  { timeout, change_timeout }: { readonly timeout: number; readonly change_timeout: number },
  ask: BoundedFetch,
): EngineParts {
  const look = createTransport(`${id}/${part}/look`, { timeoutMs: timeout }, clock);
  const change = createTransport(`${id}/${part}/change`, { timeoutMs: change_timeout }, clock);
  return { clock, look, change: createChangeGateway(change), ask, secret: () => '', readProcess: undefined };
}
