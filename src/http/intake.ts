/** The HTTP routes of the intake. */
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Context, Hono } from 'hono';
import { IntakeRefused } from '../collect/intake/refused.ts';
import { allows } from '../core/access.ts';
import type { TokenGrant } from './auth/grants.ts';
import type { DescribedRoutes } from './openapi.ts';
import { type HttpEnv, refuse } from './request.ts';

export const INTAKE_FORMATS = ['loki_json', 'loki_protobuf', 'otlp_json', 'ndjson', 'alerts'] as const;
export type IntakeFormat = (typeof INTAKE_FORMATS)[number];

/** What became of one request. `full`: there is no room now, and nothing of it was taken. */
export type IntakeTaken =
  | { readonly kind: 'taken'; readonly lines: number; readonly ignored: number }
  | { readonly kind: 'full' };

/** Takes what senders push. Throws `IntakeRefused` for what it cannot read. */
export interface Intake {
  take(format: IntakeFormat, body: Buffer): IntakeTaken;
}

export interface IntakeDeps {
  readonly intake: Intake;
  readonly grantOf: (authorization: string | undefined) => TokenGrant | undefined;
}

/** Parsing holds everything else up for as long as it takes, so bodies are small: 2 MiB take some 10 ms. */
export const INTAKE_BODY_BYTES_MAX = 2 * 1024 * 1024;
export const INTAKE_PLAIN_BYTES_MAX = 2 * 1024 * 1024;
/** Bodies that are read at once: what they hold together is bounded. */
const IN_FLIGHT_MAX = 8;
const RETRY_AFTER_S = 2;

interface Route {
  readonly path: string;
  readonly summary: string;
  readonly formatOf: (contentType: string) => IntakeFormat | undefined;
  readonly expects: string;
  readonly answer: (c: Context, taken: Extract<IntakeTaken, { kind: 'taken' }>) => Response;
}

const isJson = (type: string): boolean => type === 'application/json' || type === '';
const isProtobuf = (type: string): boolean => type === 'application/x-protobuf' || type === 'application/octet-stream';
/** The last one is what curl sends by default. */
const NDJSON = new Set([
  'application/x-ndjson',
  'application/ndjson',
  'application/json',
  'text/plain',
  '',
  'application/x-www-form-urlencoded',
]);

/** One route for each way in. */
export const INTAKE_ROUTES: readonly Route[] = [
  {
    path: '/loki/api/v1/push',
    summary: 'Lines as Loki takes them, JSON or snappy-compressed protobuf',
    formatOf: (type) => (isProtobuf(type) ? 'loki_protobuf' : isJson(type) ? 'loki_json' : undefined),
    expects: 'application/json or application/x-protobuf (snappy)',
    answer: (c) => c.body(null, 204),
  },
  {
    path: '/v1/logs',
    summary: 'Lines as OTLP/HTTP JSON',
    formatOf: (type) => (isJson(type) ? 'otlp_json' : undefined),
    expects: 'application/json (OTLP/HTTP in its JSON form)',
    answer: (c) => c.json({}),
  },
  {
    path: '/api/v1/logs',
    summary: 'Lines as NDJSON: {"line", "channel"?, "source"?, "at"?}',
    formatOf: (type) => (NDJSON.has(type) ? 'ndjson' : undefined),
    expects: 'application/x-ndjson',
    answer: (c, { lines }) => c.json({ lines }),
  },
  {
    path: '/api/v1/alerts',
    summary: "Alertmanager's webhook",
    formatOf: (type) => (isJson(type) ? 'alerts' : undefined),
    expects: 'application/json',
    answer: (c, { lines, ignored }) => c.json({ symptoms: lines, ignored }),
  },
];

/** What the ways in say of themselves. They ask for their token before a body is read, so they are not added here. */
export function describeIntake(routes: DescribedRoutes): void {
  const answers = {
    200: 'taken',
    400: 'not sound: nothing was taken',
    413: 'too large',
    429: 'come again (Retry-After)',
  };
  for (const { path, summary } of INTAKE_ROUTES) routes.note('post', path, { summary, scope: 'ingest', answers });
}

