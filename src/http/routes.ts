// One application for all routes, and the order in which a request is asked who it is.
import { Hono, type Context, type MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { secureHeaders } from 'hono/secure-headers';
import type { Clock } from '../core/clock.ts';
import { messageOf, ReeveError } from '../core/errors.ts';
import { addApi } from './api.ts';
import { grantOf, type TokenGrant } from './auth/grants.ts';
import { refusalOf } from './auth/origin.ts';
import { type Refusals, sourceOf } from './auth/refusals.ts';
import { Sessions } from './auth/sessions.ts';
import { loadConsole } from './console.ts';
import { sessionKeysOf } from './console_sessions.ts';
import type { Daemon } from './daemon.ts';
import { healthWire, PROMPT_PATHS } from './hints.ts';
import { addIntake, type Intake } from './intake.ts';
import type { PeerOf } from './peers.ts';
import { type HttpEnv, needs, refuse } from './request.ts';

const BODY_BYTES_MAX = 64 * 1024;

export interface RouteDeps {
  readonly daemon: Daemon;
  readonly clock: Clock;
  readonly onError: (text: string) => void;
  /** The Host values that mean this listener. */
  readonly hosts: () => ReadonlySet<string>;
  /** Every token that is good now. */
  readonly grants: () => readonly TokenGrant[];
  readonly refusals: Refusals;
  readonly peerOf: PeerOf;
  /** /metrics wants a token with the scope metrics. */
  readonly metricsNeedToken: boolean;
  /** Takes what log senders push; undefined: nothing is taken. */
  readonly intake?: Intake | undefined;
  /** Called for each request that came with a good token. */
  readonly onUse?: ((grant: TokenGrant) => void) | undefined;
}

/** `withMetrics`: /metrics is served here too, because it has no listener of its own. */
export function createRoutes(deps: RouteDeps, withMetrics: boolean): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  addAccessChecks(app, deps);
  const bearer = (authorization: string | undefined): TokenGrant | undefined => {
    const grant = grantOf(deps.grants(), authorization);
    if (grant !== undefined) deps.onUse?.(grant);
    return grant;
  };
  const sessions = new Sessions(deps.clock);
  const isSecure = (c: Context<HttpEnv>): boolean => deps.peerOf(c.env?.incoming).secure;
  const inSession = (c: Context<HttpEnv>): TokenGrant | undefined =>
    sessions.grantOf(sessionKeysOf(c, { isSecure }), deps.grants());
  if (deps.intake !== undefined) addIntake(app, { intake: deps.intake, grantOf: bearer });
  app.use(bodyLimit({ maxSize: BODY_BYTES_MAX, onError: (c) => c.json({ error: 'too_large' }, 413) }));
  addOpenRoutes(app);
  addHealth(app, deps, bearer);
  if (withMetrics) addMetrics(app, deps);
  const known: MiddlewareHandler<HttpEnv> = async (c, next) => {
    const authorization = keyOf(c);
    const held = authorization === undefined ? inSession(c) : bearer(authorization);
    if (held === undefined) return refuse(c, authorization === undefined ? 'no_token' : 'unknown_token', WITHOUT);
    c.set('grant', held);
    const isOpen = c.req.path.startsWith(PROMPT_PATHS) || c.req.path.startsWith('/wiki/');
    return (isOpen ? undefined : needs(c, 'read')) ?? next();
  };
  app.use('/api/*', known);
  app.use('/wiki/*', known);
  const isGood = (grant: TokenGrant): boolean => deps.grants().some(({ sha256 }) => sha256 === grant.sha256);
  addApi(app, { ...deps, isGood, sessions, isSecure });
  app.notFound((c) => c.json({ error: 'not_found', message: `there is nothing at ${c.req.path}` }, 404));
  app.onError((error, c) => {
    deps.onError(`${c.req.method} ${c.req.path}: ${messageOf(error)}`);
    const isUnwritten = error instanceof ReeveError && error.code === 'JOURNAL_UNWRITABLE';
    if (isUnwritten) return c.json({ error: 'journal_unwritable', message: unwritten(error) }, 503);
    return c.json({ error: 'internal', message: 'Reeve failed to answer; its log says why' }, 500);
  });
  return app;
}

/** Whoever types `freeze` in an outage has to know that it was not taken, and that nothing is changed all the same. */
const unwritten = ({ message }: ReeveError): string =>
  [
    `not done, because the journal takes nothing: ${message}.`,
    'While that lasts Reeve restarts nothing by itself.',
    'Look at the disk of the state directory (df -h), then ask again.',
  ].join(' ');

/** The header, or the same token as clients of ROSClaw-How send it. */
function keyOf(c: Context): string | undefined {
  const key = c.req.header('x-api-key');
  return c.req.header('authorization') ?? (key === undefined ? undefined : `Bearer ${key}`);
}

