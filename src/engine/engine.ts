import type { Clock } from '../core/clock.ts';
import type { EngineDocument, SecretReference } from '../core/engine_documents.ts';
import type { Engine, ReadProcess } from '../core/engine.ts';
import { ReeveError, unreachable } from '../core/errors.ts';
import type { EngineId } from '../core/scope.ts';
import { boundedFetch } from '../resilience/http.ts';
import { createTransport, type Transport } from '../resilience/transport.ts';
import { CommandEngine } from './command.ts';
import { createChangeGateway } from './change_gateway.ts';
import { ExstreamtvEngine } from './exstreamtv.ts';
import { HttpEngine } from './http.ts';
import type { ChannelName, EngineParts } from './parts.ts';
import { SupervisorEngine } from './supervisor.ts';

/** One configured engine and the channels that it runs. */
export interface EngineOptions {
  readonly document: EngineDocument;
  readonly channels: readonly ChannelName[];
}

export interface EngineDeps {
  readonly clock: Clock;
  /** The text of a secret. Throws CONFIG_INVALID when its variable or file is missing. */
  readonly secret: (reference: SecretReference) => string;
  /** Reads a process of this machine; undefined where there is no /proc. */
  readonly readProcess?: ReadProcess | undefined;
}

export interface Engines extends AsyncDisposable {
  readonly byId: ReadonlyMap<EngineId, Engine>;
  /** `ENGINE/look` and `ENGINE/change` for each: their states are worth a metric. */
  readonly transports: readonly Transport[];
}

/** Builds the adapters. Throws CONFIG_INVALID for names that an engine cannot be asked with and missing secrets. */
export function createEngines(options: readonly EngineOptions[], deps: EngineDeps): Engines {
  const building = new AsyncDisposableStack();
  const transports: Transport[] = [];
  const byId = new Map<EngineId, Engine>();
  for (const option of options) {
    const { id, timeout, change_timeout } = option.document;
    if (byId.has(id)) throw new ReeveError('CONFIG_INVALID', `two engines are called ${id}`);
    const ask = building.use(boundedFetch(deps.clock));
    const look = building.use(createTransport(`${id}/look`, { timeoutMs: timeout }, deps.clock));
    const change = building.use(createTransport(`${id}/change`, { timeoutMs: change_timeout }, deps.clock));
    transports.push(look, change);
    const { clock, secret, readProcess } = deps;
    byId.set(id, adapterOf(option, { clock, ask, look, change: createChangeGateway(change), secret, readProcess }));
  }
  return { byId, transports, [Symbol.asyncDispose]: () => building.disposeAsync() };
}

function adapterOf({ document, channels }: EngineOptions, parts: EngineParts): Engine {
  switch (document.kind) {
    case 'supervisor':
      return new SupervisorEngine({ document, channels, parts });
    case 'http':
      return new HttpEngine({ document, channels, parts });
    case 'command':
      return new CommandEngine({ document, channels, parts });
    case 'exstreamtv':
      return new ExstreamtvEngine({ document, channels, parts });
    default:
      return unreachable(document);
  }
}
