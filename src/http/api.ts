import type { Context, Hono } from 'hono';
import { z } from 'zod';
import type { Clock } from '../core/clock.ts';
import { toWire } from '../core/wire.ts';
import type { TOKEN_SCOPES } from './auth.ts';
import type { CommandName, Daemon } from './daemon.ts';
import { createEvents } from './events.ts';
import { openApi } from './openapi.ts';
import { type HttpEnv, needs, wire } from './server.ts';

const LIST_MAX = 1_000;
const LIST_DEFAULT = 100;

/** One route that changes something: its path, its command, the scope it needs and the fields of its body. */
export interface CommandRoute {
  readonly path: string;
  readonly command: CommandName;
  readonly scope: (typeof TOKEN_SCOPES)[number];
  readonly body: z.ZodObject;
}

const because = z.string().trim().min(1, 'a reason is required').max(400);
const scopeText = z.string().min(1).max(200);
const id = z.string().min(1).max(100);
const forMs = z
  .number()
  .int()
  .positive()
  .max(30 * 86_400_000);

export const COMMAND_ROUTES: readonly CommandRoute[] = [
  { path: '/api/v1/freeze', command: 'freeze', scope: 'operate', body: z.strictObject({ because }) },
  { path: '/api/v1/thaw', command: 'thaw', scope: 'operate', body: z.strictObject({ because }) },
  {
    path: '/api/v1/leases',
    command: 'lease',
    scope: 'operate',
    body: z.strictObject({ scope: scopeText, for_ms: forMs.default(900_000), because }),
  },
  {
    path: '/api/v1/leases/end',
    command: 'unlease',
    scope: 'operate',
    body: z.strictObject({ scope: scopeText, because }),
  },
  { path: '/api/v1/reset', command: 'reset', scope: 'operate', body: z.strictObject({ scope: scopeText, because }) },
  {
    path: '/api/v1/release',
    command: 'release',
    scope: 'operate',
    body: z.strictObject({ scope: scopeText, because }),
  },
  {
    path: '/api/v1/phase',
    command: 'phase',
    scope: 'admin',
    body: z.strictObject({ phase: z.int().min(0).max(4), group: id.optional(), because }),
  },
  {
    path: '/api/v1/maintenance',
    command: 'window_add',
    scope: 'operate',
    body: z.strictObject({
      scope: scopeText,
      for_ms: forMs,
      starts_in_ms: z.number().int().min(0).default(0),
      because,
    }),
  },
  { path: '/api/v1/maintenance/end', command: 'window_end', scope: 'operate', body: z.strictObject({ id, because }) },
  {
    path: '/api/v1/ack',
    command: 'ack',
    scope: 'ack',
    body: z.strictObject({ key: id, because: because.default('seen') }),
  },
  { path: '/api/v1/reload', command: 'reload', scope: 'operate', body: z.strictObject({}) },
  { path: '/api/v1/page/test', command: 'page_test', scope: 'operate', body: z.strictObject({}) },
];

const approvalBody = z.strictObject({ yes: z.boolean(), because: because.default('answered') });

/** Everything below /api/v1; the bearer token was asked for before. */
export function addApi(app: Hono<HttpEnv>, deps: { daemon: Daemon; clock: Clock }): void {
  addReads(app, deps.daemon);
  addCommands(app, deps.daemon);
  const events = createEvents(deps);
  app.get('/api/v1/events', (c) => events(c, c.var.grant.name));
  app.get('/api/v1/openapi.json', (c) => c.json(openApi(COMMAND_ROUTES) as never));
}

function addReads(app: Hono<HttpEnv>, daemon: Daemon): void {
  const limit = (c: Context): number => clamp(Number(c.req.query('limit') ?? LIST_DEFAULT), LIST_MAX);
  app.get('/api/v1/status', (c) => wire(c, daemon.status()));
  app.get('/api/v1/channels', (c) => wire(c, { channels: daemon.channels() }));
  app.get('/api/v1/incidents', (c) =>
    wire(c, { incidents: daemon.incidents({ channel: c.req.query('channel'), limit: limit(c) }) }),
  );
  app.get('/api/v1/incidents/:id', (c) => wire(c, daemon.incident(c.req.param('id')), 'incident'));
  app.get('/api/v1/incidents/:id/export', (c) => wire(c, daemon.exportIncident(c.req.param('id')), 'incident'));
  app.get('/api/v1/approvals', (c) => wire(c, { approvals: daemon.approvals() }));
  app.get('/api/v1/personas', (c) => wire(c, { personas: daemon.personas() }));
  app.get('/api/v1/rules', (c) => wire(c, { rules: daemon.rules() }));
  app.get('/api/v1/stats', (c) => wire(c, daemon.stats()));
  app.get('/api/v1/blind_spots', (c) => wire(c, { blindSpots: daemon.blindSpots() }));
  app.get('/api/v1/why/:channel', (c) => wire(c, daemon.why(c.req.param('channel')), 'channel'));
  app.get('/api/v1/why-not/:channel/:tool', (c) =>
    wire(c, daemon.whyNot(c.req.param('channel'), c.req.param('tool')), 'channel or tool'),
  );
  app.get('/api/v1/journal', (c) =>
    wire(c, { entries: daemon.journal({ since: Number(c.req.query('since') ?? 0) || 0, limit: limit(c) }) }),
  );
}

function addCommands(app: Hono<HttpEnv>, daemon: Daemon): void {
  for (const route of COMMAND_ROUTES) {
    app.post(route.path, (c) => needs(c, route.scope) ?? obey(c, daemon, { ...route, extra: {} }));
  }
  app.post('/api/v1/approvals/:id', (c) => {
    const route = { command: 'approve' as const, body: approvalBody, extra: { id: c.req.param('id') } };
    return needs(c, 'ack') ?? obey(c, daemon, route);
  });
}

interface Obeyed {
  readonly command: CommandName;
  readonly body: z.ZodObject;
  readonly extra: Readonly<Record<string, unknown>>;
}

const JSON_TYPE = 'application/json';

/** What stands in the body; a refusal where that is no JSON. No body at all is the empty order. */
async function bodyOf(c: Context<HttpEnv>): Promise<{ readonly value: unknown } | Response> {
  const text = await c.req.text();
  if (text === '') return { value: {} };
  const type = (c.req.header('content-type') ?? '').split(';')[0]!.trim().toLowerCase();
  if (type !== JSON_TYPE) {
    const message = `a body of the type ${JSON_TYPE} was expected, got ${JSON.stringify(type)}`;
    return c.json({ error: 'unsupported', message }, 415);
  }
  try {
    return { value: JSON.parse(text) };
  } catch {
    return c.json({ error: 'invalid', message: 'the body is no JSON' }, 400);
  }
}

/** Refuses a wrong body whole, with every problem; else carries the command out and tells what came of it. */
async function obey(c: Context<HttpEnv>, daemon: Daemon, route: Obeyed): Promise<Response> {
  const body = await bodyOf(c);
  if (body instanceof Response) return body;
  const parsed = route.body.safeParse(body.value);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message }));
    return c.json({ error: 'invalid', problems }, 400);
  }
  const fields: Record<string, unknown> = { ...parsed.data, ...route.extra };
  const answer = await daemon.command({
    name: route.command,
    who: c.var.grant.name,
    because: typeof fields.because === 'string' ? fields.because : '',
    fields,
  });
  return c.json(toWire(answer) as never, answer.ok ? 200 : 409);
}

const clamp = (value: number, max: number): number =>
  Number.isFinite(value) && value >= 1 ? Math.min(Math.floor(value), max) : LIST_DEFAULT;
