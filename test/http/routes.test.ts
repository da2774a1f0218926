import { describe, expect, it } from 'vitest';
import type { TokenScope } from '../../src/core/access.ts';
import { systemClock } from '../../src/core/clock.ts';
import { ReeveError } from '../../src/core/errors.ts';
import { sha256Of } from '../../src/http/auth/grants.ts';
import { Refusals } from '../../src/http/auth/refusals.ts';
import type { Daemon } from '../../src/http/daemon.ts';
import { createPeers } from '../../src/http/peers.ts';
import { createMetricsRoutes, createRoutes, type RouteDeps } from '../../src/http/routes.ts';
import { aDaemon, tokenOf } from './support.ts';

const HOST = { host: 'localhost' };
const bearer = (scope: TokenScope) => ({ ...HOST, authorization: `Bearer ${tokenOf(scope)}` });

/** All routes, asked without a socket. */
function routes(with_: Partial<Daemon> = {}, change: Partial<RouteDeps> & { readonly withMetrics?: boolean } = {}) {
  const errors: string[] = [];
  const used: string[] = [];
  const { withMetrics = true, ...other } = change;
  const deps: RouteDeps = {
    ...{ daemon: aDaemon(with_).daemon, clock: systemClock, metricsNeedToken: false },
    onError: (text) => errors.push(text),
    hosts: () => new Set(['localhost']),
    grants: () =>
      (['read', 'hints', 'metrics'] as const).map((scope) => ({
        ...{ name: scope, scopes: [scope], sha256: sha256Of(tokenOf(scope)) },
      })),
    refusals: new Refusals({ clock: systemClock, report: () => undefined }),
    peerOf: createPeers([]),
    onUse: ({ name }) => used.push(name),
    ...other,
  };
  const app = createRoutes(deps, withMetrics);
  const ask = async (path: string, init: RequestInit = {}) =>
    app.request(`http://localhost${path}`, { headers: HOST, ...init });
  return { ask, errors, used, deps };
}

describe('a request', () => {
  it('is asked for its token; none, an unknown one and a good one are distinguished', async () => {
    const { ask, used } = routes();
    const asked = async (headers: Record<string, string>) => (await ask('/api/v1/status', { headers })).status;
    expect(await asked(HOST)).toBe(401);
    expect(await asked({ ...HOST, authorization: `Bearer ${'y'.repeat(40)}` })).toBe(401);
    expect(used).toEqual([]);
    expect(await asked(bearer('read'))).toBe(200);
    expect(used).toEqual(['read']);
  });

  it('may bring the same token as x-api-key, which counts only without an authorization', async () => {
    const { ask } = routes();
    const key = { 'x-api-key': tokenOf('read') };
    expect((await ask('/api/v1/status', { headers: { ...HOST, ...key } })).status).toBe(200);
    const both = { ...HOST, ...key, authorization: 'Bearer no' };
    expect((await ask('/api/v1/status', { headers: both })).status).toBe(401);
  });

  it('needs the scope read, but not where an agent is helped', async () => {
    const { ask } = routes();
    const answer = async (path: string) => (await ask(path, { method: 'POST', headers: bearer('hints') })).status;
    expect(await answer('/api/v1/freeze')).toBe(403);
    // Past the scope: this daemon has no hints at all.
    expect(await answer('/api/v1/prompt/build')).toBe(404);
    expect(await answer('/wiki/v1/prompt/build')).toBe(404);
  });

  it('under another name of the host is refused before anything else', async () => {
    const { ask } = routes();
    const headers = { ...bearer('read'), host: 'elsewhere.example' };
    expect((await ask('/healthz', { headers })).status).toBe(403);
    expect((await ask('/api/v1/status', { headers })).status).toBe(403);
  });

  it.each([
    [65_536, 404],
    [65_537, 413],
  ])('with a body of %i bytes is answered with %i', async (bytes, status) => {
    const { ask } = routes();
    const init = { method: 'POST', body: 'x'.repeat(bytes), headers: { ...HOST, 'content-length': String(bytes) } };
    expect((await ask('/nothing', init)).status).toBe(status);
  });

  it('for what is not there gets 404, and one that fails gets 500 and no reason; the log has it', async () => {
    const { ask, errors } = routes({
      status: () => {
        throw new Error('the secret reason');
      },
    });
    expect((await ask('/nothing')).status).toBe(404);
    const failed = await ask('/api/v1/status', { headers: bearer('read') });
    expect([failed.status, await failed.text()]).toEqual([500, expect.not.stringContaining('secret')]);
    expect(errors).toEqual(['GET /api/v1/status: the secret reason']);
  });

  it.each(['/', '/healthz', '/api/v1/status', '/nothing'])('of %s is kept by no browser and no proxy', async (path) => {
    const { headers } = await routes().ask(path);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-security-policy')).toContain("default-src 'self'");
  });
});

