import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import type { TokenScope } from '../../src/core/access.ts';
import { type HttpEnv, needs, REFUSALS, refuse, wire } from '../../src/http/request.ts';

function asking(scopes: readonly TokenScope[]) {
  const app = new Hono<HttpEnv>();
  app.use(async (c, next) => {
    c.set('grant', { name: 'ann', scopes } as HttpEnv['Variables']['grant']);
    await next();
  });
  app.get('/operate', (c) => needs(c, 'operate') ?? c.text('done'));
  app.get('/wire/:what', (c) => wire(c, c.req.param('what') === 'known' ? { openMs: 5 } : undefined, 'incident'));
  app.get('/refuse/:reason', (c) => refuse(c, c.req.param('reason') as (typeof REFUSALS)[number], 'because'));
  return (path: string) => app.request(path);
}

describe('a route that needs a scope', () => {
  it('answers a token that has it, and refuses one that does not by name', async () => {
    expect((await asking(['operate'])('/operate')).status).toBe(200);
    const refused = await asking(['read'])('/operate');
    expect(refused.status).toBe(403);
    expect(await refused.json()).toEqual({
      ...{ error: 'forbidden', message: 'this needs a token with the scope operate; ann has read' },
    });
  });
});

describe('a refusal', () => {
  it('has the status of its reason, and asks for a token only where one is missing', async () => {
    const ask = asking([]);
    const answers = await Promise.all(REFUSALS.map((reason) => ask(`/refuse/${reason}`)));
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 403, 403, 413, 400]);
    expect(answers.map(({ headers }) => headers.has('www-authenticate'))).toEqual([
      ...[true, true, false, false, false, false],
    ]);
  });
});

describe('an answer', () => {
  it('is in wire names, and 404 with what was asked for where there is none', async () => {
    expect(await (await asking([])('/wire/known')).json()).toEqual({ open_ms: 5 });
    const none = await asking([])('/wire/none');
    expect([none.status, await none.json()]).toEqual([
      ...[404, { error: 'not_found', message: 'there is no such incident' }],
    ]);
  });
});
