// What the API lets programs and people read.
import type { Hono } from 'hono';
import type { Clock } from '../core/clock.ts';
import type { TokenGrant } from './auth/grants.ts';
import { addAsk } from './ask.ts';
import { addCommands } from './commands.ts';
import { addConsoleSessions, type ConsoleSessionDeps } from './console_sessions.ts';
import type { Daemon } from './daemon.ts';
import { createEvents } from './events.ts';
import { addHints } from './hints.ts';
import { describeIntake } from './intake.ts';
import { addMemory } from './memory.ts';
import { DescribedRoutes } from './openapi.ts';
import { type HttpEnv, wire } from './request.ts';
import { unknownChannel, unknownChannelOrTool } from './unknown.ts';

const LIST_MAX = 1_000;
const LIST_DEFAULT = 100;

export interface ApiDeps extends ConsoleSessionDeps {
  readonly daemon: Daemon;
  readonly clock: Clock;
  /** False once the token is revoked or expired: what it has opened ends. */
  readonly isGood: (grant: TokenGrant) => boolean;
}

/** Everything below /api/v1; the bearer token was asked for before. */
export function addApi(app: Hono<HttpEnv>, deps: ApiDeps): void {
  const routes = new DescribedRoutes(app);
  addReads(routes, deps.daemon);
  addLists(routes, deps.daemon);
  addMemory(routes, deps.daemon);
  addHints(routes, deps);
  addCommands(routes, deps.daemon);
  addAsk(routes, app, deps);
  addConsoleSessions(routes, deps);
  describeIntake(routes);
  const events = createEvents(deps);
  const summary = 'Journal entries as server-sent events; Last-Event-ID takes up where a reader was';
  const answers = { 200: 'a stream of events', 429: 'too many readers (Retry-After)' };
  routes.get('/api/v1/events', { summary, answers, query: { since: 'the last entry that the reader had' } }, (c) => {
    const { grant } = c.var;
    return events(c, { name: grant.name, isGood: () => deps.isGood(grant) });
  });
  routes.get('/api/v1/openapi.json', { summary: 'This document' }, (c) => c.json(routes.document() as never));
}

const LIMIT = { limit: `at most so many; ${LIST_DEFAULT} unless said, never more than ${LIST_MAX}` };
const FOUND = { 200: 'done', 404: 'there is no such thing' };

/** One thing, or the state of all. */
function addReads(routes: DescribedRoutes, daemon: Daemon): void {
  const status = 'Channels, containment, breakers, open incidents and pages, phase, last delivery';
  routes.get('/api/v1/status', { summary: status }, (c) => wire(c, daemon.status()));
  const story = 'The whole story of one incident';
  routes.get('/api/v1/incidents/{id}', { summary: story, answers: FOUND }, (c) =>
    wire(c, daemon.incident(c.req.param('id') ?? ''), 'incident'),
  );
  const exported = 'One incident as a document that reeve backtest --incident replays';
  routes.get('/api/v1/incidents/{id}/export', { summary: exported, answers: FOUND }, (c) =>
    wire(c, daemon.exportIncident(c.req.param('id') ?? ''), 'incident'),
  );
  routes.get('/api/v1/stats', { summary: 'Counts since the journal began' }, (c) => wire(c, daemon.stats()));
  const why = 'The last decision with every question';
  const noChannel = (name: string) => () => unknownChannel(name, daemon.channels());
  routes.get('/api/v1/why/{channel}', { summary: why, answers: FOUND }, (c) => {
    const channel = c.req.param('channel') ?? '';
    return wire(c, daemon.why(channel), noChannel(channel));
  });
  const prompt = 'The exact text and choices that a model would be sent now; none is asked';
  routes.get('/api/v1/prompt/{channel}', { summary: prompt, answers: FOUND }, (c) => {
    const channel = c.req.param('channel') ?? '';
    return wire(c, daemon.prompt(channel), noChannel(channel));
  });
  const whyNot = 'What would be answered now, and the smallest change that would flip it';
  routes.get('/api/v1/why-not/{channel}/{tool}', { summary: whyNot, answers: FOUND }, (c) => {
    const [channel, tool] = [c.req.param('channel') ?? '', c.req.param('tool') ?? ''];
    return wire(c, daemon.whyNot(channel, tool), () => unknownChannelOrTool(channel, tool, daemon.channels()));
  });
}

function addLists(routes: DescribedRoutes, daemon: Daemon): void {
  const list = (path: string, summary: string, answer: () => unknown) =>
    routes.get(path, { summary }, (c) => wire(c, answer()));
  list('/api/v1/channels', 'Every channel with its health', () => ({ channels: daemon.channels() }));
  list('/api/v1/approvals', 'Questions that wait for a person', () => ({ approvals: daemon.approvals() }));
  list('/api/v1/pages', 'Pages that are open, and who has acknowledged them', () => ({ pages: daemon.pages() }));
  list('/api/v1/personas', 'Personas that are loaded', () => ({ personas: daemon.personas() }));
  list('/api/v1/rules', 'Rules that are loaded', () => ({
    rules: daemon.rules(),
    problems: daemon.ruleProblems?.() ?? [],
  }));
  list('/api/v1/blind_spots', 'Recurring lines that no pattern recognises', () => ({
    blindSpots: daemon.blindSpots(),
  }));
  list('/api/v1/patterns', 'Patterns that were proposed, and what became of them', () => ({
    patterns: daemon.patterns(),
  }));
  const tokens = 'Named tokens: what each may do, until when, who handed it out';
  routes.get('/api/v1/tokens', { summary: tokens, scope: 'admin' }, (c) => wire(c, { tokens: daemon.tokens() }));
  const incidents = { channel: 'only those of one channel', ...LIMIT };
  const text = { summary: 'Incidents, newest first', query: incidents, answers: FOUND };
  routes.get('/api/v1/incidents', text, (c, { channel, limit }) => {
    const found = daemon.incidents({ channel, limit: limitOf(limit) });
    // One that left the configuration has its history still.
    const isKnown = channel === undefined || found.length > 0 || daemon.channels().some(({ id }) => id === channel);
    return wire(c, isKnown ? { incidents: found } : undefined, () => unknownChannel(channel!, daemon.channels()));
  });
  const journal = { since: 'entries after this one', ...LIMIT };
  routes.get('/api/v1/journal', { summary: 'Journal entries', query: journal }, (c, { since, limit }) =>
    wire(c, { entries: daemon.journal({ since: Number(since ?? 0) || 0, limit: limitOf(limit) }) }),
  );
}

function limitOf(text: string | undefined): number {
  const value = Number(text ?? LIST_DEFAULT);
  return Number.isFinite(value) && value >= 1 ? Math.min(Math.floor(value), LIST_MAX) : LIST_DEFAULT;
}
