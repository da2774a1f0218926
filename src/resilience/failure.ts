/** Types of failed requests. */
import { type ErrorCode, ReeveError } from '../core/errors.ts';
import type { ProbeFailure } from '../core/sample.ts';

/** A request that brought no usable answer, with what a sample or a back-off needs to know of it. */
export class RequestFailed extends ReeveError {
  readonly failure: ProbeFailure;
  /** The HTTP status, where one came. */
  readonly status: number | undefined;
  /** How long the peer asked to be left alone (`Retry-After`), where it did. */
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode, message: string, details: RequestFailedDetails) {
    super(code, message, details);
    this.name = 'RequestFailed';
    this.failure = details.failure;
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs;
  }
}

export interface RequestFailedDetails {
  readonly failure: ProbeFailure;
  readonly status?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** Error codes of Node and the resolver for what went wrong between two sockets. */
const BY_SYSTEM_CODE: Readonly<Record<string, ProbeFailure>> = {
  ECONNREFUSED: 'refused',
  ENOENT: 'refused',
  EACCES: 'refused',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  ECONNABORTED: 'reset',
  ETIMEDOUT: 'timeout',
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  EAI_FAIL: 'dns',
  EAI_NODATA: 'dns',
  ERR_TRUNCATED: 'truncated',
  EPROTO: 'tls',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'tls',
  UNABLE_TO_GET_ISSUER_CERT: 'tls',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'tls',
  SELF_SIGNED_CERT_IN_CHAIN: 'tls',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'tls',
};

const BY_REEVE_CODE: Partial<Record<ErrorCode, ProbeFailure>> = {
  TIMED_OUT: 'timeout',
  ANSWER_TOO_LARGE: 'too_large',
  ENGINE_ANSWER_INVALID: 'invalid_answer',
};

function failureOfSystemCode(code: string): ProbeFailure | undefined {
  const known = BY_SYSTEM_CODE[code];
  if (known !== undefined) return known;
  if (code.startsWith('HPE_')) return 'invalid_answer';
  if (code.startsWith('ERR_TLS_') || code.startsWith('ERR_SSL_') || code.startsWith('CERT_')) return 'tls';
  return undefined;
}

/** An error is followed at most this far down its causes, so that a cycle ends. */
const CAUSES_MAX = 8;

/** Why there is no usable answer, read from an error and its causes; `unreachable` where nothing says why. */
export function failureOf(thrown: unknown): ProbeFailure {
  let error = thrown;
  for (let depth = 0; depth < CAUSES_MAX && error instanceof Error; depth += 1) {
    const failure = failureOfOne(error);
    if (failure !== undefined) return failure;
    error = error instanceof AggregateError ? error.errors[0] : error.cause;
  }
  return 'unreachable';
}

function failureOfOne(error: Error): ProbeFailure | undefined {
  if (error instanceof RequestFailed) return error.failure;
  if (error instanceof ReeveError) return BY_REEVE_CODE[error.code];
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' ? failureOfSystemCode(code) : undefined;
}

/** The HTTP status behind an error, where there was one. */
export function statusOf(thrown: unknown): number | undefined {
  let error = thrown;
  for (let depth = 0; depth < CAUSES_MAX && error instanceof Error; depth += 1) {
    if (error instanceof RequestFailed) return error.status;
    error = error.cause;
  }
  return undefined;
}
