/** HTTP requests with bounds on everything. */
import http from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import { type Clock, deadline } from '../core/clock.ts';
import { type ErrorCode, messageOf, ReeveError } from '../core/errors.ts';
import { peerName } from '../core/peer.ts';
import { failureOf, RequestFailed } from './failure.ts';
import { nameLookup } from './name_lookup.ts';

export interface HttpRequest {
  readonly url: string | URL;
  /** Default GET. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Ask through this unix socket; the URL's host then only names the peer. */
  readonly socketPath?: string | undefined;
  /** From the first byte sent to the last byte read. */
  readonly timeoutMs: number;
  /** The longest body that is read; what is longer fails, or is cut with `cut`. */
  readonly bytesMax: number;
  /** Take the first `bytesMax` bytes of a body that does not end, and close. */
  readonly cut?: boolean;
  /** Statuses that count as an answer. Default 200 to 299; of 300 to 399 only 304: no redirect is followed. */
  readonly accept?: (status: number) => boolean;
  /**
   * Asking twice does no harm. Default for GET and HEAD. Such a request is sent again, once, when a kept-alive
   * connection turns out to be closed; any other is sent on a connection of its own, exactly once.
   */
  readonly repeatable?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Gets each piece of the body as it comes, up to `bytesMax` in all; what it throws ends the request. */
  readonly onData?: (piece: Buffer, status: number) => void;
}

export interface HttpAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
  /** The body was longer than `bytesMax` and was cut there. */
  readonly wasCut: boolean;
}

export interface HttpOptions {
  /** Reported when no answer came, or one that says to come again (408, 425, 429, 5xx). */
  readonly unreachable?: ErrorCode;
  /** Reported when the peer says no (any other status). */
  readonly refused?: ErrorCode;
  /** Connections per peer. Default 8. */
  readonly connectionsMax?: number;
}

/** Asks once and reads a bounded answer. Throws `RequestFailed` (see `failureOf`) or the signal's reason. */
export type BoundedFetch = ((request: HttpRequest) => Promise<HttpAnswer>) & Disposable;

const HEADER_BYTES_MAX = 16_384;
const RETRYABLE_STATUS = new Set([408, 425, 429]);

/**
 * HTTP with a bound on everything: time, size, connections to a peer, redirects (none), header bytes. No answer is
 * decompressed, so that a small one stays small. Disposing closes kept-alive connections.
 */
export function boundedFetch(clock: Clock, options: HttpOptions = {}): BoundedFetch {
  const { connectionsMax = 8 } = options;
  // What was opened for many looks at once is there for the next ones: its server closes what it does not want.
  const kept = { keepAlive: true, maxSockets: connectionsMax, maxFreeSockets: connectionsMax };
  const agents = { http: keepingFew(new http.Agent(kept)), https: keepingFew(new https.Agent(kept)) };
  const codes = {
    unreachable: options.unreachable ?? 'ENGINE_UNREACHABLE',
    refused: options.refused ?? 'ENGINE_REFUSED',
  } as const;

  const ask = async (request: HttpRequest): Promise<HttpAnswer> => {
    request.signal?.throwIfAborted();
    const url = new URL(request.url);
    const peer = peerName(url, request.socketPath);
    const late = () => new ReeveError('TIMED_OUT', `${peer} did not answer within ${request.timeoutMs} ms`);
    using limit = deadline(clock, request.timeoutMs, late, request.signal);
    try {
      return judge(await exchange({ ...request, url, signal: limit.signal, agents }), request, { peer, ...codes });
    } catch (error) {
      limit.signal.throwIfAborted();
      if (error instanceof ReeveError) throw error;
      const failure = failureOf(error);
      throw new RequestFailed(codes.unreachable, `${peer}: ${messageOf(error)}`, { failure, cause: error });
    }
  };
  return Object.assign(ask, {
    [Symbol.dispose]: () => {
      agents.http.destroy();
      agents.https.destroy();
    },
  });
}

/** Connections that are kept open without a request, to all peers together. */
const IDLE_MAX = 128;

/**
 * Keeps so many idle connections and closes others after their answer. The platform's own bound on all connections
 * lets a request wait for one that another peer keeps, for as long as that keeps it.
 */
function keepingFew<A extends http.Agent>(agent: A): A {
  // It tells by its result whether the connection is kept, which its type leaves out.
  const keep = agent.keepSocketAlive.bind(agent) as (socket: Duplex) => boolean;
  const idle = (): number => Object.values(agent.freeSockets).reduce((sum, sockets = []) => sum + sockets.length, 0);
  return Object.assign(agent, { keepSocketAlive: (socket: Duplex) => idle() < IDLE_MAX && keep(socket) });
}

interface Judge {
  readonly peer: string;
  readonly unreachable: ErrorCode;
  readonly refused: ErrorCode;
}

