/** The probe of a channel's source. */
import http from 'node:http';
import https from 'node:https';
import type { Readable } from 'node:stream';
import type { Clock } from '../../core/clock.ts';
import { ReeveError } from '../../core/errors.ts';
import { addressWithin } from '../../core/peer.ts';
import type { SourceSample } from '../../core/sample.ts';
import { failureOf } from '../../resilience/failure.ts';
import { nameLookup } from '../../resilience/name_lookup.ts';
import { isIcy, openIcy } from './icy.ts';
import { isCorruptTransportStream } from './mpegts.ts';

export type SourceReading = Omit<SourceSample, 'at' | 'monoMs' | 'source' | 'kind' | 'channel'>;

export interface SourceProbeOptions {
  readonly url: string;
  readonly expect: 'mpegts' | 'any';
  /** Origins that redirects may lead to, beside the address's own. */
  readonly redirectsTo?: readonly string[] | undefined;
  readonly clock: Clock;
  /**
   * Nothing is in doubt: the first bytes that prove what is expected are enough. Otherwise it reads for a moment, for a
   * source that falls silent may still have something to give at once.
   */
  readonly isCalm?: boolean;
  /** Default: by HTTP. */
  readonly open?: OpenSource | undefined;
}

/** What a source sends, as it comes. */
export type Incoming = Pick<http.IncomingMessage, 'statusCode' | 'headers'> & Readable;
export type OpenedSource = { readonly incoming: Incoming } | { readonly error: unknown };
/** Asks for a source once, and follows nothing. Never rejects; an error once the signal has aborted is its reason. */
export type OpenSource = (url: URL, signal: AbortSignal) => Promise<OpenedSource>;

/** Packets of which the look at a calm channel takes a verdict. */
const PROOF_BYTES = 64 * 188;
/** Enough to judge, and no more than a viewer would take in a moment. */
const BYTES_MAX = 65_536;
const READ_MS_MAX = 2_000;
const REDIRECTS_MAX = 3;
const HEADER_BYTES_MAX = 16_384;

/**
 * Looks at what a channel reads from, as a viewer of its own: asks, reads for a moment or until there is proof, closes.
 * Accepted without a byte before the signal aborts is a timeout. Redirects are followed to the same origin and to those
 * that the configuration names. Never throws.
 */
export async function probeSource(options: SourceProbeOptions, signal: AbortSignal): Promise<SourceReading> {
  const url = new URL(options.url);
  const host = url.host;
  let at = url;
  for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects += 1) {
    const opened = await (options.open ?? openByHttp)(at, signal);
    if ('error' in opened) return { ok: false, failure: failureOf(opened.error), host };
    const { incoming } = opened;
    const status = incoming.statusCode ?? 0;
    if (status >= 200 && status < 300) return { ...(await judge(incoming, options, signal)), status, host };
    incoming.destroy();
    const next = status >= 300 && status < 400 ? locationOf(incoming, at, options.redirectsTo) : undefined;
    if (next === undefined) return refusedWith(incoming, status, host);
    at = next;
  }
  return { ok: false, failure: 'invalid_answer', host };
}

const locationOf = ({ headers }: Incoming, at: URL, allowed?: readonly string[]): URL | undefined =>
  headers.location === undefined ? undefined : addressWithin(headers.location, at, allowed);

function refusedWith({ headers }: Incoming, status: number, host: string): SourceReading {
  const seconds = headers['retry-after'];
  const retry = seconds !== undefined && /^\d{1,6}$/.test(seconds) ? { retryAfterMs: Number(seconds) * 1_000 } : {};
  return { ok: false, failure: 'http_status', status, host, ...retry };
}

