// Which requests may come from a browser: those of Reeve's own page alone.

/** What a browser reports of where a request comes from. */
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

export interface OwnAddress {
  readonly host: string;
  /** Undefined for a unix socket. */
  readonly port: number | undefined;
}

/** The Host values that mean this server: its own address, the names of loopback, and what the operator listed. */
export function hostsOf(address: OwnAddress, allowed: readonly string[]): ReadonlySet<string> {
  const { host, port } = address;
  const names = [host.includes(':') ? `[${host}]` : host, 'localhost', '127.0.0.1', '[::1]'];
  if (port === undefined) return new Set([...names, ...allowed].map((name) => name.toLowerCase()));
  // A proxy with TLS passes on the name alone, for its port is the usual one.
  const listed = allowed.flatMap((name) => (/:\d+$/.test(name) ? [name] : [name, `${name}:${port}`]));
  return new Set([...names.map((name) => `${name}:${port}`), ...listed].map((name) => name.toLowerCase()));
}
