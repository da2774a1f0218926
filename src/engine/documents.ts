/** Every kind of engine that a configuration may name. */
import { z } from 'zod';
import { unreachable } from '../core/errors.ts';
import { commandEngineDocument } from './command/schema.ts';
import { containerNameOf } from './docker/container.ts';
import { dockerDocument } from './docker/schema.ts';
import { exstreamtvDocument } from './exstreamtv/schema.ts';
import { httpEngineDocument } from './http/schema.ts';
import { commandNameOf, exstreamtvNameOf, httpNameOf, supervisorNameOf } from './names.ts';
import { supervisorDocument } from './supervisor/schema.ts';
import { systemdDocument } from './systemd/schema.ts';
import { unitNameOf } from './systemd/unit.ts';

/** One entry of `engines:` in the configuration. Durations are milliseconds once it is read. */
export const engineDocument = z.discriminatedUnion('kind', [
  supervisorDocument,
  httpEngineDocument,
  commandEngineDocument,
  exstreamtvDocument,
  systemdDocument,
  dockerDocument,
]);
export type EngineDocument = Readonly<z.output<typeof engineDocument>>;
export type EngineKind = EngineDocument['kind'];

/** Which service an engine works: two engines on one would each restart its channels within limits of their own. */
export interface EngineAddress {
  /** The key under which it is written. */
  readonly key: 'url' | 'socket' | 'manager';
  readonly written: string;
}

/** Undefined: the programs of the operator decide. */
export function addressOf(document: EngineDocument): EngineAddress | undefined {
  switch (document.kind) {
    case 'supervisor': {
      const { socket, url = '' } = document;
      return socket === undefined ? { key: 'url', written: url } : { key: 'socket', written: socket };
    }
    case 'http':
    case 'exstreamtv':
      return { key: 'url', written: document.url };
    case 'systemd':
      return { key: 'manager', written: document.manager };
    case 'docker':
      return { key: 'socket', written: document.socket };
    case 'command':
      return undefined;
    default:
      return unreachable(document);
  }
}

/** Checks the name of a channel, as an engine of that kind does. Each throws CONFIG_INVALID with what is wrong. */
export const NAME_RULES: Readonly<Record<EngineKind, (name: string) => string>> = {
  supervisor: supervisorNameOf,
  http: httpNameOf,
  command: commandNameOf,
  exstreamtv: exstreamtvNameOf,
  systemd: unitNameOf,
  docker: containerNameOf,
};

const KINDS: Readonly<Record<EngineKind, true>> = {
  supervisor: true,
  http: true,
  command: true,
  exstreamtv: true,
  systemd: true,
  docker: true,
};

export const ENGINE_KINDS = Object.keys(KINDS) as readonly EngineKind[];
