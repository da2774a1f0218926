// Hints over HTTP: under /api/v1 for everybody, and under /wiki/v1 as clients of ROSClaw-How know them.
import type { Context } from 'hono';
import { z } from 'zod';
import type { Clock } from '../core/clock.ts';
import type { TokenScope } from '../core/access.ts';
import { type ErrorCode, ReeveError } from '../core/errors.ts';
import { toWire } from '../core/wire.ts';
import type { HintStatistics, PatternRecord } from '../hints/outcomes.ts';
import type { OutcomeRow } from '../hints/store.ts';
import { bodyOf } from './commands.ts';
import type { Daemon, HintsApi } from './daemon.ts';
import type { DescribedRoutes, RouteText } from './openapi.ts';
import type { HttpEnv } from './request.ts';

/** Paths that need no scope `read`: an agent that is helped need not see the fleet. */
export const PROMPT_PATHS = '/api/v1/prompt/';

const EXPORT_MAX = 100_000;
const RETRY_AFTER_S = '10';
const SCORES_MAX = 1_000;
const LOG_MAX = 60_000;

const score = z.number().min(-1e9).max(1e9);
const buildBody = z.object({
  error_log: z.string().max(LOG_MAX).default(''),
  previous_scores: z.array(score).max(SCORES_MAX).default([]),
  current_iteration: z.int().min(0).max(1_000_000).describe('The attempt that is about to be made; 0 counts as 1.'),
});
const feedbackBody = z.object({
  injection_id: z.string().min(1).max(64),
  post_score: score,
  iterations_to_resolve: z.int().min(0).max(1_000_000).nullish(),
  agent_notes: z.string().max(4_000).nullish(),
});
const reloadBody = z.object({ rebuild: z.boolean().default(false) });
const change = z.int().min(-1_000).max(1_000);
const promoteBody = z
  .object({
    pattern_id: z.string().min(1).max(300),
    delta: change.optional(),
    priority: change.optional(),
    because: z.string().trim().min(1).max(400).optional(),
  })
  .refine(({ delta, priority }) => (delta === undefined) !== (priority === undefined), {
    message: 'exactly one of delta and priority is expected',
  });

export interface HintsDeps {
  readonly daemon: Daemon;
  readonly clock: Clock;
}

type Handler = (c: Context<HttpEnv>, hints: HintsApi) => Response | Promise<Response>;

/** Adds every route under both prefixes. The hints are loaded by the first request that needs them. */
export function addHints(routes: DescribedRoutes, { daemon, clock }: HintsDeps): void {
  const at = { routes, daemon };
  const both = (name: string): readonly string[] => [`/api/v1/${name}`, `/wiki/v1/${name}`];
  const build = 'A hint for a stalling attempt: SAFETY, FREE_EXPLORATION or CATALYST';
  post(at, both('prompt/build'), { summary: build, scope: 'hints', body: buildBody }, buildPrompt(clock));
  const feedback = 'What became of a hint that was sent';
  const outcomes = { 204: 'noted', 404: 'no hint was sent under this id' };
  post(
    at,
    both('prompt/feedback'),
    { summary: feedback, scope: 'hints', body: feedbackBody, answers: outcomes },
    noted,
  );
  const stats = 'What hints achieved, by how far each is trusted';
  get(at, ['/api/v1/hints/stats', '/wiki/v1/stats'], { summary: stats }, (c, hints) =>
    c.json(statisticsWire(hints.statistics())),
  );
  const spots = 'Errors that recur and that no cluster knows';
  get(at, ['/api/v1/hints/blind_spots', '/wiki/v1/blind_spots'], { summary: spots }, (c, hints) =>
    c.json(blindSpotsWire(hints)),
  );
  const health = 'The state of the hints';
  get(at, ['/api/v1/hints/health', '/wiki/v1/healthz'], { summary: health }, (c, hints) => c.json(healthWire(hints)));
  get(at, ['/api/v1/hints'], { summary: 'Clusters of hints with their trust' }, (c, hints) =>
    c.json({ hints: hints.clusters().map(({ analogies: _, ...cluster }) => toWire(cluster)) } as never),
  );
  addExport(at, both('outcomes/export'));
  const reload = 'Reads the bundle of hints anew';
  const reloaded = { summary: reload, scope: 'operate', body: reloadBody } as const;
  post(at, ['/api/v1/hints/reload', '/wiki/v1/admin/reload'], reloaded, reloadBundle(clock));
  const promote = 'Another trust for the cluster that a hint belongs to';
  const answers = { 200: 'done', 404: 'no cluster has this hint', 422: 'both or neither of delta and priority' };
  const promoted = { summary: promote, scope: 'operate', body: promoteBody, answers } as const;
  post(at, ['/api/v1/promote', '/wiki/v1/admin/promote'], promoted, promoteHint);
}

