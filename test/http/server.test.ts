import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMAND_ROUTES } from '../../src/http/commands.ts';
import { request } from 'node:http';
import { aDaemon, served, tokenOf } from './support.ts';

const { daemon } = aDaemon({
  status: () => ({ phase: 0, lastDelivery: { secondsAgo: undefined } }),
  channels: () => [{ id: 'news', restartCount: 2 }],
  incidents: ({ channel }) => (channel === 'none' ? [] : [{ id: 'inc-1' }]),
  incident: (id) => (id === 'inc-1' ? { id, entries: [] } : undefined),
  exportIncident: (id) => (id === 'inc-1' ? { format: 'reeve-incident' } : undefined),
  readiness: () => ({ ready: false, because: ['the journal is not open'] }),
});

let http: Awaited<ReturnType<typeof served>>;

beforeAll(async () => {
  http = await served(daemon);
});
afterAll(() => http.server[Symbol.asyncDispose]());

const ask: typeof http.ask = (...request) => http.ask(...request);

/** fetch does not let a test forge Host and friends; node:http does. */
const forge = (headers: Record<string, string>, path = '/api/v1/status'): Promise<number> =>
  new Promise((resolve, reject) => {
    const { hostname, port, host } = new URL(http.server.url);
    const all = { host, authorization: `Bearer ${tokenOf('admin')}`, ...headers };
    request({ hostname, port, path, headers: all }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });

describe('reading', () => {
  it('answers in snake_case and leaves out what is not known', async () => {
    const answer = await ask('/api/v1/channels', { scope: 'read' });
    expect(await answer.json()).toEqual({ channels: [{ id: 'news', restart_count: 2 }] });
  });

  it.each(['/api/v1/status', '/api/v1/journal', '/api/v1/events', '/api/v1/nonsense'])(
    'discloses nothing at %s without a token',
    async (path) => {
      expect((await ask(path)).status).toBe(401);
      expect((await ask(path, { headers: { authorization: 'Bearer wrong' } })).status).toBe(401);
    },
  );

  it('answers 404 with a reason for an incident that does not exist', async () => {
    const answer = await ask('/api/v1/incidents/inc-9', { scope: 'read' });
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ error: 'not_found' });
  });

  it('exports an incident as a document, and says so when there is none', async () => {
    const answer = await ask('/api/v1/incidents/inc-1/export', { scope: 'read' });
    expect(await answer.json()).toEqual({ format: 'reeve-incident' });
    expect((await ask('/api/v1/incidents/inc-9/export', { scope: 'read' })).status).toBe(404);
  });

  it('is alive while it is not ready, and says why it is not', async () => {
    expect((await ask('/healthz')).status).toBe(200);
    const ready = await ask('/readyz');
    expect(ready.status).toBe(503);
    expect(await ready.json()).toMatchObject({ because: ['the journal is not open'] });
  });

  it('serves the page with a policy that lets no foreign script run', async () => {
    const page = await ask('/');
    expect(page.headers.get('content-security-policy')).toBe(
      "default-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'",
    );
    expect(page.headers.get('x-content-type-options')).toBe('nosniff');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    expect(page.headers.get('strict-transport-security')).toBe('max-age=31536000; includeSubDomains');
    expect(await page.text()).not.toMatch(/<script>|onclick=|style="/);
  });

  it.each(['/api/v1/status', '/api/v1/nothing', '/metrics', '/', '/console.js', '/healthz'])(
    'forbids caches to keep what is at %s',
    async (path) => expect((await ask(path, { scope: 'read' })).headers.get('cache-control')).toBe('no-store'),
  );

  it('describes every command route in its OpenAPI document', async () => {
    const document = (await (await ask('/api/v1/openapi.json', { scope: 'read' })).json()) as {
      paths: Record<string, unknown>;
    };
    for (const { path } of COMMAND_ROUTES) expect(document.paths).toHaveProperty([path]);
  });
});

describe('what a foreign page could make a browser send', () => {
  const own = () => new URL(http.server.url).host;
  it.each([
    ['another Host (DNS rebinding)', { host: 'evil.example' }],
    ['a Host with our port but another name', { host: 'evil.example:80' }],
    ['another Origin', { origin: 'http://evil.example' }],
    ['a null Origin', { origin: 'null' }],
    ['a cross-site fetch', { 'sec-fetch-site': 'cross-site' }],
    ['a same-site fetch from a sibling', { 'sec-fetch-site': 'same-site' }],
  ])('refuses %s even with a good token', async (_, headers) => {
    expect(await forge(headers)).toBe(403);
    expect(await forge(headers, '/healthz')).toBe(403);
  });

  it('accepts its own names, the listed host, its own origin and a direct visit', async () => {
    const { port } = new URL(http.server.url);
    expect(await forge({ host: `localhost:${port}` })).toBe(200);
    expect(await forge({ host: 'reeve.example' })).toBe(200);
    expect(await forge({ origin: `http://${own()}`, 'sec-fetch-site': 'same-origin' })).toBe(200);
    expect(await forge({ 'sec-fetch-site': 'none' })).toBe(200);
  });
});
