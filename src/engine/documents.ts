/** Every kind of engine that a configuration may name. */
import { z } from 'zod';
import { commandEngineDocument } from './command/schema.ts';
import { exstreamtvDocument } from './exstreamtv/schema.ts';
import { httpEngineDocument } from './http/schema.ts';
import { supervisorDocument } from './supervisor/schema.ts';

/** One entry of `engines:` in the configuration. Durations are milliseconds once it is read. */
export const engineDocument = z.discriminatedUnion('kind', [
  supervisorDocument,
  httpEngineDocument,
  commandEngineDocument,
  exstreamtvDocument,
]);
export type EngineDocument = Readonly<z.output<typeof engineDocument>>;
export type EngineKind = EngineDocument['kind'];
