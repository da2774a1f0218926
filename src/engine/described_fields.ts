/** Keys by which an operator describes an engine of his own: where a fact stands in an answer, how a change is made. */
import { z } from 'zod';
import { text } from './document_fields.ts';

/** `/stats/active`: where a value stands in a JSON answer (RFC 6901). Empty: the whole answer. */
export const pointer = z.string().regex(/^(\/[^/]*)*$/, 'expected a JSON pointer such as /stats/active');

const STATE_NAMES = ['running', 'starting', 'backoff', 'stopping', 'stopped', 'exited', 'fatal'] as const;

/** Where the facts about one channel stand, in an item of the engine's list. */
export const fields = z.strictObject({
  name: pointer.describe("The channel's name."),
  state: pointer.optional(),
  pid: pointer.optional(),
  generation: pointer.optional().describe('Anything that changes exactly when a new process of the channel starts.'),
  uptime_seconds: pointer.optional(),
  exit_code: pointer.optional(),
  viewers: pointer.optional(),
});

export const states = z
  .array(z.strictObject({ says: z.union([z.string(), z.number(), z.boolean()]), means: z.enum(STATE_NAMES) }))
  .max(64)
  .default([])
  .describe('What the engine calls its states. What is not listed is unknown, never healthy.');

export const reading = {
  items: pointer
    .default('')
    .describe('The list of channels in the answer. Of a mapping each entry is an item { key, value }.'),
  fields,
  states,
};

export const proof = z.strictObject({
  at: pointer,
  equals: z.union([z.string(), z.number(), z.boolean(), z.null()]),
});

export const path = z
  .string()
  .regex(/^\/[^\s#]*$/, 'expected a path such as /api/channels/{channel}/restart')
  .max(2_048);

export const route = {
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']).default('POST'),
  path,
  body: z.string().max(8_192).optional().describe('Sent as written; {channel} becomes the name of the channel.'),
  content_type: text.default('application/json'),
  statuses: z.array(z.int().min(200).max(299)).min(1).max(16).default([200, 201, 202, 204]),
  proof: proof.optional().describe('What must stand in the answer. A status alone proves little.'),
};

/** Nothing is changed whose effect cannot be looked at afterwards. */
export const isVerifiable = (has: Readonly<Record<string, unknown>>): boolean =>
  (has.refresh === undefined || has.credentials !== undefined) &&
  (has.rebuild === undefined || has.playout !== undefined) &&
  (has.cache === undefined || has.cache_entries !== undefined);

export const UNVERIFIABLE =
  'refresh needs credentials, rebuild needs playout and cache needs cache_entries: the look that proves it';
