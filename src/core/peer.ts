/** How other machines are named in messages, and where an answer of theirs may lead. */

/**
 * `scheme://host:port`, for logs, errors and metrics. No user, path or query: each may be a secret (stream addresses
 * with the password as a folder, webhooks, signed requests). A socket is its own name.
 */
export function peerName(url: string | URL, socketPath?: string): string {
  if (socketPath !== undefined) return socketPath;
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
}

/**
 * Where a redirect, or an address that an answer names, may lead: to the scheme, host and port that were asked, or to
 * one of `allowed` (origins as `https://cdn.example:8443`). Undefined: it is not asked. A peer
 * that chose the next address freely could make Reeve ask what only this machine may reach.
 */
export function addressWithin(address: string, base: string | URL, allowed: readonly string[] = []): URL | undefined {
  const target = URL.parse(address, String(base));
  if (target === null || !/^https?:$/.test(target.protocol)) return undefined;
  return target.origin === new URL(base).origin || allowed.includes(target.origin) ? target : undefined;
}