describe('liveness and readiness', () => {
  it('are for anybody; readiness is 503 with its reasons until the daemon is ready', async () => {
    const { ask } = routes({ readiness: () => ({ ready: false, because: ['the journal is broken'] }) });
    expect(await (await ask('/healthz')).json()).toEqual({ ok: true, status: 'ok' });
    const readiness = await ask('/readyz');
    expect([readiness.status, await readiness.json()]).toEqual([
      503,
      { ready: false, because: ['the journal is broken'] },
    ]);
    expect((await routes().ask('/readyz')).status).toBe(200);
  });

  it('answer despite a wrong token, and despite hints that fail', async () => {
    const { ask } = routes({ hints: () => Promise.reject(new Error('broken')) });
    const wrong = { ...HOST, authorization: 'Bearer no' };
    expect((await ask('/healthz', { headers: wrong })).status).toBe(401);
    expect((await ask('/healthz', { headers: bearer('metrics') })).status).toBe(403);
    expect(await (await ask('/healthz', { headers: bearer('read') })).json()).toEqual({ ok: true, status: 'ok' });
  });
});

describe('the metrics', () => {
  it('are for anybody where no token is wanted, in the format that is asked for', async () => {
    const formats: boolean[] = [];
    const metrics = async (openMetrics: boolean) => {
      formats.push(openMetrics);
      return { contentType: 'text/plain', text: 'reeve_up 1\n' };
    };
    const { ask } = routes({ metrics });
    expect(await (await ask('/metrics')).text()).toBe('reeve_up 1\n');
    await ask('/metrics', { headers: { ...HOST, accept: 'application/openmetrics-text; version=1.0.0' } });
    expect(formats).toEqual([false, true]);
  });

  it('need a token with the scope metrics where one is wanted', async () => {
    const { ask } = routes({}, { metricsNeedToken: true });
    const status = async (headers: Record<string, string>) => (await ask('/metrics', { headers })).status;
    expect(await status(HOST)).toBe(401);
    expect(await status({ ...HOST, authorization: 'Bearer no' })).toBe(401);
    expect(await status(bearer('hints'))).toBe(403);
    expect(await status(bearer('metrics'))).toBe(200);
  });

  it('stand alone on a listener of their own, and then not on this one', async () => {
    const { ask, deps } = routes({}, { withMetrics: false });
    expect((await ask('/metrics')).status).toBe(404);
    const own = createMetricsRoutes(deps);
    expect((await own.request('http://localhost/metrics', { headers: HOST })).status).toBe(200);
    expect((await own.request('http://localhost/healthz', { headers: HOST })).status).toBe(404);
    const foreign = { host: 'elsewhere.example' };
    expect((await own.request('http://localhost/metrics', { headers: foreign })).status).toBe(403);
  });
});

describe('what the disk of the journal does not take', () => {
  it('is refused in words that say so, and that nothing is changed meanwhile', async () => {
    const { ask, errors } = routes({
      status: () => {
        throw new ReeveError('JOURNAL_UNWRITABLE', 'cannot write journal.db: database or disk is full');
      },
    });
    const answer = await ask('/api/v1/status', { headers: bearer('read') });
    expect(answer.status).toBe(503);
    const { error, message } = (await answer.json()) as { error: string; message: string };
    expect(error).toBe('journal_unwritable');
    expect(message).toContain('not done, because the journal takes nothing: cannot write journal.db');
    expect(message).toContain('Reeve restarts nothing by itself');
    expect(errors).toHaveLength(1);
  });
});
