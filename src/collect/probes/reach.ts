/** The probes of plain reachability, TCP and HTTP. */
import { connect } from 'node:net';
import type { ReachSample } from '../../core/sample.ts';
import { failureOf, statusOf } from '../../resilience/failure.ts';
import type { BoundedFetch } from '../../resilience/http.ts';
import { nameLookup } from '../../resilience/name_lookup.ts';
import { isIcy } from './icy.ts';

export type ReachReading = Omit<ReachSample, 'at' | 'monoMs' | 'source' | 'kind' | 'channel'>;

const failed = (error: unknown): ReachReading => {
  const status = statusOf(error);
  return { ok: false, failure: failureOf(error), ...(status === undefined ? {} : { status }) };
};

/** Does somebody accept a connection? Nothing is sent. Never throws. */
export function reachTcp(host: string, port: number, signal: AbortSignal): Promise<ReachReading> {
  const { promise, resolve } = Promise.withResolvers<ReachReading>();
  const socket = connect({ host, port, lookup: nameLookup });
  const end = (reading: ReachReading): void => {
    signal.removeEventListener('abort', onAbort);
    socket.destroy();
    resolve(reading);
  };
  const onAbort = (): void => end(failed(signal.reason));
  socket.on('connect', () => end({ ok: true }));
  socket.on('error', (error) => end(failed(error)));
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  return promise;
}

const FIRST_BYTES = 4_096;

export interface ReachHttp {
  readonly url: string;
  readonly ask: BoundedFetch;
  readonly timeoutMs: number;
}

/** Does it answer, and with something? Of an endless body the first bytes are enough. A redirect is an answer. */
export async function reachHttp({ url, ask, timeoutMs }: ReachHttp, signal: AbortSignal): Promise<ReachReading> {
  try {
    const { status } = await ask({ url, timeoutMs, bytesMax: FIRST_BYTES, cut: true, signal });
    return { ok: true, status };
  } catch (error) {
    if (isIcy(error)) return { ok: true, status: 200 };
    const reading = failed(error);
    const redirected = reading.status !== undefined && reading.status >= 300 && reading.status < 400;
    return redirected ? { ok: true, ...(reading.status === undefined ? {} : { status: reading.status }) } : reading;
  }
}
