// Opens the listeners of the API, the console and the metrics, and closes them.
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import type { Hono } from 'hono';
import type { Clock } from '../core/clock.ts';
import { messageOf, ReeveError } from '../core/errors.ts';
import type { TokenGrant } from './auth/grants.ts';
import { hostsOf } from './auth/origin.ts';
import { Refusals } from './auth/refusals.ts';
import { boundConnections, type Connections, SERVER_LIMITS } from './connections.ts';
import type { HttpEnv, Refusal } from './request.ts';
import { createMetricsRoutes, createRoutes, type RouteDeps } from './routes.ts';

export interface HttpOptions {
  readonly host: string;
  /** 0 takes a free port. */
  readonly port: number;
  readonly allowedHosts: readonly string[];
  /** Tokens that hold as long as the listener does. */
  readonly tokens: readonly TokenGrant[];
  /** Tokens that come and go while it listens; asked at each request. */
  readonly namedTokens?: (() => readonly TokenGrant[]) | undefined;
  /** A listener of its own for /metrics; undefined: /metrics is served beside the API. */
  readonly metrics: { readonly host: string; readonly port: number } | undefined;
}

export type ServerDeps = Pick<RouteDeps, 'daemon' | 'intake' | 'onUse' | 'onError'> & {
  readonly clock: Clock;
  /** One line about what was refused, at most one per source and minute. */
  readonly onRefusal?: ((text: string) => void) | undefined;
};

export interface HttpServer extends AsyncDisposable {
  readonly url: string;
  readonly metricsUrl: string;
  /** What was turned away since the start. */
  readonly refused: () => readonly { readonly reason: Refusal | 'connection'; readonly count: number }[];
}

/** Starts listening; resolves when the port is bound. */
export async function startServer(options: HttpOptions, deps: ServerDeps): Promise<HttpServer> {
  const refusals = new Refusals({ clock: deps.clock, report: (text) => deps.onRefusal?.(text) });
  const grants = () => [...options.tokens, ...(options.namedTokens?.() ?? [])];
  const open = async (create: (own: RouteDeps) => Hono<HttpEnv>, at: { host: string; port: number }) => {
    let hosts: ReadonlySet<string> = new Set();
    const listening = await listen(create({ ...deps, grants, refusals, hosts: () => hosts }), at);
    hosts = hostsOf(listening.address, options.allowedHosts);
    return listening;
  };
  const main = await open((own) => createRoutes(own, options.metrics === undefined), options);
  const metrics = options.metrics && (await open(createMetricsRoutes, options.metrics));
  const all = metrics === undefined ? [main] : [main, metrics];
  return {
    url: urlOf(main.address),
    metricsUrl: `${urlOf((metrics ?? main).address)}/metrics`,
    refused: () => [
      ...refusals.totals(),
      { reason: 'connection', count: all.reduce((sum, { connections }) => sum + connections.cut(), 0) },
    ],
    async [Symbol.asyncDispose]() {
      await Promise.all(all.map(({ server }) => close(server)));
    },
  };
}

interface Listening {
  readonly server: Server;
  readonly connections: Connections;
  readonly address: { readonly host: string; readonly port: number };
}

function listen(app: Hono<HttpEnv>, { host, port }: { host: string; port: number }): Promise<Listening> {
  return new Promise((resolve, reject) => {
    const bound = (address: AddressInfo) => resolve({ server, connections, address: { host, port: address.port } });
    const options = { fetch: app.fetch, hostname: host, port, serverOptions: SERVER_LIMITS };
    const server = serve(options, bound) as Server;
    const connections = boundConnections(server);
    server.once('error', (cause) => reject(cannotListen({ host, port }, cause)));
  });
}

const cannotListen = ({ host, port }: { host: string; port: number }, cause: unknown): ReeveError =>
  new ReeveError('PORT_UNAVAILABLE', `cannot listen on ${host}:${port}: ${messageOf(cause)}`, {
    cause,
    hint: 'Does something else listen there, or another Reeve? Choose another address under http: listen.',
  });

const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });

const urlOf = ({ host, port }: { host: string; port: number }): string =>
  `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
