// What the API lets people change: each route with its command, its scope and the fields of its body.
import type { Context } from 'hono';
import { z } from 'zod';
import { TOKEN_SCOPES, type TokenScope } from '../core/access.ts';
import { DAY_MS } from '../core/duration.ts';
import { RULE_STATES } from '../core/rule.ts';
import { PATTERN_STATES } from '../core/journal.ts';
import { SYMPTOMS } from '../core/symptom.ts';
import { toWire } from '../core/wire.ts';
import type { CommandName, Daemon } from './daemon.ts';
import type { DescribedRoutes } from './openapi.ts';
import type { HttpEnv } from './request.ts';

/** One route that changes something: its path, its command, the scope it needs and the fields of its body. */
export interface CommandRoute {
  readonly path: string;
  readonly command: CommandName;
  readonly scope: TokenScope;
  readonly body: z.ZodObject;
}

const because = z.string().trim().min(1, 'a reason is required').max(400);
const scopeText = z.string().min(1).max(200);
const id = z.string().min(1).max(100);
/** How long each may last the commands say themselves, in words for people. */
const forMs = z
  .number()
  .int()
  .positive()
  .max(366 * DAY_MS);

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
      rolling: z.boolean().default(false),
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
  {
    path: '/api/v1/tokens',
    command: 'token_add',
    scope: 'admin',
    body: z.strictObject({
      name: z.string().min(1).max(40),
      scopes: z.array(z.enum(TOKEN_SCOPES)).min(1).max(TOKEN_SCOPES.length),
      for_ms: z
        .number()
        .int()
        .positive()
        .max(400 * DAY_MS)
        .default(90 * DAY_MS),
      because,
    }),
  },
  {
    path: '/api/v1/tokens/revoke',
    command: 'token_revoke',
    scope: 'admin',
    body: z.strictObject({ name: z.string().min(1).max(40), because }),
  },
  {
    path: '/api/v1/rules/state',
    command: 'rule_state',
    scope: 'operate',
    body: z.strictObject({ rule: id, to: z.enum(RULE_STATES).exclude(['proposed']), because }),
  },
  {
    path: '/api/v1/teach',
    command: 'teach',
    scope: 'operate',
    body: z.strictObject({
      incident: id,
      symptom: z.enum(SYMPTOMS).exclude(['unknown']),
      lines: z.array(z.int().min(1).max(100)).min(1).max(12).default([1]),
      write: z.boolean().default(false),
    }),
  },
  {
    path: '/api/v1/patterns/state',
    command: 'pattern_state',
    scope: 'operate',
    body: z.strictObject({ pattern: id, to: z.enum(PATTERN_STATES).exclude(['proposed']), because }),
  },
  { path: '/api/v1/reload', command: 'reload', scope: 'operate', body: z.strictObject({}) },
  { path: '/api/v1/reflect', command: 'reflect', scope: 'operate', body: z.strictObject({}) },
  {
    path: '/api/v1/ask/proposals',
    command: 'propose',
    scope: 'operate',
    body: z.strictObject({ channel: id, tool: id, because: because.default('asked for in words') }),
  },
  {
    path: '/api/v1/ask/turns',
    command: 'ask_begin',
    scope: 'ack',
    body: z.strictObject({ question: z.string().min(1).max(4_000), session: id.optional() }),
  },
  {
    path: '/api/v1/ask/turns/end',
    command: 'ask_end',
    scope: 'ack',
    body: z.strictObject({
      ...{ turn: id, text: z.string().max(20_000), cites: z.array(id).max(100), ok: z.boolean() },
      ...{ model: z.string().max(200).optional(), session: id.optional() },
      evicted: z
        .array(z.strictObject({ turn: id, question: z.string().max(4_000), answer: z.string().max(20_000) }))
        .max(8)
        .default([]),
    }),
  },
  { path: '/api/v1/page/test', command: 'page_test', scope: 'operate', body: z.strictObject({}) },
];

const approvalBody = z.strictObject({ yes: z.boolean(), because: because.default('answered') });

/** One route for each command, and one for answers. Each asks for its own scope. */
export function addCommands(routes: DescribedRoutes, daemon: Daemon): void {
  for (const { path, command, scope, body } of COMMAND_ROUTES) {
    const text = { summary: command, scope, body, answers: OBEYED };
    routes.post(path, text, (c) => obey(c, daemon, { command, body, extra: {} }));
  }
  const text = { summary: 'Answers a question', scope: 'approve', body: approvalBody, answers: OBEYED } as const;
  routes.post('/api/v1/approvals/{id}', text, (c) =>
    obey(c, daemon, { command: 'approve', body: approvalBody, extra: { id: c.req.param('id') } }),
  );
}

const OBEYED = {
  200: 'done',
  400: 'the body is not sound',
  409: 'not possible now; the body says why',
  503: 'the journal takes nothing, so it was not done',
} as const;

interface Obeyed {
  readonly command: CommandName;
  readonly body: z.ZodObject;
  readonly extra: Readonly<Record<string, unknown>>;
}

const JSON_TYPE = 'application/json';

/** What stands in the body; a refusal where that is no JSON. No body at all is the empty order. */
export async function bodyOf(c: Context<HttpEnv>): Promise<{ readonly value: unknown } | Response> {
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

/** Refuses a wrong body whole, with every problem; else carries the command out and reports the result. */
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
