// One listener: a TCP port with or without TLS, or a unix socket.
import { chmodSync, lstatSync, rmSync } from 'node:fs';
import type { Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import type { Hono } from 'hono';
import { messageOf, ReeveError } from '../core/errors.ts';
import { boundConnections, type Connections, SERVER_LIMITS } from './connections.ts';
import type { HttpEnv } from './request.ts';
import type { Certificate } from './tls.ts';

/** Where to listen. Port 0 takes a free one. */
export type ListenAt =
  | { readonly host: string; readonly port: number; readonly certificate?: Certificate | undefined }
  | { readonly socket: string };

export interface Listener {
  readonly server: Server;
  readonly connections: Connections;
  /** `https://127.0.0.1:7433` or `unix:/run/reeve/reeve.sock`. */
  readonly url: string;
  /** The port that it got; undefined for a socket. */
  readonly port: number | undefined;
}

/** The group may use the socket, and no other user: Reeve's directory says who is in it. */
const SOCKET_MODE = 0o660;

/** Resolves when it is bound. Throws PORT_UNAVAILABLE. `report`: what goes wrong with it from then on, each once. */
export function listen(app: Hono<HttpEnv>, at: ListenAt, report: (text: string) => void): Promise<Listener> {
  const certificate = 'socket' in at ? undefined : at.certificate;
  const server = createAdaptorServer({
    fetch: app.fetch,
    ...('socket' in at ? { hostname: 'localhost' } : { hostname: at.host }),
    ...(certificate === undefined
      ? { serverOptions: SERVER_LIMITS }
      : { createServer: createTlsServer, serverOptions: { ...SERVER_LIMITS, ...certificate, ...TLS } }),
  }) as Server;
  const connections = boundConnections(server);
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => reject(cannotListen(at, cause)));
    server.once('listening', () => goOn(server, report));
    if ('socket' in at) {
      removeLeftOver(at.socket);
      server.listen({ path: at.socket }, () => {
        chmodSync(at.socket, SOCKET_MODE);
        resolve({ server, connections, url: `unix:${at.socket}`, port: undefined });
      });
      return;
    }
    server.listen(at.port, at.host, () => {
      const { port } = server.address() as AddressInfo;
      const url = `${certificate === undefined ? 'http' : 'https'}://${hostOf(at.host)}:${port}`;
      resolve({ server, connections, url, port });
    });
  });
}

/**
 * A connection that cannot be accepted, as where no descriptor is left, is an error of the listener: one that nobody
 * hears ends the process.
 */
function goOn(server: Server, report: (text: string) => void): void {
  let told = '';
  server.on('error', (cause) => {
    const because = messageOf(cause);
    if (because !== told) report(`a connection was not accepted: ${because}`);
    told = because;
  });
}

/** TLS 1.2 is the oldest that browsers and scrapers still need. A handshake that stalls ends after ten seconds. */
const TLS = { minVersion: 'TLSv1.2', handshakeTimeout: 10_000 } as const;

/** "All addresses" is no address to connect to: from this machine it is loopback. */
const hostOf = (host: string): string => {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
};

/** One Reeve writes the journal, so a socket that is there belonged to one that died. Anything else is left alone. */
function removeLeftOver(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSocket() === true) rmSync(path);
}

function cannotListen(at: ListenAt, cause: unknown): ReeveError {
  const where = 'socket' in at ? at.socket : `${at.host}:${at.port}`;
  return new ReeveError('PORT_UNAVAILABLE', `cannot listen on ${where}: ${messageOf(cause)}`, {
    cause,
    hint: 'Does something else listen there, or another Reeve? Choose another address under http:.',
  });
}

export const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
