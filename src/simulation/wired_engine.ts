/** The real adapter with its transports, between Reeve and the simulated supervisord. */
import type { ActionContext, Engine } from '../core/engine.ts';
import { supervisorDocument } from '../engine/supervisor/schema.ts';
import { SupervisorEngine } from '../engine/supervisor/engine.ts';
import { createChangeGateway } from '../engine/change_gateway.ts';
import { createTransport } from '../resilience/transport.ts';
import type { Invocation } from './effect_log.ts';
import { SimEngine, type SimEngineDeps } from './sim_engine.ts';
import { SimulatedSupervisord } from './simulated_supervisord.ts';

export interface WiredEngineDeps extends SimEngineDeps {
  readonly isUp: () => boolean;
  readonly answers: () => boolean;
  /** Its machine tells how much each process has written. */
  readonly countsBytes?: boolean;
}

/**
 * Looks and restarts go through the adapter, its gateway, breaker and deadlines and the text of XML-RPC; credentials,
 * playouts and caches, which supervisord knows nothing of, as in every other world.
 */
export function wiredEngine(deps: WiredEngineDeps): Engine {
  const { id, service, clock, worldMs, alive, onInvoked } = deps;
  const under = new Map<string, Invocation>();
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
  const look = createTransport(`${id}/look`, { timeoutMs: document.timeout }, clock);
  const change = createTransport(`${id}/change`, { timeoutMs: document.change_timeout }, clock);
  const names = [...service.channels.values()].filter(({ plan }) => plan.engine === id).map(({ plan }) => plan.id);
  const adapter = new SupervisorEngine({
    document,
    channels: names.map((channel) => ({ id: channel, name: channel })),
    parts: {
      ...{ clock, look, change: createChangeGateway(change), ask: supervisord.ask },
      ...{ secret: () => '', readProcess: supervisord.readProcess },
    },
  });
  const rest = new SimEngine(deps);

  const restart = async (channel: string, context: ActionContext): Promise<string> => {
    if (!alive()) return new Promise(() => undefined);
    const { permit, fence, signal } = context;
    const invocation = onInvoked({ tool: 'restart_channel', channel, engine: id, permit, fence });
    under.set(channel, invocation);
    const end = (): void => {
      invocation.endMs ??= worldMs();
    };
    signal.addEventListener('abort', end, { once: true });
    return adapter.restart(channel, context).finally(end);
  };
  return {
    ...{ id, kind: adapter.kind, capabilities: rest.capabilities, restart },
    observe: (signal) => adapter.observe(signal),
    recentLogs: (channel, bytesMax, signal) => adapter.recentLogs(channel, bytesMax, signal),
    refreshCredentials: (context) => rest.refreshCredentials(context),
    probeCredentials: () => rest.probeCredentials(),
    rebuildPlayout: (channel, context) => rest.rebuildPlayout(channel, context),
    probePlayout: (channel) => rest.probePlayout(channel),
    invalidateCache: (channel, context) => rest.invalidateCache(channel, context),
    probeCache: () => rest.probeCache(),
  };
}
