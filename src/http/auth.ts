import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { ReeveError } from '../core/errors.ts';

/** What a token allows; each scope includes the ones before it. */
export const TOKEN_SCOPES = ['read', 'ack', 'operate', 'admin'] as const;
/** `ingest` stands beside them: it may hand in lines and alerts and see nothing. `operate` includes it. */
export type TokenScope = (typeof TOKEN_SCOPES)[number] | 'ingest';

export interface TokenGrant {
  readonly name: string;
  readonly scope: TokenScope;
  /** SHA-256 of the token in hex: the token itself is not kept in memory. */
  readonly sha256: string;
}

export const sha256Of = (token: string): string => createHash('sha256').update(token).digest('hex');

export function includes(held: TokenScope, needed: TokenScope): boolean {
  if (held === 'ingest') return needed === 'ingest';
  return TOKEN_SCOPES.indexOf(held) >= TOKEN_SCOPES.indexOf(needed === 'ingest' ? 'operate' : needed);
}

/**
 * The token of this installation, created on first start: 256 bits, readable by its owner only.
 * Throws CONFIG_INVALID when others may read the file.
 */
export function ensureToken(path: string, modeOf: (path: string) => number): string {
  if (!existsSync(path)) {
    writeFileSync(path, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600, flag: 'wx' });
    chmodSync(path, 0o600);
  }
  if ((modeOf(path) & 0o077) !== 0) {
    throw new ReeveError('CONFIG_INVALID', `${path} can be read by others`, { hint: `chmod 600 ${path}` });
  }
  const token = readFileSync(path, 'utf8').trim();
  if (token.length >= 32) return token;
  throw new ReeveError('CONFIG_INVALID', `${path} should hold a token of at least 32 characters, got ${token.length}`, {
    hint: 'Delete the file: the next start makes a new token.',
  });
}

/** Compares in constant time and tries every grant, so that timing tells nothing. */
export function grantOf(grants: readonly TokenGrant[], authorization: string | undefined): TokenGrant | undefined {
  const [kind, token] = (authorization ?? '').split(' ');
  if (kind?.toLowerCase() !== 'bearer' || token === undefined) return undefined;
  const presented = Buffer.from(sha256Of(token), 'hex');
  let found: TokenGrant | undefined;
  for (const grant of grants) {
    if (timingSafeEqual(presented, Buffer.from(grant.sha256, 'hex'))) found = grant;
  }
  return found;
}

/** What a browser tells of where a request comes from. */
export interface RequestOrigin {
  readonly method: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly fetchSite: string | undefined;
}

/**
 * Refuses what a foreign page could make a browser send: a Host that is not ours (DNS rebinding), another Origin,
 * or a cross-site fetch. Asked on every request, loopback included. Undefined means fine, else why not.
 */
export function refusalOf(request: RequestOrigin, hosts: ReadonlySet<string>): string | undefined {
  const host = request.host?.toLowerCase();
  if (host === undefined || !hosts.has(host)) {
    return `the Host header ${JSON.stringify(request.host ?? '')} is not one of ${[...hosts].join(', ')}`;
  }
  if (request.origin !== undefined && !isOwnOrigin(request.origin, hosts)) {
    return `requests from the origin ${JSON.stringify(request.origin)} are not accepted`;
  }
  const site = request.fetchSite;
  if (site === undefined || site === 'same-origin' || site === 'none') return undefined;
  return `cross-site requests are not accepted (Sec-Fetch-Site: ${JSON.stringify(site)})`;
}

function isOwnOrigin(origin: string, hosts: ReadonlySet<string>): boolean {
  const match = /^https?:\/\/([^/]+)$/.exec(origin.toLowerCase());
  return match?.[1] !== undefined && hosts.has(match[1]);
}

/** The Host values that mean this server: its own address, the names of loopback, and what the operator listed. */
export function hostsOf(address: { host: string; port: number }, allowed: readonly string[]): ReadonlySet<string> {
  const names = [address.host.includes(':') ? `[${address.host}]` : address.host, 'localhost', '127.0.0.1', '[::1]'];
  const listed = allowed.flatMap((name) => (/:\d+$/.test(name) ? [name] : [name, `${name}:${address.port}`]));
  return new Set([...names.map((name) => `${name}:${address.port}`), ...listed].map((name) => name.toLowerCase()));
}
