// What the routes share: who asks, how a refusal and an answer look.
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { allows, type TokenScope } from '../core/access.ts';
import { toWire } from '../core/wire.ts';
import type { TokenGrant } from './auth/grants.ts';

/** Why a request was refused. A closed set: it is a label of a metric. The last two are about pushed bodies. */
export const REFUSALS = ['no_token', 'unknown_token', 'scope', 'foreign', 'body_too_large', 'body_invalid'] as const;
export type Refusal = (typeof REFUSALS)[number];

/** What the middleware hands to the routes. Bindings are missing where no real socket is behind a request. */
export interface HttpEnv {
  Variables: { grant: TokenGrant; refused?: Refusal };
  Bindings: Partial<HttpBindings>;
}

const STATUS = {
  no_token: 401,
  unknown_token: 401,
  scope: 403,
  foreign: 403,
  body_too_large: 413,
  body_invalid: 400,
} as const;

const ERRORS = { 400: 'invalid', 401: 'unauthorized', 403: 'forbidden', 413: 'too_large' } as const;

/** Refuses; the middleware around all routes counts it. */
export function refuse(c: Context, reason: Refusal, message: string): Response {
  c.set('refused', reason);
  const status = STATUS[reason];
  return c.json({ error: ERRORS[status], message }, status, status === 401 ? { 'WWW-Authenticate': 'Bearer' } : {});
}

/** Undefined when the request's token has the scope; else the refusal to send. */
export function needs(c: Context<HttpEnv>, scope: TokenScope): Response | undefined {
  const { grant } = c.var;
  if (allows(grant.scopes, scope)) return undefined;
  return refuse(c, 'scope', `this needs a token with the scope ${scope}; ${grant.name} has ${grant.scopes.join(', ')}`);
}

/** Answers in wire form, or 404 where there is no such thing: `what` is its kind, or says it whole. */
export const wire = (c: Context, value: unknown, what: string | (() => string) = 'thing') =>
  value === undefined
    ? c.json({ error: 'not_found', message: typeof what === 'string' ? `there is no such ${what}` : what() }, 404)
    : c.json(toWire(value) as never);
