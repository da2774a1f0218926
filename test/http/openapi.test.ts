import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { type TokenGrant, sha256Of } from '../../src/http/auth/grants.ts';
import { Refusals } from '../../src/http/auth/refusals.ts';
import { DescribedRoutes } from '../../src/http/openapi.ts';
import { createPeers } from '../../src/http/peers.ts';
import type { HttpEnv } from '../../src/http/request.ts';
import { createRoutes } from '../../src/http/routes.ts';
import { aDaemon } from './support.ts';

const TOKEN = 'x'.repeat(40);
const grantWith = (...scopes: TokenGrant['scopes']): TokenGrant => ({ name: 'ann', scopes, sha256: sha256Of(TOKEN) });

function anApp(grant = grantWith('admin')) {
  const { daemon, commands } = aDaemon();
  const app = createRoutes(
    {
      ...{ daemon, clock: systemClock, onError: () => undefined, metricsNeedToken: false },
      hosts: () => new Set(['localhost']),
      grants: () => [grant],
      refusals: new Refusals({ clock: systemClock, report: () => undefined }),
      peerOf: createPeers([]),
      intake: { take: () => ({ kind: 'taken', lines: 0, ignored: 0 }) },
    },
    true,
  );
  const ask = async (path: string, init: RequestInit = {}) =>
    app.request(`http://localhost${path}`, {
      ...init,
      headers: { host: 'localhost', authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
    });
  return { app, ask, commands };
}

interface Operation {
  readonly summary: string;
  readonly parameters: readonly { readonly name: string; readonly in: string }[];
  readonly requestBody?: { readonly content: Record<string, { readonly schema: { readonly type: string } }> };
  readonly responses: Readonly<Record<string, unknown>>;
}
interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const documentOf = async (): Promise<Document> =>
  (await (await anApp().ask('/api/v1/openapi.json')).json()) as Document;
const operations = async () =>
  Object.entries((await documentOf()).paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );

describe('the OpenAPI document', () => {
  it('has every route that is served, and serves every route that it has', async () => {
    const served = anApp()
      .app.routes.filter(({ method, path }) => method !== 'ALL' && /^\/(api|loki|v1|wiki)\//.test(path))
      .map(({ method, path }) => `${method.toLowerCase()} ${path.replace(/:(\w+)/g, '{$1}')}`);
    const described = (await operations()).map(({ path, method }) => `${method} ${path}`);
    expect(described.toSorted()).toEqual([...new Set(served)].toSorted());
  });

  it('keeps the paths of the contract', async () => {
    const { paths } = await documentOf();
    const reads = 'status channels incidents incidents/{id} approvals personas rules insights memory journal stats';
    for (const name of `${reads} blind_spots events tokens hints outcomes/export`.split(' ')) {
      expect(paths[`/api/v1/${name}`], name).toHaveProperty('get');
    }
    for (const name of 'freeze thaw leases approvals/{id} reload logs alerts promote prompt/build prompt/feedback'.split(
      ' ',
    )) {
      expect(paths[`/api/v1/${name}`], name).toHaveProperty('post');
    }
    for (const path of ['/loki/api/v1/push', '/v1/logs']) expect(paths[path]).toHaveProperty('post');
  });

  it('names each parameter of a path, a schema for each body, and the scope that is asked', async () => {
    for (const { path, operation } of await operations()) {
      const inPath = operation.parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
      expect(inPath).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
      expect(operation.summary).toMatch(/\(scope \w+\)$/);
      for (const status of ['401', '403']) expect(operation.responses).toHaveProperty(status);
      expect(Object.keys(operation.responses).some((status) => status === '200' || status === '204')).toBe(true);
    }
    const { paths } = await documentOf();
    const body = paths['/api/v1/leases']!.post!.requestBody!.content['application/json']!.schema;
    expect(body).toMatchObject({ type: 'object', required: ['scope', 'because'], additionalProperties: false });
  });

  it('says of each scope what is asked: a token with less is refused, whatever the route', async () => {
    for (const { path, method, operation } of await operations()) {
      const scope = /\(scope (\w+)\)$/.exec(operation.summary)![1]!;
      const weaker = grantWith(scope === 'ingest' ? 'read' : scope === 'read' ? 'metrics' : 'read');
      const { ask } = anApp(weaker);
      const answer = await ask(path.replace(/\{\w+\}/g, 'x'), { method: method.toUpperCase() });
      expect({ path, status: answer.status }).toEqual({ path, status: 403 });
    }
  });
});

describe('a route that describes itself', () => {
  it('hands over the parameters that it names, and no others', async () => {
    const app = new Hono<HttpEnv>();
    app.use(async (c, next) => {
      c.set('grant', grantWith('read'));
      await next();
    });
    const routes = new DescribedRoutes(app);
    routes.get('/a/{id}', { summary: 'A', query: { limit: 'at most' } }, (c, query) => c.json(query));
    const answer = await app.request('/a/1?limit=5&secret=2');
    expect(await answer.json()).toEqual({ limit: '5' });
  });
});
