import { z } from 'zod';
import type { CommandRoute } from './commands.ts';

const READS: readonly (readonly [path: string, summary: string])[] = [
  ['/api/v1/status', 'Channels, containment, breakers, open incidents, phase, last delivery'],
  ['/api/v1/channels', 'Every channel with its health'],
  ['/api/v1/incidents', 'Incidents, newest first (?channel=, ?limit=)'],
  ['/api/v1/incidents/{id}', 'The whole story of one incident'],
  ['/api/v1/incidents/{id}/export', 'One incident as a document that reeve backtest --incident replays'],
  ['/api/v1/approvals', 'Questions that wait for a person'],
  ['/api/v1/tokens', 'Named tokens: what each may do, until when, who handed it out (scope admin)'],
  ['/api/v1/personas', 'Personas that are loaded'],
  ['/api/v1/rules', 'Rules that are loaded'],
  ['/api/v1/stats', 'Counts since the journal began'],
  ['/api/v1/blind_spots', 'Recurring lines that no pattern recognises'],
  ['/api/v1/patterns', 'Patterns that were proposed, and what became of them'],
  ['/api/v1/why/{channel}', 'The last decision with every question'],
  ['/api/v1/why-not/{channel}/{tool}', 'What would be answered now, and the smallest change that would flip it'],
  ['/api/v1/insights', 'What was learned, by state, strength and time (?state=, ?concept=, ?limit=, ?offset=)'],
  ['/api/v1/memory', 'Nodes of the memory, newest first (?type=, ?since=, ?until=, ?before=, ?limit=)'],
  ['/api/v1/memory/stat', 'How many nodes, edges and insights there are'],
  ['/api/v1/memory/probe', 'What would be recalled for a question (?question=)'],
  ['/api/v1/memory/nodes/{id}', 'One node and the steps from it (?limit=, ?offset=)'],
  ['/api/v1/memory/trees/{id}', 'The whole process that a node belongs to'],
  ['/api/v1/journal', 'Journal entries (?since=, ?limit=)'],
  ['/api/v1/events', 'Journal entries as server-sent events (Last-Event-ID or ?since=)'],
];

const INTAKE: readonly (readonly [path: string, summary: string])[] = [
  ['/loki/api/v1/push', 'Lines as Loki takes them, JSON or snappy-compressed protobuf (scope ingest)'],
  ['/v1/logs', 'Lines as OTLP/HTTP JSON (scope ingest)'],
  ['/api/v1/logs', 'Lines as NDJSON: {"line", "channel"?, "source"?, "at"?} (scope ingest)'],
  ['/api/v1/alerts', "Alertmanager's webhook (scope ingest)"],
];

const parametersOf = (path: string) =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));

/** The OpenAPI 3.1 document of this API, from the same tables that serve it. */
export function openApi(commands: readonly CommandRoute[]): unknown {
  const reads = READS.map(([path, summary]) => [
    path,
    { get: { summary, parameters: parametersOf(path), responses: { 200: { description: 'JSON' } } } },
  ]);
  const intake = INTAKE.map(([path, summary]) => [
    path,
    {
      post: { summary, responses: { 200: { description: 'taken' }, 429: { description: 'come again (Retry-After)' } } },
    },
  ]);
  const approval = {
    post: {
      summary: 'Answers a question',
      parameters: parametersOf('/{id}'),
      responses: { 200: { description: 'done' }, 409: { description: 'not possible now; the body says why' } },
    },
  };
  const writes = commands.map(({ path, command, scope, body }) => [
    path,
    {
      post: {
        summary: `${command} (scope ${scope})`,
        requestBody: { content: { 'application/json': { schema: z.toJSONSchema(body, { io: 'input' }) } } },
        responses: { 200: { description: 'done' }, 409: { description: 'not possible now; the body says why' } },
      },
    },
  ]);
  return {
    openapi: '3.1.0',
    servers: [{ url: '/' }],
    components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
    security: [{ bearer: [] }],
    info: { title: 'Reeve', version: '1' },
    paths: Object.fromEntries([...reads, ...writes, ...intake, ['/api/v1/approvals/{id}', approval]]),
  };
}
