// The way to the daemon on this machine where fetch has none: its unix socket, and its own certificate.
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import type { Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { X509Certificate } from 'node:crypto';
import { Readable } from 'node:stream';
import { ReeveError } from '../core/errors.ts';

/** Where the daemon of a state directory is. */
export interface OwnDaemon {
  /** `http://localhost` for a socket. */
  readonly url: URL;
  readonly socketPath: string | undefined;
  /** What it presents, as PEM, where it speaks TLS: known by itself, whoever signed it and whatever name is in it. */
  readonly certificate: string | undefined;
}

/** `unix:/run/reeve/reeve.sock` or an http(s) address; undefined for anything else. */
export function parseOwnDaemon(address: string, certificate: string | undefined): OwnDaemon | undefined {
  if (address.startsWith('unix:/')) {
    return { url: new URL('http://localhost'), socketPath: address.slice('unix:'.length), certificate: undefined };
  }
  if (!URL.canParse(address)) return undefined;
  const url = new URL(address);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return undefined;
  return { url, socketPath: undefined, certificate: url.protocol === 'https:' ? certificate : undefined };
}

/** As `fetch` does, over the daemon's own socket or to its own certificate; plain HTTP is left to `fetcher`. */
export function fetchOwn(own: OwnDaemon, fetcher: typeof fetch): typeof fetch {
  if (own.socketPath === undefined && own.certificate === undefined) return fetcher;
  return async (input, init = {}) => {
    const url = new URL(String(input instanceof Request ? input.url : input));
    const way =
      own.socketPath === undefined ? { socket: await pinned(own, init.signal) } : { socketPath: own.socketPath };
    return send(url, init, way);
  };
}

/** Nothing is sent before the other side has shown the certificate that lies in the state directory. */
async function pinned({ url, certificate = '' }: OwnDaemon, signal?: AbortSignal | null): Promise<Socket> {
  const known = new X509Certificate(certificate).fingerprint256;
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const socket = connectTls({ host, port: Number(url.port || 443), rejectUnauthorized: false });
  // A daemon that hangs takes the connection and never shows anything.
  await once(socket, 'secureConnect', signal ? { signal } : {}).catch((cause: unknown) => {
    socket.destroy();
    throw cause;
  });
  if (socket.getPeerX509Certificate()?.fingerprint256 === known) return socket;
  socket.destroy();
  throw new ReeveError('DAEMON_UNREACHABLE', `${url.origin} shows another certificate than the daemon of this state`);
}

type Way = { readonly socketPath: string } | { readonly socket: Socket };

async function send(url: URL, init: RequestInit, way: Way): Promise<Response> {
  const headers = Object.fromEntries(new Headers(init.headers));
  const options: RequestOptions = {
    ...{ method: init.method ?? 'GET', path: url.pathname + url.search, headers: { ...headers, host: url.host } },
    ...('socket' in way ? { createConnection: () => way.socket } : { socketPath: way.socketPath }),
    ...(init.signal && { signal: init.signal }),
  };
  const request = httpRequest(options);
  request.end(typeof init.body === 'string' ? init.body : undefined);
  const [answer] = (await once(request, 'response')) as [IncomingMessage];
  const status = answer.statusCode ?? 0;
  const body = status === 204 || status === 304 ? null : (Readable.toWeb(answer) as ReadableStream<Uint8Array>);
  return new Response(body, { status, headers: { 'content-type': answer.headers['content-type'] ?? '' } });
}