interface At {
  readonly routes: DescribedRoutes;
  readonly daemon: Daemon;
}

function get(at: At, paths: readonly string[], text: RouteText, handler: Handler): void {
  for (const path of paths) at.routes.get(path, { ...OR_OFF(text), ...text }, (c) => withHints(c, at.daemon, handler));
}

function post(at: At, paths: readonly string[], text: RouteText & { readonly scope: TokenScope }, handler: Handler) {
  for (const path of paths) at.routes.post(path, { ...OR_OFF(text), ...text }, (c) => withHints(c, at.daemon, handler));
}

const OR_OFF = (text: RouteText) => ({ answers: { 200: 'done', 422: 'the body is not sound', ...text.answers } });

/** In one word, for scripts: `reeve` ends with another code for each. */
const FAULTS: Readonly<Partial<Record<ErrorCode, string>>> = {
  CONFIG_INVALID: 'config_invalid',
  DERIVED_BROKEN: 'derived_broken',
};

async function withHints(c: Context<HttpEnv>, daemon: Daemon, handler: Handler): Promise<Response> {
  try {
    const hints = await daemon.hints?.();
    if (hints === undefined) return c.json({ error: 'off', message: 'this daemon has no hints' }, 404);
    return await handler(c, hints);
  } catch (thrown) {
    if (!(thrown instanceof ReeveError)) throw thrown;
    if (thrown.code === 'QUEUE_FULL') {
      return c.json({ error: 'busy', message: thrown.message }, 429, { 'Retry-After': RETRY_AFTER_S });
    }
    const error = FAULTS[thrown.code] ?? 'unavailable';
    return c.json({ error, message: thrown.message }, 503);
  }
}

/** The body as the schema has it, or the refusal with every problem. */
async function parsed<T extends z.ZodType>(c: Context<HttpEnv>, schema: T): Promise<z.output<T> | Response> {
  const body = await bodyOf(c);
  if (body instanceof Response) return body;
  const result = schema.safeParse(body.value);
  if (result.success) return result.data;
  const problems = result.error.issues.map((issue) => ({ path: issue.path.join('.'), message: issue.message }));
  return c.json({ error: 'invalid', problems }, 422);
}

const buildPrompt =
  (clock: Clock): Handler =>
  async (c, hints) => {
    const body = await parsed(c, buildBody);
    if (body instanceof Response) return body;
    const startedMs = clock.monotonicMs();
    const { error_log: errorLog, previous_scores: previousScores, current_iteration: iteration } = body;
    const order = { errorLog, previousScores, currentIteration: Math.max(1, iteration) };
    const answer = toWire(hints.build(order, c.var.grant.name));
    return c.json({ ...(answer as object), latency_ms: Math.round(clock.monotonicMs() - startedMs) } as never);
  };

const noted: Handler = async (c, hints) => {
  const body = await parsed(c, feedbackBody);
  if (body instanceof Response) return body;
  const feedback = {
    injectionId: body.injection_id,
    postScore: body.post_score,
    iterationsToResolve: body.iterations_to_resolve ?? undefined,
    agentNotes: body.agent_notes ?? undefined,
  };
  if (hints.feedback(feedback, c.var.grant.name)) return c.body(null, 204);
  return c.json({ error: 'not_found', message: 'no hint was sent under this id' }, 404);
};

const reloadBundle =
  (clock: Clock): Handler =>
  async (c, hints) => {
    const body = await parsed(c, reloadBody);
    if (body instanceof Response) return body;
    const startedMs = clock.monotonicMs();
    const done = toWire(hints.reload(body.rebuild)) as object;
    const durationMs = Math.round(clock.monotonicMs() - startedMs);
    return c.json({ ...done, rebuild: body.rebuild, duration_ms: durationMs } as never);
  };

const promoteHint: Handler = async (c, hints) => {
  const body = await parsed(c, promoteBody);
  if (body instanceof Response) return body;
  const { pattern_id: pattern, delta, priority } = body;
  const by = { who: c.var.grant.name, because: body.because ?? 'asked over HTTP' };
  const done = hints.promote(pattern, delta === undefined ? { priority: priority ?? 0 } : { delta }, by);
  if (done !== undefined) return c.json(toWire(done) as never);
  return c.json({ error: 'not_found', message: `no cluster has the hint ${pattern}` }, 404);
};