const unzip = promisify(gunzip);

/** The intake has its own limits, so it comes before the guard of the API. */
export function addIntake(app: Hono<HttpEnv>, deps: IntakeDeps): void {
  const flight = { count: 0 };
  for (const route of INTAKE_ROUTES) {
    app.post(route.path, async (c) => {
      const refused = unauthorized(c, deps);
      if (refused !== undefined) return refused;
      if (flight.count >= IN_FLIGHT_MAX) return comeAgain(c, 'too many requests are being read');
      flight.count += 1;
      try {
        return await receive(c, route, deps.intake);
      } finally {
        flight.count -= 1;
      }
    });
  }
}

function unauthorized(c: Context, { grantOf }: IntakeDeps): Response | undefined {
  const authorization = c.req.header('authorization');
  const grant = grantOf(authorization);
  if (grant === undefined) {
    const message = 'a bearer token with the scope ingest is needed: Authorization: Bearer <token>';
    return refuse(c, authorization === undefined ? 'no_token' : 'unknown_token', message);
  }
  if (allows(grant.scopes, 'ingest')) return undefined;
  const held = grant.scopes.join(', ');
  return refuse(c, 'scope', `this needs a token with the scope ingest or operate; ${grant.name} has ${held}`);
}

const comeAgain = (c: Context, message: string): Response =>
  c.json({ error: 'busy', message }, 429, { 'Retry-After': String(RETRY_AFTER_S) });

async function receive(c: Context, route: Route, intake: Intake): Promise<Response> {
  const type = (c.req.header('content-type') ?? '').split(';')[0]!.trim().toLowerCase();
  const format = route.formatOf(type);
  if (format === undefined) {
    return c.json({ error: 'unsupported', message: `expected ${route.expects}, got ${type}` }, 415);
  }
  const body = await bodyOf(c);
  if (body instanceof Response) return body;
  try {
    const taken = intake.take(format, body);
    return taken.kind === 'full' ? comeAgain(c, 'lines come faster than they can be read') : route.answer(c, taken);
  } catch (thrown) {
    if (thrown instanceof IntakeRefused) return refuse(c, 'body_invalid', thrown.message);
    throw thrown;
  }
}

/** The plain body, or the refusal to send. The protobuf form is unpacked by its own decoder. */
async function bodyOf(c: Context): Promise<Buffer | Response> {
  const tooLarge = (bytes: number): Response =>
    refuse(c, 'body_too_large', `expected at most ${bytes} bytes: send smaller batches`);
  const declared = Number(c.req.header('content-length') ?? 0);
  if (declared > INTAKE_BODY_BYTES_MAX) return tooLarge(INTAKE_BODY_BYTES_MAX);
  const packed = await readUpTo(c.req.raw.body, INTAKE_BODY_BYTES_MAX);
  if (packed === undefined) return tooLarge(INTAKE_BODY_BYTES_MAX);
  const encoding = (c.req.header('content-encoding') ?? 'identity').toLowerCase();
  // Loki's clients say snappy here, or nothing: for its protobuf both mean the same.
  if (encoding === 'identity' || encoding === 'snappy') return packed;
  if (encoding !== 'gzip') {
    return c.json({ error: 'unsupported', message: `expected gzip or no encoding, got ${encoding}` }, 415);
  }
  try {
    return await unzip(packed, { maxOutputLength: INTAKE_PLAIN_BYTES_MAX });
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'ERR_BUFFER_TOO_LARGE') return tooLarge(INTAKE_PLAIN_BYTES_MAX);
    return refuse(c, 'body_invalid', 'expected a gzip body, got something else');
  }
}

/** Undefined when there is more; the rest is not read. */
async function readUpTo(body: ReadableStream<Uint8Array> | null, bytesMax: number): Promise<Buffer | undefined> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body ?? []) {
    length += part.length;
    if (length > bytesMax) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}
