/** Opens streams of SHOUTcast, whose answer begins with `ICY 200 OK` and not with `HTTP/`. */
import { connect, type Socket } from 'node:net';
import { nameLookup } from '../../resilience/name_lookup.ts';

const BEGINS = /^ICY 2\d\d\b/;
/** An error is followed at most this far down its causes, so that a cycle ends. */
const CAUSES_MAX = 8;

/** The error is Node's, which knows no such answer. */
export function isIcy(thrown: unknown): boolean {
  let error = thrown;
  for (let depth = 0; depth < CAUSES_MAX && error instanceof Error; depth += 1) {
    const { rawPacket } = error as Error & { readonly rawPacket?: unknown };
    if (Buffer.isBuffer(rawPacket)) return BEGINS.test(rawPacket.toString('latin1', 0, 8));
    error = error.cause;
  }
  return false;
}

type Opened =
  | { readonly incoming: Socket & { readonly statusCode: number; readonly headers: Record<string, never> } }
  | { readonly error: unknown };

/** Asks once more, and takes what comes as it comes: what stands before the stream counts as its first bytes. */
export function openIcy(url: URL, signal: AbortSignal): Promise<Opened> {
  const { promise, resolve } = Promise.withResolvers<Opened>();
  const socket = connect({
    ...{ host: url.hostname.replace(/^\[|\]$/g, ''), port: Number(url.port || '80') },
    lookup: nameLookup,
  });
  const onAbort = (): void => {
    socket.destroy();
    resolve({ error: signal.reason });
  };
  socket.on('error', (error) => resolve({ error }));
  socket.on('connect', () => {
    signal.removeEventListener('abort', onAbort);
    const login = decodeURIComponent(`${url.username}:${url.password}`);
    const known = login === ':' ? '' : `Authorization: Basic ${Buffer.from(login).toString('base64')}\r\n`;
    socket.write(`GET ${url.pathname}${url.search} HTTP/1.0\r\nHost: ${url.host}\r\n${known}\r\n`);
    resolve({ incoming: Object.assign(socket, { statusCode: 200, headers: {} }) });
  });
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  return promise;
}
