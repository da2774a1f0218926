// What a token may be good for.

/**
 * `read` sees everything but secrets; `ack` stops a page from being repeated; `operate` freezes, leases, resets and
 * hands in lines; `approve` answers questions and nothing else; `admin` may do all of it, and hands out tokens.
 * `ingest` hands in lines and alerts and sees nothing; `metrics` reads /metrics alone; `hints` asks for hints, says
 * what came of them, and sees nothing else.
 */
export const TOKEN_SCOPES = ['read', 'ack', 'operate', 'approve', 'admin', 'ingest', 'metrics', 'hints'] as const;
export type TokenScope = (typeof TOKEN_SCOPES)[number];

/** What each scope brings along. `approve` is in none of them but `admin`: who operates need not be who decides. */
const BRINGS: Readonly<Record<TokenScope, readonly TokenScope[]>> = {
  read: ['read', 'metrics'],
  ack: ['ack', 'read', 'metrics'],
  operate: ['operate', 'ack', 'read', 'ingest', 'metrics', 'hints'],
  approve: ['approve', 'read', 'metrics'],
  admin: TOKEN_SCOPES,
  ingest: ['ingest'],
  metrics: ['metrics'],
  hints: ['hints'],
};

/** True when one of the scopes held is, or brings along, the one that is needed. */
export const allows = (held: readonly TokenScope[], needed: TokenScope): boolean =>
  held.some((scope) => BRINGS[scope].includes(needed));
