// Bearer tokens: what each may do, and how one is known again without being kept.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { TokenScope } from '../../core/access.ts';

export interface TokenGrant {
  readonly name: string;
  readonly scopes: readonly TokenScope[];
  /** SHA-256 of the token in hex: the token itself is not kept in memory. */
  readonly sha256: string;
}

/** SHA-256 in hex. Enough for 256 random bits, which no dictionary holds; a password would need more. */
export const sha256Of = (token: string): string => createHash('sha256').update(token).digest('hex');

/** A fresh token of 256 bits. Its beginning lets people and secret scanners see what it is. */
export const newToken = (): string => `reeve_${randomBytes(32).toString('base64url')}`;

/** Compares in constant time and tries every grant, so that timing reveals nothing. */
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
