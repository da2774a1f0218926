// The console's way in: a token is exchanged for a session, and nothing that lasts stays in the browser.
import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { allows, TOKEN_SCOPES } from '../core/access.ts';
import { CSRF_HEADER, SESSION_MS, type SessionKeys, type Sessions } from './auth/sessions.ts';
import type { DescribedRoutes } from './openapi.ts';
import type { HttpEnv } from './request.ts';

export interface ConsoleSessionDeps {
  readonly sessions: Sessions;
  /** True where the browser speaks TLS to us, or to the proxy that we trust. */
  readonly isSecure: (c: Context<HttpEnv>) => boolean;
}

/** `__Host-`: set by this very host, over TLS, for no other. Browsers take that name only with `Secure`. */
const nameOf = (secure: boolean): string => (secure ? '__Host-reeve' : 'reeve');

/** Both halves as the request carries them; either may be missing. */
export const sessionKeysOf = (c: Context, { isSecure }: Pick<ConsoleSessionDeps, 'isSecure'>): Partial<SessionKeys> => {
  const cookie = getCookie(c, nameOf(isSecure(c)));
  const csrf = c.req.header(CSRF_HEADER);
  return { ...(cookie !== undefined && { cookie }), ...(csrf !== undefined && { csrf }) };
};

/**
 * `POST /api/v1/session` opens one for the bearer token of the request, `POST /api/v1/session/end` ends it. `GET` of
 * the first tells what it may do: the page shows no button that would be refused.
 */
export function addConsoleSessions(routes: DescribedRoutes, deps: ConsoleSessionDeps): void {
  routes.get('/api/v1/session', { summary: 'Who asks, and every scope that is allowed' }, (c) => {
    const { name, scopes } = c.var.grant;
    return c.json({ name, scopes, may: TOKEN_SCOPES.filter((scope) => allows(scopes, scope)) });
  });
  routes.post('/api/v1/session', { summary: 'Opens a session of the console for the bearer token' }, (c) => {
    if (c.req.header('authorization') === undefined) {
      const message = 'a session is opened with a token: Authorization: Bearer <token>';
      return c.json({ error: 'invalid', message }, 400);
    }
    const secure = deps.isSecure(c);
    const { cookie, csrf } = deps.sessions.open(c.var.grant);
    setCookie(c, nameOf(secure), cookie, {
      ...{ httpOnly: true, sameSite: 'Strict', path: '/', secure, maxAge: SESSION_MS / 1_000 },
    });
    const { name, scopes } = c.var.grant;
    return c.json({ csrf, name, scopes, ends_in_ms: SESSION_MS });
  });
  routes.post('/api/v1/session/end', { summary: 'Ends it' }, (c) => {
    deps.sessions.end(sessionKeysOf(c, deps));
    const secure = deps.isSecure(c);
    deleteCookie(c, nameOf(secure), { path: '/', secure });
    return c.json({ ok: true });
  });
}