function openByHttp(url: URL, signal: AbortSignal): Promise<OpenedSource> {
  const { promise, resolve } = Promise.withResolvers<OpenedSource>();
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return Promise.resolve({ error: new ReeveError('ENGINE_ANSWER_INVALID', `cannot ask ${url.protocol}`) });
  }
  const request = requestTo(url, signal);
  if ('error' in request) return Promise.resolve(request);
  request.on('response', (incoming) => {
    incoming.on('error', () => undefined);
    resolve({ incoming });
  });
  request.on('error', (error) => {
    if (signal.aborted) return resolve({ error: signal.reason });
    resolve(url.protocol === 'http:' && isIcy(error) ? openIcy(url, signal) : { error });
  });
  request.on('close', () => resolve({ error: Object.assign(new Error('closed'), { code: 'ECONNRESET' }) }));
  request.end();
  return promise;
}

/** A redirect may lead to an address that Node refuses to ask: one whose user name is no sound escape. */
function requestTo(url: URL, signal: AbortSignal): http.ClientRequest | { readonly error: unknown } {
  const headers = { 'accept-encoding': 'identity', connection: 'close' };
  try {
    return (url.protocol === 'https:' ? https : http).request(url, {
      ...{ headers, agent: false, signal, maxHeaderSize: HEADER_BYTES_MAX, lookup: nameLookup },
    });
  } catch (cause) {
    return { error: new ReeveError('ENGINE_ANSWER_INVALID', `cannot ask ${url.host}`, { cause }) };
  }
}

type Judgement = Pick<SourceReading, 'ok' | 'failure' | 'silentMs'>;

async function judge(incoming: Incoming, options: SourceProbeOptions, signal: AbortSignal): Promise<Judgement> {
  const { bytes, ending, silentMs } = await readSome(incoming, options, signal);
  if (bytes.length === 0) return { ok: false, failure: ending === 'open' ? 'timeout' : 'truncated' };
  if (ending === 'broken') return { ok: false, failure: 'truncated' };
  if (options.expect === 'any') return { ok: true, silentMs };
  // A channel's transport stream has no end.
  if (isCorruptTransportStream(bytes)) return { ok: false, failure: 'corrupt' };
  return ending === 'ended' ? { ok: false, failure: 'truncated' } : { ok: true, silentMs };
}

interface SomeBytes {
  readonly bytes: Buffer;
  /** Still sending, ended as it should, or broken off. */
  readonly ending: 'open' | 'ended' | 'broken';
  /** Since the last byte. */
  readonly silentMs: number;
}

/** Reads until there is enough, for a moment after the first byte, or until the signal aborts. Then closes. */
function readSome(
  incoming: Incoming,
  { clock, expect, isCalm = false }: SourceProbeOptions,
  signal: AbortSignal,
): Promise<SomeBytes> {
  const { promise, resolve } = Promise.withResolvers<SomeBytes>();
  const chunks: Buffer[] = [];
  let length = 0;
  let lastMs = clock.monotonicMs();
  let moment: Disposable | undefined;
  const end = (ending: SomeBytes['ending']): void => {
    moment?.[Symbol.dispose]();
    signal.removeEventListener('abort', onAbort);
    incoming.destroy();
    const silentMs = Math.round(clock.monotonicMs() - lastMs);
    resolve({ bytes: Buffer.concat(chunks).subarray(0, BYTES_MAX), ending, silentMs });
  };
  const onAbort = (): void => end('open');
  incoming.on('data', (chunk: Buffer) => {
    moment ??= clock.after(READ_MS_MAX, () => end('open'));
    chunks.push(chunk);
    length += chunk.length;
    lastMs = clock.monotonicMs();
    if (length >= BYTES_MAX || (isCalm && isProven(chunks, length, expect))) end('open');
  });
  incoming.on('end', () => end('ended'));
  incoming.on('close', () => end(signal.aborted ? 'open' : 'broken'));
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  return promise;
}

/** What seems damaged is no proof: it is read on, and judged by more. */
const isProven = (chunks: readonly Buffer[], length: number, expect: SourceProbeOptions['expect']): boolean =>
  expect === 'any' || (length >= PROOF_BYTES && !isCorruptTransportStream(Buffer.concat(chunks)));