function addExport({ routes, daemon }: At, paths: readonly string[]): void {
  const query = {
    since: 'RFC 3339: not before this time',
    limit: `at most so many rows; never more than ${EXPORT_MAX}`,
  };
  const text = { summary: 'Every hint that was sent, as NDJSON, those still pending too', query };
  const answers = { 200: 'NDJSON', 422: 'since is no time, or limit no count' };
  for (const path of paths) {
    routes.get(path, { ...text, answers }, (c, { since, limit }) =>
      withHints(c, daemon, (_, hints) => {
        const from = since === undefined ? 0 : Date.parse(since.replace(' ', '+'));
        const rows = limit === undefined ? EXPORT_MAX : /^\d{1,9}$/.test(limit) ? Number(limit) : Number.NaN;
        if (!Number.isFinite(from) || !(rows >= 1)) {
          const message = 'since: an RFC 3339 time was expected; limit: a number from 1';
          return c.json({ error: 'invalid', message }, 422);
        }
        return c.body(ndjson(hints.outcomes(from, Math.min(rows, EXPORT_MAX))), 200, {
          'Content-Type': 'application/x-ndjson',
        });
      }),
    );
  }
}

/** A stream: a long export must not stand in memory as one text. */
function ndjson(rows: readonly OutcomeRow[]): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let next = 0;
  return new ReadableStream({
    pull(controller) {
      const slice = rows.slice(next, next + 500);
      next += slice.length;
      if (slice.length === 0) return controller.close();
      controller.enqueue(encoder.encode(slice.map((row) => `${JSON.stringify(outcomeWire(row))}\n`).join('')));
    },
  });
}

const outcomeWire = (row: OutcomeRow) => ({
  injection_id: row.injection,
  ts: iso(row.at),
  pattern_id: row.pattern,
  cluster_id: row.cluster,
  symptom: row.symptom,
  matched_symptom: row.matched,
  similarity: row.similarity,
  is_staging: row.staging,
  current_iteration: row.iteration,
  pre_score: row.preScore,
  post_score: row.postScore,
  delta_score: row.deltaScore,
  iterations_to_resolve: row.iterationsToResolve,
  agent_notes: row.notes,
  feedback_ts: row.scoredAt === null ? null : iso(row.scoredAt),
  asker: row.asker,
  who: row.who,
  incident: row.incident,
});

/** Ids of hints are data and must not be converted to snake_case: the keys are written here. */
function statisticsWire(statistics: HintStatistics) {
  const recordWire = ({ count, averageUplift, winRate, lastSeenMs }: PatternRecord) => ({
    n: count,
    avg_uplift: Math.round(averageUplift * 1e6) / 1e6,
    win_rate: Math.round(winRate * 1e6) / 1e6,
    last_seen_iso: iso(lastSeenMs),
  });
  const bucket = (records: ReadonlyMap<string, PatternRecord>) =>
    Object.fromEntries([...records].map(([pattern, record]) => [pattern, recordWire(record)]));
  const { staging, production, demoted, unbucketed } = statistics;
  return {
    staging: bucket(staging),
    production: bucket(production),
    demoted: bucket(demoted),
    unbucketed: bucket(unbucketed),
  };
}

function blindSpotsWire(hints: HintsApi) {
  const { windowMs, threshold, active, totalUniquePrefixes, totalEvents } = hints.blindSpots();
  return {
    window_seconds: windowMs / 1000,
    threshold,
    active: active.map((spot) => ({
      prefix_hash: spot.prefixHash,
      count: spot.count,
      first_seen: iso(spot.firstSeenMs),
      last_seen: iso(spot.lastSeenMs),
      sample_excerpt: spot.sampleExcerpt,
      is_blind_spot: true,
    })),
    total_unique_prefixes: totalUniquePrefixes,
    total_events: totalEvents,
  };
}

/** The documented fields; there is no database of vectors, so its mode is `off`. */
export function healthWire(hints: HintsApi) {
  const { backend, clusterCount, writtenAt, similarityFloor, blindSpotCount, dimensions, version } = hints.health();
  return {
    status: 'ok',
    version,
    auth_enabled: true,
    seekdb_mode: 'off',
    router_backend: backend,
    cluster_count: clusterCount,
    embedding_dim: dimensions,
    bridge_index_mtime: writtenAt === undefined ? null : iso(writtenAt),
    similarity_floor: similarityFloor,
    blind_spot_count: blindSpotCount,
  };
}

const iso = (atMs: number): string => new Date(atMs).toISOString();