const WITHOUT = 'a bearer token is needed: Authorization: Bearer <token> (see the token file in the state directory)';

/** The application of a listener that serves /metrics and nothing else. */
export function createMetricsRoutes(deps: RouteDeps): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>();
  addAccessChecks(app, deps);
  addMetrics(app, deps);
  return app;
}

/** Stands before every route of every listener, loopback included. */
function addAccessChecks(app: Hono<HttpEnv>, { hosts, refusals, peerOf }: RouteDeps): void {
  // What the API says is of the moment and for one reader: no browser and no proxy keeps it.
  app.use(async (c, next) => {
    await next();
    c.header('Cache-Control', 'no-store');
  });
  app.use(
    secureHeaders({
      contentSecurityPolicy: {
        ...{ defaultSrc: ["'self'"], objectSrc: ["'none'"], baseUri: ["'none'"], frameAncestors: ["'none'"] },
      },
      // A year; browsers heed it over TLS only.
      strictTransportSecurity: 'max-age=31536000; includeSubDomains',
    }),
  );
  app.use(async (c, next) => {
    await next();
    const reason = c.var.refused;
    if (reason === undefined) return;
    const { cut } = await refusals.note(sourceOf(peerOf(c.env?.incoming).address), reason);
    if (cut) c.header('Connection', 'close');
  });
  app.use(async (c, next) =>
    peerOf(c.env?.incoming).welcome ? next() : refuse(c, 'foreign', 'requests come by the proxy here'),
  );
  app.use(ownOnly(hosts));
}

const ownOnly =
  (hosts: RouteDeps['hosts']): MiddlewareHandler =>
  async (c, next) => {
    const refusal = refusalOf(originOf(c), hosts());
    return refusal === undefined ? next() : refuse(c, 'foreign', refusal);
  };

const originOf = (c: Context) => ({
  method: c.req.method,
  host: c.req.header('host'),
  origin: c.req.header('origin'),
  fetchSite: c.req.header('sec-fetch-site'),
});

/** Routes that reveal nothing about channels: liveness, readiness and the empty page. */
function addOpenRoutes(app: Hono<HttpEnv>): void {
  const { page, script, style, hintsPage, hintsScript } = loadConsole();
  app.get('/', (c) => c.html(page));
  app.get('/console.js', (c) => c.body(script, 200, { 'Content-Type': 'text/javascript; charset=utf-8' }));
  app.get('/console.css', (c) => c.body(style, 200, { 'Content-Type': 'text/css; charset=utf-8' }));
  app.get('/favicon.ico', (c) => c.body(null, 204));
  app.get('/ui', (c) => c.html(hintsPage));
  app.get('/ui.js', (c) => c.body(hintsScript, 200, { 'Content-Type': 'text/javascript; charset=utf-8' }));
}

type Bearer = (authorization: string | undefined) => TokenGrant | undefined;

/** Liveness for anybody; with a token also the state of the hints, as clients of ROSClaw-How expect it there. */
function addHealth(app: Hono<HttpEnv>, { daemon }: RouteDeps, bearer: Bearer): void {
  app.get('/healthz', async (c) => {
    const key = keyOf(c);
    if (key === undefined) return c.json({ ok: true, status: 'ok' });
    const grant = bearer(key);
    if (grant === undefined) return refuse(c, 'unknown_token', WITHOUT);
    c.set('grant', grant);
    const refused = needs(c, 'read');
    if (refused !== undefined) return refused;
    const hints = await daemon.hints?.().catch(() => undefined);
    return c.json({ ok: true, status: 'ok', ...(hints && healthWire(hints)) });
  });
  app.get('/readyz', (c) => {
    const readiness = daemon.readiness();
    return c.json(readiness, readiness.ready ? 200 : 503);
  });
}

function addMetrics(app: Hono<HttpEnv>, { daemon, grants, metricsNeedToken }: RouteDeps): void {
  app.get('/metrics', (c) => {
    if (!metricsNeedToken) return exposition(c, daemon);
    const authorization = c.req.header('authorization');
    const grant = grantOf(grants(), authorization);
    if (grant === undefined) {
      const message = 'a bearer token with the scope metrics is needed: Authorization: Bearer <token>';
      return refuse(c, authorization === undefined ? 'no_token' : 'unknown_token', message);
    }
    c.set('grant', grant);
    return needs(c, 'metrics') ?? exposition(c, daemon);
  });
}

async function exposition(c: Context, daemon: Daemon) {
  const openMetrics = (c.req.header('accept') ?? '').includes('application/openmetrics-text');
  const { contentType, text } = await daemon.metrics(openMetrics);
  return c.body(text, 200, { 'Content-Type': contentType });
}
