/** One model server behind a breaker, a deadline and caps; every failure becomes one of a closed set. */
import type { Clock } from '../core/clock.ts';
import { peerName } from '../core/peer.ts';
import { type ErrorCode, InvariantError, messageOf, ReeveError } from '../core/errors.ts';
import type { ModelAnswer, ModelFailure, ModelReply } from '../core/model.ts';
import { RequestFailed } from '../resilience/failure.ts';
import { boundedFetch, type HttpAnswer } from '../resilience/http.ts';
import { createTransport, type Transport } from '../resilience/transport.ts';

/** Where a model server is, and how much of an answer is read. */
export interface ModelServer {
  /** For people, the breaker and the log. */
  readonly id: string;
  /** Without a slash at its end. */
  readonly url: string;
  /** Asked for at each request, so that it stands in no long-lived object. */
  readonly key?: (() => string) | undefined;
  /** Largest answer in bytes as it comes over the wire. */
  readonly bytesMax: number;
}

/** A request as a server's adapter makes it. */
export interface WireRequest {
  /** The whole address. */
  readonly url: string;
  readonly method: string;
  readonly body?: string | undefined;
  readonly signal: AbortSignal;
  readonly onData?: (piece: Buffer) => void;
}

/** A request that the server refused, as a failure of `core/model.ts`. */
class ModelRefused extends RequestFailed {
  readonly modelFailure: ModelFailure;

  constructor(code: ErrorCode, message: string, details: { readonly status: number; readonly failure: ModelFailure }) {
    super(code, message, { failure: 'http_status', status: details.status });
    this.modelFailure = details.failure;
  }
}

const REQUEST_MS_MAX = 600_000;
const ERROR_CHARS = 120;
const TRY_AGAIN = new Set([408, 425, 429]);

/** A server's error text as plain ASCII on one line, at most 120 characters: for an operator's log and nothing else. */
export const plainText = (error: unknown): string =>
  String(error)
    .replaceAll(/[^\x20-\x7e]+/g, ' ')
    .trim()
    .slice(0, ERROR_CHARS);

/** Sends to one server only, follows nothing, reads a bounded answer. */
export class ModelWire implements Disposable {
  readonly server: ModelServer;
  readonly #ask: ReturnType<typeof boundedFetch>;
  readonly #transport: Transport;

  constructor(server: ModelServer, clock: Clock) {
    this.server = server;
    this.#ask = boundedFetch(clock, { unreachable: 'MODEL_UNREACHABLE', refused: 'MODEL_REFUSED' });
    const limits = { timeoutMs: REQUEST_MS_MAX, unreachable: 'MODEL_UNREACHABLE', openMs: 30_000 } as const;
    this.#transport = createTransport(`model/${server.id}`, limits, clock);
  }

  [Symbol.dispose](): void {
    this.#transport[Symbol.dispose]();
    this.#ask[Symbol.dispose]();
  }

  /** Runs one exchange under the breaker and the deadline. Throws what `failureOfModel` reads. */
  exchange<T>(timeoutMs: number, signal: AbortSignal | undefined, action: (signal: AbortSignal) => Promise<T>) {
    return this.#transport.call(action, { timeoutMs, signal });
  }

  /** One HTTP request inside an exchange. Throws for every status that is no success. */
  async send({ url, method, body, signal, onData }: WireRequest): Promise<HttpAnswer> {
    if (!isBelow(url, this.server.url)) {
      throw new InvariantError(`${peerName(url)} is asked for what is below ${peerName(this.server.url)}`);
    }
    const key = this.server.key?.();
    const answer = await this.#ask({
      url,
      method,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
      ...(body === undefined ? {} : { body }),
      timeoutMs: REQUEST_MS_MAX,
      bytesMax: this.server.bytesMax,
      accept: () => true,
      repeatable: false,
      signal,
      onData: (piece, status) => (status < 300 ? onData?.(piece) : undefined),
    });
    if (answer.status >= 300) throw refusal(this.server.id, answer);
    return answer;
  }
}

/** As addresses, not as text: a client library writes the port out and the host in small letters. */
function isBelow(url: string, base: string): boolean {
  const [asked, own] = [new URL(url), new URL(`${base}/`)];
  return asked.origin === own.origin && asked.pathname.startsWith(own.pathname);
}

/** Ollama says `{"error":"text"}`, OpenAI's format `{"error":{"message":"text","code":"model_not_found"}}`. */
function refusal(server: string, { status, body }: HttpAnswer): ModelRefused {
  const { message, code } = errorIn(body);
  const failure: ModelFailure =
    status >= 500 || TRY_AGAIN.has(status)
      ? 'unreachable'
      : status === 404 && (code === 'model_not_found' || /\bmodel\b/i.test(message))
        ? 'model_not_found'
        : 'refused';
  const quoted = message === '' ? '' : `: ${plainText(message)}`;
  const reported = failure === 'unreachable' ? 'MODEL_UNREACHABLE' : 'MODEL_REFUSED';
  return new ModelRefused(reported, `${server} answered ${status}${quoted}`, { status, failure });
}

function errorIn(body: Buffer): { readonly message: string; readonly code: string } {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    const error = (parsed as { error?: unknown } | null)?.error;
    if (typeof error === 'string') return { message: error, code: '' };
    const { message, code } = (error ?? {}) as { message?: unknown; code?: unknown };
    return { message: typeof message === 'string' ? message : '', code: typeof code === 'string' ? code : '' };
  } catch {
    return { message: '', code: '' };
  }
}

const BY_CODE: Partial<Record<ErrorCode, ModelFailure>> = {
  TIMED_OUT: 'deadline',
  BREAKER_OPEN: 'breaker_open',
  ANSWER_TOO_LARGE: 'too_large',
  MODEL_ANSWER_INVALID: 'invalid_response',
  MODEL_REFUSED: 'refused',
};

/** Why an exchange brought nothing. */
function failureOfModel(thrown: unknown): ModelFailure {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 4; error = error.cause, depth += 1) {
    if (error instanceof ModelRefused) return error.modelFailure;
    if (error instanceof RequestFailed && isRedirect(error.status)) return 'redirected';
    if (error instanceof ReeveError && BY_CODE[error.code] !== undefined) return BY_CODE[error.code]!;
  }
  return 'unreachable';
}

const isRedirect = (status: number | undefined): boolean => status !== undefined && status >= 300 && status < 400;

/** The reply of an exchange, or why there is none: nothing that a server does is thrown on. */
export async function answered(
  signal: AbortSignal | undefined,
  action: () => Promise<ModelReply>,
): Promise<ModelAnswer> {
  try {
    return { ok: true, reply: await action() };
  } catch (thrown) {
    if (thrown instanceof InvariantError) throw thrown;
    const failure = signal?.aborted === true ? 'aborted' : failureOfModel(thrown);
    return { ok: false, failure, because: messageOf(thrown).slice(0, 300) };
  }
}

/** A server's answer is not what its interface says. */
export const invalidAnswer = (server: string, what: string): ReeveError =>
  new ReeveError('MODEL_ANSWER_INVALID', `${server}: ${what}`);
