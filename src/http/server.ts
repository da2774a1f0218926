// Opens the listeners of the API, the console and the metrics, and closes them.
import type { Server as TlsServer } from 'node:tls';
import type { Hono } from 'hono';
import type { TokenGrant } from './auth/grants.ts';
import { hostsOf } from './auth/origin.ts';
import { Refusals } from './auth/refusals.ts';
import { close, listen, type ListenAt } from './listener.ts';
import { createPeers } from './peers.ts';
import type { HttpEnv, Refusal } from './request.ts';
import { createMetricsRoutes, createRoutes, type RouteDeps } from './routes.ts';
import { type Certificate, readCertificate, type TlsFiles, watchCertificate } from './tls.ts';

interface TcpAddress {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
}

export interface HttpOptions extends Partial<TcpAddress> {
  /** A unix socket beside the port, or instead of it where `host` is left out. */
  readonly socket?: string | undefined;
  readonly tls?: TlsFiles | undefined;
  /** Proxies that may speak for others; where there are any, no other peer may connect from another machine. */
  readonly trustedProxies?: readonly string[] | undefined;
  readonly allowedHosts: readonly string[];
  /** Tokens that hold as long as the listener does. */
  readonly tokens: readonly TokenGrant[];
  /** Tokens that come and go while it listens; asked at each request. */
  readonly namedTokens?: (() => readonly TokenGrant[]) | undefined;
  /** A listener of its own for /metrics; undefined: /metrics is served beside the API. */
  readonly metrics: TcpAddress | undefined;
  /** /metrics wants a token with the scope metrics. */
  readonly metricsNeedToken?: boolean | undefined;
}

export type ServerDeps = Pick<RouteDeps, 'daemon' | 'clock' | 'intake' | 'onUse' | 'onError'> & {
  /** One line about what was refused, at most one per source and minute. */
  readonly onRefusal?: ((text: string) => void) | undefined;
  /** Called with the certificate at the start, and of each that takes its place. */
  readonly onCertificate?: ((certificate: Certificate) => void) | undefined;
};

export interface HttpServer extends AsyncDisposable {
  /** Where the API is: the port where there is one, else `unix:` and the path of the socket. */
  readonly url: string;
  readonly metricsUrl: string;
  /** What was turned away since the start. */
  readonly refused: () => readonly { readonly reason: Refusal | 'connection'; readonly count: number }[];
}

/** Starts listening; resolves when everything is bound. Throws PORT_UNAVAILABLE or CONFIG_INVALID. */
export async function startServer(options: HttpOptions, deps: ServerDeps): Promise<HttpServer> {
  await using building = new AsyncDisposableStack();
  const refusals = new Refusals({ clock: deps.clock, report: (text) => deps.onRefusal?.(text) });
  const peerOf = createPeers(options.trustedProxies ?? []);
  const grants = () => [...options.tokens, ...(options.namedTokens?.() ?? [])];
  const metricsNeedToken = options.metricsNeedToken === true;
  const certificate = options.tls && readCertificate(options.tls);
  if (certificate !== undefined) deps.onCertificate?.(certificate);
  const open = async (create: (own: RouteDeps) => Hono<HttpEnv>, at: ListenAt) => {
    let hosts: ReadonlySet<string> = new Set();
    const own = { ...deps, grants, refusals, peerOf, metricsNeedToken, hosts: () => hosts };
    const listener = await listen(create(own), at, deps.onError);
    building.defer(() => close(listener.server));
    const host = 'socket' in at ? 'localhost' : at.host;
    hosts = hostsOf({ host, port: listener.port }, options.allowedHosts);
    return listener;
  };
  const withMetrics = options.metrics === undefined;
  const api = (own: RouteDeps) => createRoutes(own, withMetrics);
  const { host, port = 0, socket, metrics } = options;
  const listeners = [
    ...(host === undefined ? [] : [await open(api, { host, port, certificate })]),
    ...(socket === undefined ? [] : [await open(api, { socket })]),
  ];
  const scraped = metrics && (await open(createMetricsRoutes, { ...metrics, certificate }));
  const all = scraped === undefined ? listeners : [...listeners, scraped];
  if (options.tls !== undefined) {
    const servers = all
      .filter(({ url }) => url.startsWith('https:'))
      .map(({ server }) => server as unknown as TlsServer);
    const onChange = (next: Certificate): void => deps.onCertificate?.(next);
    building.use(watchCertificate(options.tls, servers, { clock: deps.clock, report: deps.onError, onChange }));
  }
  const url = listeners[0]?.url ?? '';
  const running = building.move();
  return {
    url,
    metricsUrl: `${scraped?.url ?? url}/metrics`,
    refused: () => [
      ...refusals.totals(),
      { reason: 'connection', count: all.reduce((sum, { connections }) => sum + connections.cut(), 0) },
    ],
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}
