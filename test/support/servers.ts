import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { afterAll } from 'vitest';

const closing: (() => void)[] = [];

/** Call once in a test file that uses the servers: closes them all at its end. */
export function closeServersAfterAll(): void {
  afterAll(() => {
    for (const close of closing.splice(0)) close();
  });
}

/** An HTTP server on loopback; its address without a slash at the end. */
export async function serve(answer: http.RequestListener): Promise<string> {
  const server = http.createServer(answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`;
}

/** A peer that speaks bytes, not HTTP. */
export async function serveRaw(talk: (socket: net.Socket) => void): Promise<string> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    talk(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as net.AddressInfo).port}`;
}

/** Servers that answer, but never well. Each is what an adapter meets on a bad day. */
export const HOSTILE: Readonly<Record<string, { start: () => Promise<string>; failure: string }>> = {
  'talks HTML': { start: () => serve((_, response) => response.end('<html>nginx</html>')), failure: 'invalid_answer' },
  'answers nothing': { start: () => serve((_, response) => response.end()), failure: 'invalid_answer' },
  'answers with another JSON': {
    start: () => serve((_, response) => response.end('{"ok":true}')),
    failure: 'invalid_answer',
  },
  redirects: {
    start: () => serve((_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()),
    failure: 'http_status',
  },
  fails: { start: () => serve((_, response) => response.writeHead(500).end('boom')), failure: 'http_status' },
  'says no': { start: () => serve((_, response) => response.writeHead(403).end()), failure: 'refused_credentials' },
  hangs: { start: () => serveRaw(() => {}), failure: 'timeout' },
  drips: {
    start: () =>
      serve((_, response) => {
        const timer = setInterval(() => response.write(' '), 10);
        response.on('close', () => clearInterval(timer));
      }),
    failure: 'timeout',
  },
  'sends a gigabyte': {
    start: () =>
      serve((_, response) => {
        const block = Buffer.alloc(1 << 20, 0x20);
        let left = 1_024;
        const pour = (): void => {
          while (left > 0 && !response.destroyed) {
            left -= 1;
            if (!response.write(block)) {
              response.once('drain', pour);
              return;
            }
          }
        };
        pour();
      }),
    failure: 'too_large',
  },
  'speaks SSH': {
    start: () => serveRaw((socket) => socket.on('data', () => socket.end('SSH-2.0-OpenSSH_9.2\r\n'))),
    failure: 'invalid_answer',
  },
  resets: { start: () => serveRaw((socket) => socket.on('data', () => socket.resetAndDestroy())), failure: 'reset' },
  'breaks off': {
    start: () =>
      serveRaw((socket) => {
        socket.on('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n<methodResponse>'));
      }),
    failure: 'truncated',
  },
};
