// How many connections a listener keeps, and which go when there are more.
import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

/** Connections without a request under way: half-open, handshaking or kept alive. Of more, the oldest goes. */
export const WAITING_MAX = 256;
/** Connections in all. A request under way is never cut for another, so there is an end to them. */
const CONNECTIONS_MAX = 1_024;

/** Node's own limits: headers within 10 s, a request within 30 s, both looked at each second; 16 KiB of headers. */
export const SERVER_LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 5_000,
  maxHeaderSize: 16 * 1024,
} as const;

/** Connections that were cut since the start. */
export interface Connections {
  readonly cut: () => number;
}

/**
 * Keeps room for requests: when more than `waitingMax` connections ask for nothing, the one that has been silent
 * longest is cut. Half-open connections thereby crowd out each other, and a request that comes whole is answered.
 */
export function boundConnections(server: HttpServer, waitingMax = WAITING_MAX): Connections {
  const waiting = new Set<Socket>();
  const busy = new Map<Socket, number>();
  let cut = 0;
  const wait = (socket: Socket): void => {
    if (socket.destroyed) return;
    waiting.add(socket);
    const [oldest] = waiting;
    if (waiting.size <= waitingMax || oldest === undefined) return;
    waiting.delete(oldest);
    cut += 1;
    oldest.destroy();
  };
  const opened = (socket: Socket): void => {
    wait(socket);
    socket.once('close', () => {
      waiting.delete(socket);
      busy.delete(socket);
    });
  };
  server.maxConnections = CONNECTIONS_MAX;
  server.on('drop', () => {
    cut += 1;
  });
  server.on('connection', opened);
  // Under TLS the requests come by a socket of their own, around the one that was accepted.
  server.on('secureConnection', (socket: TLSSocket) => {
    for (const one of waiting) if (one !== socket && isSamePeer(one, socket)) waiting.delete(one);
    opened(socket);
  });
  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    waiting.delete(socket);
    busy.set(socket, (busy.get(socket) ?? 0) + 1);
    response.once('close', () => {
      const left = (busy.get(socket) ?? 1) - 1;
      if (left > 0) busy.set(socket, left);
      else if (busy.delete(socket)) wait(socket);
    });
  });
  return { cut: () => cut };
}

const isSamePeer = (a: Socket, b: Socket): boolean =>
  a.remotePort === b.remotePort && a.remoteAddress === b.remoteAddress && a.localAddress === b.localAddress;
