/** How an engine with an HTTP API that the operator describes is written in the configuration. */
import { z } from 'zod';
import {
  clearOnlyOnLoopback,
  CLEAR_SECRET,
  common,
  credentialsEvery,
  httpUrl,
  password,
  text,
  token,
} from '../document_fields.ts';
import { isVerifiable, path, pointer, reading, route, UNVERIFIABLE } from '../described_fields.ts';

const httpRoute = z.strictObject(route);
const look = z.strictObject({ ...route, method: route.method.default('GET') });

export const httpEngineDocument = z
  .strictObject({
    ...common,
    kind: z.literal('http'),
    url: httpUrl.describe('Its base address, such as http://127.0.0.1:9000.'),
    username: text.optional(),
    ...password,
    ...token,
    headers: z
      .array(z.strictObject({ name: z.string().regex(/^[A-Za-z0-9-]+$/), value: text }))
      .max(32)
      .default([]),
    list: z.strictObject({ path, ...reading }),
    channel: z
      .strictObject({
        path: path.regex(/\{channel\}/, 'expected a path with {channel}, such as /api/channels/{channel}'),
        item: pointer.default('').describe('Where what the list has as an item stands in this answer.'),
      })
      .optional()
      .describe('One channel alone: looked at at once on a hint, where the list takes long.'),
    health: look.optional(),
    pool: z.strictObject({ path, active: pointer, max: pointer }).optional(),
    recent_logs: z.strictObject({ path, at: pointer.optional() }).optional(),
    restart: httpRoute.optional(),
    refresh: httpRoute.optional(),
    credentials: look.optional().describe('Succeeds exactly when the credentials of the engine work.'),
    rebuild: z.strictObject({ ...route, items_added: pointer }).optional(),
    playout: look.optional().describe('Succeeds exactly when the channel has something to play.'),
    cache: httpRoute.optional(),
    cache_entries: z.strictObject({ path, at: pointer }).optional(),
    credentials_every: credentialsEvery,
  })
  .refine(isVerifiable, UNVERIFIABLE)
  .refine(clearOnlyOnLoopback, CLEAR_SECRET);

export type HttpEngineDocument = Readonly<z.output<typeof httpEngineDocument>>;
