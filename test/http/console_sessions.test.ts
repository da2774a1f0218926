import { describe, expect, it, onTestFinished } from 'vitest';
import { TOKEN_SCOPES } from '../../src/core/access.ts';
import { CSRF_HEADER } from '../../src/http/auth/sessions.ts';
import { aDaemon, served } from './support.ts';

async function console_() {
  const { ask, server } = await served(aDaemon().daemon);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return ask;
}
/** The name and value of the cookie that an answer sets. */
const cookieOf = (answer: Response): string => (answer.headers.get('set-cookie') ?? '').split(';')[0]!;

describe('a session of the console', () => {
  it('is opened with a token: a cookie for this host that no script reads, and the other half in the answer', async () => {
    const ask = await console_();
    const answer = await ask('/api/v1/session', { method: 'POST', scope: 'read' });
    const cookie = answer.headers.get('set-cookie')!;
    expect(cookie).toMatch(/^reeve=/);
    for (const attribute of ['HttpOnly', 'SameSite=Strict', 'Path=/']) expect(cookie).toContain(attribute);
    const { csrf, name, scopes } = (await answer.json()) as { csrf: string; name: string; scopes: string[] };
    expect([name, scopes]).toEqual(['read', ['read']]);
    expect(cookie).not.toContain(csrf);
  });

  it('tells who asks and all that is allowed, so that the page shows no button that would be refused', async () => {
    const ask = await console_();
    const asked = async (scope: string) => (await ask('/api/v1/session', { scope })).json();
    expect(await asked('read')).toEqual({ name: 'read', scopes: ['read'], may: ['read', 'metrics'] });
    expect(await asked('approve')).toMatchObject({ may: ['read', 'approve', 'metrics'] });
    expect(await asked('admin')).toMatchObject({ scopes: ['admin'], may: TOKEN_SCOPES });
  });

  it('is good with both halves and with neither alone', async () => {
    const ask = await console_();
    const opened = await ask('/api/v1/session', { method: 'POST', scope: 'read' });
    const cookie = cookieOf(opened);
    const { csrf } = (await opened.json()) as { csrf: string };
    const statusWith = async (headers: Record<string, string>) => (await ask('/api/v1/status', { headers })).status;
    expect(await statusWith({ cookie, [CSRF_HEADER]: csrf })).toBe(200);
    expect(await statusWith({ cookie })).toBe(401);
    expect(await statusWith({ [CSRF_HEADER]: csrf })).toBe(401);
    expect(await statusWith({ cookie, [CSRF_HEADER]: 'x' })).toBe(401);
  });

  it('is not opened by another session: only a token opens one', async () => {
    const ask = await console_();
    const opened = await ask('/api/v1/session', { method: 'POST', scope: 'read' });
    const { csrf } = (await opened.json()) as { csrf: string };
    const headers = { cookie: cookieOf(opened), [CSRF_HEADER]: csrf };
    expect((await ask('/api/v1/session', { method: 'POST', headers })).status).toBe(400);
  });

  it('is over once it is ended, and its cookie is taken back', async () => {
    const ask = await console_();
    const opened = await ask('/api/v1/session', { method: 'POST', scope: 'read' });
    const { csrf } = (await opened.json()) as { csrf: string };
    const headers = { cookie: cookieOf(opened), [CSRF_HEADER]: csrf };
    const ended = await ask('/api/v1/session/end', { method: 'POST', headers });
    expect(ended.headers.get('set-cookie')).toMatch(/^reeve=;.*Max-Age=0/);
    expect((await ask('/api/v1/status', { headers })).status).toBe(401);
  });
});
