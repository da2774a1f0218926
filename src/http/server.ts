import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { secureHeaders } from 'hono/secure-headers';
import type { Clock } from '../core/clock.ts';
import { messageOf, ReeveError } from '../core/errors.ts';
import { toWire } from '../core/wire.ts';
import { addApi } from './api.ts';
import { grantOf, hostsOf, includes, refusalOf, type TokenGrant, type TokenScope } from './auth.ts';
import { loadConsole } from './console.ts';
import type { Daemon } from './daemon.ts';
import { addIntake, type Intake } from './intake.ts';

export interface HttpOptions {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly allowedHosts: readonly string[];
  readonly tokens: readonly TokenGrant[];
  /** A listener of its own for /metrics; undefined: /metrics is served beside the API. */
  readonly metrics: { readonly host: string; readonly port: number } | undefined;
}

export interface HttpServer extends AsyncDisposable {
  readonly url: string;
  readonly metricsUrl: string;
}

/** Variables that the guard middleware sets for the routes. */
export type HttpEnv = { Variables: { grant: TokenGrant } };

const BODY_BYTES_MAX = 64 * 1024;

/** Starts listening; resolves when the port is bound. */
export async function startServer(options: HttpOptions, deps: Omit<RouteDeps, 'hosts'>): Promise<HttpServer> {
  const hosts: { ours: ReadonlySet<string> } = { ours: new Set() };
  const app = createRoutes(options, { ...deps, hosts: () => hosts.ours });
  const main = await listen(app, options);
  hosts.ours = hostsOf(main.address, options.allowedHosts);
  const scraped: { ours: ReadonlySet<string> } = { ours: new Set() };
  const metrics = options.metrics
    ? await listen(metricsOnly({ ...deps, hosts: () => scraped.ours }), options.metrics)
    : undefined;
  if (metrics !== undefined) scraped.ours = hostsOf(metrics.address, options.allowedHosts);
  return {
    url: urlOf(main.address),
    metricsUrl: `${urlOf((metrics ?? main).address)}/metrics`,
    async [Symbol.asyncDispose]() {
      await Promise.all([close(main.server), metrics && close(metrics.server)]);
    },
  };
}

interface RouteDeps {
  readonly daemon: Daemon;
  readonly clock: Clock;
  readonly onError: (text: string) => void;
  readonly hosts: () => ReadonlySet<string>;
  /** Takes what log senders push; undefined: nothing is taken. */
  readonly intake?: Intake | undefined;
}

export function createRoutes(options: HttpOptions, deps: RouteDeps): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  app.use(secureHeaders({ contentSecurityPolicy: { defaultSrc: ["'self'"], frameAncestors: ["'none'"] } }));
  app.use(ownOnly(deps.hosts));
  const grant = (authorization: string | undefined) => grantOf(options.tokens, authorization);
  if (deps.intake !== undefined) addIntake(app, { intake: deps.intake, grantOf: grant });
  app.use(bodyLimit({ maxSize: BODY_BYTES_MAX, onError: (c) => c.json({ error: 'too_large' }, 413) }));
  addOpenRoutes(app, deps.daemon, options.metrics === undefined);
  app.use('/api/*', async (c, next) => {
    const held = grant(c.req.header('authorization'));
    if (held === undefined) {
      const message =
        'a bearer token is needed: Authorization: Bearer <token> (see the token file in the state directory)';
      return c.json({ error: 'unauthorized', message }, 401, { 'WWW-Authenticate': 'Bearer' });
    }
    c.set('grant', held);
    return needs(c, 'read') ?? next();
  });
  addApi(app, deps);
  app.notFound((c) => c.json({ error: 'not_found', message: `there is nothing at ${c.req.path}` }, 404));
  app.onError((error, c) => {
    deps.onError(`${c.req.method} ${c.req.path}: ${messageOf(error)}`);
    return c.json({ error: 'internal', message: 'Reeve failed to answer; its log says why' }, 500);
  });
  return app;
}

/** Routes that tell nothing about channels: liveness, readiness, metrics and the empty page. */
function addOpenRoutes(app: Hono<HttpEnv>, daemon: Daemon, withMetrics: boolean): void {
  const { page, script, style } = loadConsole();
  app.get('/', (c) => c.html(page));
  app.get('/console.js', (c) => c.body(script, 200, { 'Content-Type': 'text/javascript; charset=utf-8' }));
  app.get('/console.css', (c) => c.body(style, 200, { 'Content-Type': 'text/css; charset=utf-8' }));
  app.get('/favicon.ico', (c) => c.body(null, 204));
  app.get('/healthz', (c) => c.json({ ok: true }));
  app.get('/readyz', (c) => {
    const readiness = daemon.readiness();
    return c.json(readiness, readiness.ready ? 200 : 503);
  });
  if (withMetrics) app.get('/metrics', (c) => exposition(c, daemon));
}

/** Asked first on every request of every listener, loopback included. */
const ownOnly =
  (hosts: RouteDeps['hosts']): MiddlewareHandler =>
  async (c, next) => {
    const refusal = refusalOf(originOf(c), hosts());
    return refusal === undefined ? next() : c.json({ error: 'forbidden', message: refusal }, 403);
  };

function metricsOnly(deps: Pick<RouteDeps, 'daemon' | 'hosts'>): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  app.use(ownOnly(deps.hosts));
  app.get('/metrics', (c) => exposition(c, deps.daemon));
  return app;
}

async function exposition(c: Context, daemon: Daemon) {
  const openMetrics = (c.req.header('accept') ?? '').includes('application/openmetrics-text');
  const { contentType, text } = await daemon.metrics(openMetrics);
  return c.body(text, 200, { 'Content-Type': contentType });
}

/** Answers in wire form, or 404 where there is no such thing. */
export const wire = (c: Context, value: unknown, what = 'thing') =>
  value === undefined
    ? c.json({ error: 'not_found', message: `there is no such ${what}` }, 404)
    : c.json(toWire(value) as never);

/** Undefined when the request's token has the scope; else the refusal to send. */
export function needs(c: Context<HttpEnv>, scope: TokenScope): Response | undefined {
  const { grant } = c.var;
  if (includes(grant.scope, scope)) return undefined;
  const message = `this needs a token with the scope ${scope}; ${grant.name} has ${grant.scope}`;
  return c.json({ error: 'forbidden', message }, 403);
}

const originOf = (c: Context) => ({
  method: c.req.method,
  host: c.req.header('host'),
  origin: c.req.header('origin'),
  fetchSite: c.req.header('sec-fetch-site'),
});

interface Listening {
  readonly server: Server;
  readonly address: { readonly host: string; readonly port: number };
}

function listen(app: Hono<HttpEnv>, { host, port }: { host: string; port: number }): Promise<Listening> {
  return new Promise((resolve, reject) => {
    const bound = (address: AddressInfo) => resolve({ server, address: { host, port: address.port } });
    const server = serve({ fetch: app.fetch, hostname: host, port }, bound) as Server;
    server.once('error', (cause) => reject(cannotListen({ host, port }, cause)));
  });
}

const cannotListen = ({ host, port }: { host: string; port: number }, cause: unknown): ReeveError =>
  new ReeveError('PORT_UNAVAILABLE', `cannot listen on ${host}:${port}: ${messageOf(cause)}`, {
    cause,
    hint: 'Does something else listen there, or another Reeve? Choose another address under http: listen.',
  });

const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

const urlOf = ({ host, port }: { host: string; port: number }): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
