// Routes that describe themselves: what serves a request and what the OpenAPI document says of it is one entry.
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import type { TokenScope } from '../core/access.ts';
import { type HttpEnv, needs } from './request.ts';

/** What a route says of itself. */
export interface RouteText<Name extends string = string> {
  readonly summary: string;
  /** Asked before the handler. Default `read`. */
  readonly scope?: TokenScope;
  /** Every parameter of the query, and what it does: a handler gets these and no others. */
  readonly query?: Readonly<Record<Name, string>>;
  readonly body?: z.ZodType;
  /** What the statuses mean, besides those that every route has. Default: 200 is done. */
  readonly answers?: Readonly<Record<number, string>>;
}

type Query<Name extends string> = Readonly<Record<Name, string | undefined>>;
type Handler<Name extends string> = (c: Context<HttpEnv>, query: Query<Name>) => Response | Promise<Response>;

interface Entry extends RouteText {
  readonly method: 'get' | 'post';
  readonly path: string;
}

const DONE = { 200: 'done' } as const;
const REFUSED = { 401: 'no token, or none that is known', 403: 'the token has not the scope' } as const;

/** Adds routes to the application and keeps what each says of itself. Paths as OpenAPI writes them: `/a/{id}`. */
export class DescribedRoutes {
  readonly #app: Hono<HttpEnv>;
  readonly #entries: Entry[] = [];

  constructor(app: Hono<HttpEnv>) {
    this.#app = app;
  }

  get<Name extends string = never>(path: string, text: RouteText<Name>, handler: Handler<Name>): void {
    this.#add({ method: 'get', path, ...text }, handler as Handler<string>);
  }

  post(path: string, text: RouteText, handler: (c: Context<HttpEnv>) => Response | Promise<Response>): void {
    this.#add({ method: 'post', path, ...text }, handler);
  }

  /** A route that asks for its token itself, before a body is read. */
  note(method: 'get' | 'post', path: string, text: RouteText): void {
    this.#entries.push({ method, path, ...text });
  }

  /** The OpenAPI 3.1 document of everything that was added. */
  document(): unknown {
    const paths: Record<string, Record<string, unknown>> = {};
    for (const entry of this.#entries) paths[entry.path] = { ...paths[entry.path], [entry.method]: operationOf(entry) };
    return {
      openapi: '3.1.0',
      servers: [{ url: '/' }],
      components: {
        securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
        schemas: { Refusal: z.toJSONSchema(refusalDocument) },
      },
      security: [{ bearer: [] }],
      info: { title: 'Reeve', version: '1' },
      paths,
    };
  }

  #add(entry: Entry, handler: Handler<string>): void {
    this.#entries.push(entry);
    const { scope = 'read' } = entry;
    const names = Object.keys(entry.query ?? {});
    this.#app[entry.method](entry.path.replace(/\{(\w+)\}/g, ':$1'), (c) => {
      const query = Object.fromEntries(names.map((name) => [name, c.req.query(name)]));
      return needs(c, scope) ?? handler(c, query);
    });
  }
}

/** How every refusal looks. */
const refusalDocument = z.object({
  error: z.string().describe('One word for programs: unauthorized, forbidden, invalid, not_found, busy …'),
  message: z.string().optional().describe('For people: what was expected, and what to do.'),
  problems: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});
const REFUSAL = { 'application/json': { schema: { $ref: '#/components/schemas/Refusal' } } };

function operationOf({ path, summary, scope = 'read', query = {}, body, answers = DONE }: Entry): unknown {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ name, in: 'path', required: true }));
  const inQuery = Object.entries(query).map(([name, description]) => ({ name, in: 'query', description }));
  const described = Object.entries(answers).map(([status, description]) => [status, { description }]);
  const refused = Object.entries(REFUSED).map(([status, description]) => [status, { description, content: REFUSAL }]);
  return {
    summary: `${summary} (scope ${scope})`,
    parameters: [...inPath, ...inQuery].map((parameter) => ({ ...parameter, schema: { type: 'string' } })),
    ...(body && {
      requestBody: { content: { 'application/json': { schema: z.toJSONSchema(body, { io: 'input' }) } } },
    }),
    responses: Object.fromEntries([...described, ...refused]),
  };
}