function judge(answer: HttpAnswer, request: HttpRequest, { peer, unreachable, refused }: Judge): HttpAnswer {
  const { status, wasCut } = answer;
  const redirects = status >= 300 && status < 400 && status !== 304;
  const accepted = (request.accept ?? ((code) => code >= 200 && code < 300))(status);
  if (redirects || !accepted) {
    const code = status >= 500 || RETRYABLE_STATUS.has(status) ? unreachable : refused;
    const problem = redirects ? `answered ${status}, and redirects are not followed` : `answered ${status}`;
    const details = { failure: 'http_status', status, retryAfterMs: retryAfterMs(answer.headers) } as const;
    throw new RequestFailed(code, `${peer} ${problem}`, details);
  }
  if (wasCut && request.cut !== true) {
    const message = `${peer} answered with more than ${request.bytesMax} bytes`;
    throw new RequestFailed('ANSWER_TOO_LARGE', message, { failure: 'too_large', status });
  }
  return answer;
}

/** `Retry-After` in seconds. The form with a date is left alone: a peer's wall clock decides nothing. */
export function retryAfterMs(headers: http.IncomingHttpHeaders): number | undefined {
  const seconds = headers['retry-after'];
  return seconds !== undefined && /^\d{1,6}$/.test(seconds) ? Number(seconds) * 1_000 : undefined;
}

interface Exchange extends HttpRequest {
  readonly url: URL;
  readonly agents: { readonly http: http.Agent; readonly https: https.Agent };
}

/** Sends it on a kept connection where that is safe, and again on a new one when the kept one was already dead. */
async function exchange(request: Exchange): Promise<HttpAnswer> {
  const repeatable = request.repeatable ?? (request.method === undefined || /^(GET|HEAD)$/.test(request.method));
  const sent = { reused: false };
  try {
    return await send(request, repeatable, sent);
  } catch (error) {
    if (!repeatable || !sent.reused || request.signal?.aborted || failureOf(error) !== 'reset') throw error;
    return await send(request, false, sent);
  }
}

function send(request: Exchange, keep: boolean, sent: { reused: boolean }): Promise<HttpAnswer> {
  const { url, agents, body } = request;
  const secure = url.protocol === 'https:';
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
  const outgoing = (secure ? https : http).request(url, {
    method: request.method ?? 'GET',
    headers: headersOf(request, keep),
    agent: keep ? agents[secure ? 'https' : 'http'] : false,
    maxHeaderSize: HEADER_BYTES_MAX,
    lookup: nameLookup,
    ...(request.socketPath === undefined ? {} : { socketPath: request.socketPath }),
  });
  // Node's own option for it watches the whole stream: a tenth of what a request costs.
  request.signal?.addEventListener('abort', () => outgoing.destroy(asError(request.signal?.reason)), { once: true });
  outgoing.on('error', reject);
  let answered = false;
  outgoing.on('close', () => {
    if (!answered) reject(resetError('closed the connection without an answer'));
  });
  outgoing.on('response', (incoming) => {
    answered = true;
    read(incoming, request).then(resolve, reject);
  });
  outgoing.on('socket', () => {
    sent.reused = outgoing.reusedSocket;
  });
  outgoing.end(body);
  return promise;
}

function headersOf(request: Exchange, keep: boolean): Record<string, string | number> {
  const { body } = request;
  return {
    'accept-encoding': 'identity',
    ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
    ...(keep ? {} : { connection: 'close' }),
    ...request.headers,
  };
}

const asError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error(messageOf(reason)));

const resetError = (message: string) => Object.assign(new Error(message), { code: 'ECONNRESET' });

/** Collects the body up to the cap; past it the connection is closed and nothing more is kept. */
function read(incoming: http.IncomingMessage, { bytesMax, onData }: HttpRequest): Promise<HttpAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
  const chunks: Buffer[] = [];
  let bytes = 0;
  let isEnded = false;
  const finish = (wasCut: boolean): void => {
    isEnded = true;
    if (wasCut) incoming.destroy();
    const body = chunks.length === 1 && !wasCut ? chunks[0]! : Buffer.concat(chunks, Math.min(bytes, bytesMax));
    resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body, wasCut });
  };
  incoming.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    chunks.push(chunk);
    if (bytes > bytesMax) return finish(true);
    try {
      onData?.(chunk, incoming.statusCode ?? 0);
    } catch (thrown) {
      reject(thrown);
      incoming.destroy();
    }
  });
  incoming.on('end', () => finish(false));
  incoming.on('error', (error) => reject(incoming.complete ? error : truncated(error)));
  incoming.on('close', () => {
    if (!isEnded) reject(truncated(undefined));
  });
  return promise;
}

const truncated = (cause: unknown) =>
  Object.assign(new Error('the connection ended in the middle of the answer', { cause }), { code: 'ERR_TRUNCATED' });
