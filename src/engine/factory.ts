/** Builds the adapters of the configured engines. */
import type { Clock } from '../core/clock.ts';
import type { EngineDocument, EngineKind } from './documents.ts';
import type { SecretReference } from './secret_reference.ts';
import type { Engine, ReadProcess } from '../core/engine.ts';
import { ReeveError } from '../core/errors.ts';
import type { EngineId } from '../core/scope.ts';
import { boundedFetch } from '../resilience/http.ts';
import { createTransport } from '../resilience/transport.ts';
import { CommandEngine } from './command/engine.ts';
import { createChangeGateway } from './change_gateway.ts';
import { DockerEngine } from './docker/engine.ts';
import { ExstreamtvEngine } from './exstreamtv/engine.ts';
import { HttpEngine } from './http/engine.ts';
import type { ChannelName, EngineParts } from './parts.ts';
import { SupervisorEngine } from './supervisor/engine.ts';
import { SystemdEngine } from './systemd/engine.ts';

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
}

/** Builds the adapters. Throws CONFIG_INVALID for names that an engine cannot be asked with and missing secrets. */
export function createEngines(options: readonly EngineOptions[], deps: EngineDeps): Engines {
  const building = new AsyncDisposableStack();
  const byId = new Map<EngineId, Engine>();
  for (const option of options) {
    const { id, timeout, change_timeout } = option.document;
    if (byId.has(id)) throw new ReeveError('CONFIG_INVALID', `two engines are called ${id}`);
    const ask = building.use(boundedFetch(deps.clock));
    const look = building.use(createTransport(`${id}/look`, { timeoutMs: timeout }, deps.clock));
    const change = building.use(createTransport(`${id}/change`, { timeoutMs: change_timeout }, deps.clock));
    const { clock, secret, readProcess } = deps;
    byId.set(id, adapterOf(option, { clock, ask, look, change: createChangeGateway(change), secret, readProcess }));
  }
  return { byId, [Symbol.asyncDispose]: () => building.disposeAsync() };
}

type Factories = {
  readonly [Kind in EngineKind]: (setup: {
    readonly document: Extract<EngineDocument, { kind: Kind }>;
    readonly channels: readonly ChannelName[];
    readonly parts: EngineParts;
  }) => Engine;
};

/** A kind without an adapter does not compile. */
const FACTORIES: Factories = {
  supervisor: (setup) => new SupervisorEngine(setup),
  http: (setup) => new HttpEngine(setup),
  command: (setup) => new CommandEngine(setup),
  exstreamtv: (setup) => new ExstreamtvEngine(setup),
  systemd: (setup) => new SystemdEngine(setup),
  docker: (setup) => new DockerEngine(setup),
};

function adapterOf({ document, channels }: EngineOptions, parts: EngineParts): Engine {
  const create = FACTORIES[document.kind] as (setup: EngineOptions & { readonly parts: EngineParts }) => Engine;
  return create({ document, channels, parts });
}
