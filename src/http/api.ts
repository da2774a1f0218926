// What the API lets programs and people read.
import type { Context, Hono } from 'hono';
import type { Clock } from '../core/clock.ts';
import { addCommands, COMMAND_ROUTES } from './commands.ts';
import type { Daemon } from './daemon.ts';
import { addMemory } from './memory.ts';
import type { TokenGrant } from './auth/grants.ts';
import { createEvents } from './events.ts';
import { openApi } from './openapi.ts';
import { type HttpEnv, needs, wire } from './request.ts';

const LIST_MAX = 1_000;
const LIST_DEFAULT = 100;

export interface ApiDeps {
  readonly daemon: Daemon;
  readonly clock: Clock;
  /** False once the token is revoked or expired: what it has opened ends. */
  readonly isGood: (grant: TokenGrant) => boolean;
}

/** Everything below /api/v1; the bearer token was asked for before. */
export function addApi(app: Hono<HttpEnv>, deps: ApiDeps): void {
  addReads(app, deps.daemon);
  addMemory(app, deps.daemon);
  addCommands(app, deps.daemon);
  const events = createEvents(deps);
  app.get('/api/v1/events', (c) => {
    const { grant } = c.var;
    return events(c, { name: grant.name, isGood: () => deps.isGood(grant) });
  });
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
  app.get('/api/v1/tokens', (c) => needs(c, 'admin') ?? wire(c, { tokens: daemon.tokens() }));
  app.get('/api/v1/approvals', (c) => wire(c, { approvals: daemon.approvals() }));
  app.get('/api/v1/personas', (c) => wire(c, { personas: daemon.personas() }));
  app.get('/api/v1/rules', (c) => wire(c, { rules: daemon.rules() }));
  app.get('/api/v1/stats', (c) => wire(c, daemon.stats()));
  app.get('/api/v1/blind_spots', (c) => wire(c, { blindSpots: daemon.blindSpots() }));
  app.get('/api/v1/patterns', (c) => wire(c, { patterns: daemon.patterns() }));
  app.get('/api/v1/why/:channel', (c) => wire(c, daemon.why(c.req.param('channel')), 'channel'));
  app.get('/api/v1/why-not/:channel/:tool', (c) =>
    wire(c, daemon.whyNot(c.req.param('channel'), c.req.param('tool')), 'channel or tool'),
  );
  app.get('/api/v1/journal', (c) =>
    wire(c, { entries: daemon.journal({ since: Number(c.req.query('since') ?? 0) || 0, limit: limit(c) }) }),
  );
}

const clamp = (value: number, max: number): number =>
  Number.isFinite(value) && value >= 1 ? Math.min(Math.floor(value), max) : LIST_DEFAULT;
