import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMAND_ROUTES } from '../../src/http/commands.ts';
import { sha256Of } from '../../src/http/auth/grants.ts';
import { type HttpServer, startServer } from '../../src/http/server.ts';
import { aDaemon, promptClock } from './support.ts';

const daemon = aDaemon();
const GOOD = `admin-${'x'.repeat(40)}`;
const READER = `reader-${'x'.repeat(40)}`;
const tokens = [
  { name: 'admin', scopes: ['admin'], sha256: sha256Of(GOOD) },
  { name: 'reader', scopes: ['read'], sha256: sha256Of(READER) },
] as const;
let server: HttpServer;

beforeAll(async () => {
  const options = { host: '127.0.0.1', port: 0, allowedHosts: [], tokens, metrics: { host: '127.0.0.1', port: 0 } };
  server = await startServer(options, { daemon: daemon.daemon, clock: promptClock, onError: () => undefined });
});
afterAll(() => server[Symbol.asyncDispose]());

interface Forged {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

const WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);
const ORDER = JSON.stringify({ because: 'forged' });

/** fetch does not let a test forge Host and friends; node:http does. */
function forge({ method = 'POST', path = '/api/v1/freeze', headers = {}, body = ORDER }: Forged, base = server.url) {
  const { hostname, port, host } = new URL(base);
  const all: Record<string, string> = { host, authorization: `Bearer ${GOOD}`, 'content-type': 'application/json' };
  for (const [name, value] of Object.entries(headers)) {
    if (value === '') delete all[name];
    else all[name] = value;
  }
  return new Promise<number>((resolve, reject) => {
    const asked = request({ hostname, port, path, method, headers: all }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    }).on('error', reject);
    asked.end(WITH_BODY.has(method) ? body : undefined);
  });
}

const HOSTS = [
  'evil.example',
  'localhost.evil.example',
  '127.0.0.1.nip.io',
  '0.0.0.0',
  'localhost:1',
  '[::1]:1',
  '::1',
];
const ORIGINS = [
  'http://evil.example',
  'https://evil.example',
  'null',
  'http://localhost',
  'http://localhost:1',
  'file://',
  'http://127.0.0.1.evil.example',
  'chrome-extension://abc',
  'http://a@127.0.0.1',
];
const SITES = ['cross-site', 'same-site', 'nonsense'];
const TYPES = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'text/json',
  'application/jsonp',
];
const AUTHS = [
  'Bearer wrong',
  'Bearer',
  'Bearer ',
  `Basic ${Buffer.from(`admin:${GOOD}`).toString('base64')}`,
  GOOD,
  `Bearer ${GOOD.slice(0, -1)}`,
  `Bearer ${GOOD}x`,
  `Bearer ${GOOD.toUpperCase()}`,
  `Token ${GOOD}`,
  `Bearer x ${GOOD}`,
];
const METHODS = ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'];
const BODIES = [
  'not json',
  '[]',
  'null',
  '"freeze"',
  '{}',
  '{"because":""}',
  '{"because":7}',
  `{"because":"x","__proto__":{"a":1},"b":2}`,
];

interface Refused extends Forged {
  readonly what: string;
  readonly status: number | readonly number[];
}

const table: readonly Refused[] = [
  // What is no Host at all is refused before it is compared.
  ...HOSTS.flatMap((host) => [
    { what: `Host ${host}`, status: [403, 400], headers: { host } },
    { what: `Host ${host} on a read`, status: [403, 400], method: 'GET', path: '/api/v1/status', headers: { host } },
  ]),
  ...ORIGINS.flatMap((origin) => [
    { what: `Origin ${origin}`, status: 403, headers: { origin } },
    {
      what: `Origin ${origin} that calls itself same-origin`,
      status: 403,
      headers: { origin, 'sec-fetch-site': 'same-origin' },
    },
  ]),
  ...SITES.flatMap((site) => [
    { what: `Sec-Fetch-Site ${site}`, status: 403, headers: { 'sec-fetch-site': site } },
    {
      what: `Sec-Fetch-Site ${site} on the page itself`,
      status: 403,
      method: 'GET',
      path: '/',
      headers: { 'sec-fetch-site': site },
    },
  ]),
  ...TYPES.map((type) => ({ what: `a body of the type ${type}`, status: 415, headers: { 'content-type': type } })),
  { what: 'a body of no type', status: 415, headers: { 'content-type': '' } },
  ...AUTHS.flatMap((authorization) => [
    { what: `Authorization ${authorization.slice(0, 12)}…`, status: 401, headers: { authorization } },
    {
      what: `Authorization ${authorization.slice(0, 12)}… on a read`,
      status: 401,
      method: 'GET',
      path: '/api/v1/status',
      headers: { authorization },
    },
  ]),
  { what: 'no Authorization', status: 401, headers: { authorization: '' } },
  { what: 'a token in the query', status: 401, path: `/api/v1/freeze?token=${GOOD}`, headers: { authorization: '' } },
  { what: 'a session for who brings no token', status: 401, path: '/api/v1/session', headers: { authorization: '' } },
  {
    what: 'half a session',
    status: 401,
    headers: { authorization: '', 'x-reeve-csrf': GOOD, cookie: `reeve=${GOOD}` },
  },
  { what: 'a token in a cookie', status: 401, headers: { authorization: '', cookie: `token=${GOOD}` } },
  ...METHODS.map((method) => ({ what: `${method} on a command`, status: [404, 405], method })),
  ...['/api/v1/freeze/', '/api/v1//freeze', '/API/V1/freeze', '/api/v1/status/../freeze/x'].map((path) => ({
    what: `the path ${path}`,
    status: [404],
    path,
  })),
  ...BODIES.map((body) => ({ what: `the body ${body}`, status: 400, body })),
  { what: 'garbage where no body is needed', status: 400, path: '/api/v1/reload', body: '{"sur' },
  ...COMMAND_ROUTES.map(({ path }) => ({
    what: `${path} with a token that may only read`,
    status: 403,
    path,
    headers: { authorization: `Bearer ${READER}` },
  })),
];

describe('requests that must be refused', () => {
  it('are at least sixty', () => {
    expect(table.length).toBeGreaterThanOrEqual(60);
  });

  it.each(table)('refuses $what', async ({ status, ...forged }) => {
    const before = daemon.commands.length;
    expect([status].flat()).toContain(await forge(forged));
    expect(daemon.commands.length).toBe(before);
  });

  it('admits the same command when everything about it is right', async () => {
    const before = daemon.commands.length;
    expect(await forge({})).toBe(200);
    expect(daemon.commands.length).toBe(before + 1);
  });
});

describe('the listener for metrics', () => {
  const scrape = (headers: Record<string, string>) =>
    forge({ method: 'GET', path: '/metrics', headers: { authorization: '', ...headers } }, server.metricsUrl);

  it.each([{ host: 'evil.example' }, { origin: 'http://evil.example' }, { 'sec-fetch-site': 'cross-site' }])(
    'refuses a foreign page as well: %o',
    async (headers) => expect(await scrape(headers)).toBe(403),
  );

  it('serves metrics and nothing else', async () => {
    expect(await scrape({})).toBe(200);
    const api = forge({ method: 'GET', path: '/api/v1/status' }, server.metricsUrl);
    expect(await api).toBe(404);
  });
});
