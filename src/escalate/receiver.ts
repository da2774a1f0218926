/** The receiver port and its message types. */
import type { FailureClass, Severity } from '../core/classification.ts';
import type { EpochMs } from '../core/clock.ts';
import { ReeveError } from '../core/errors.ts';
import type { EscalationReason } from '../core/incident.ts';
import type { ProbeFailure } from '../core/sample.ts';
import type { IncidentId, Place, Scope } from '../core/scope.ts';
import { failureOf, RequestFailed, statusOf } from '../resilience/failure.ts';

/** `trigger`: something new; `repeat`: still open and not acknowledged; `resolve`: over. */
export type NoticeKind = 'trigger' | 'repeat' | 'resolve';

/** What receivers may sort, group and route by. */
export interface NoticeLabels {
  readonly severity: Severity;
  readonly reason: EscalationReason;
  readonly classification: FailureClass | undefined;
  /** Where its scope lay when this was raised: a page keeps its labels when its channel moves or goes. */
  readonly place?: Place | undefined;
}

/** One message to one receiver. */
export interface Notice extends NoticeLabels {
  /** The same for every attempt to send this message, over restarts too; another for every other message. */
  readonly id: string;
  readonly what: NoticeKind;
  /** The dedup key: trigger, updates, repeats and resolve of one page share it. */
  readonly key: string;
  readonly scope: Scope;
  readonly incident: IncidentId | undefined;
  /** At most 200 characters, one line. */
  readonly summary: string;
  /** At most 2,000 characters. */
  readonly details: string;
  readonly openedAt: EpochMs;
  readonly resolvedAt: EpochMs | undefined;
  /** Why it was resolved. */
  readonly because: string | undefined;
  /** How often it was raised since this receiver was last notified: what flood control held back is counted here. */
  readonly raised: number;
  /** Other labels under which it may be open there: known ones, and those of an attempt whose end was not seen. */
  readonly previous: readonly NoticeLabels[];
}

/** Where a scope belongs, as far as the configuration says. */
export type PlaceOf = (scope: Scope) => Place;

/** Somewhere that a person hears of it. */
export interface Receiver {
  readonly name: string;
  /** It cannot recognise a message that it has taken before: people see each copy. */
  readonly showsCopies?: boolean;
  /** Resolves when the receiver took it (2xx). Throws a `ReeveError` otherwise, or the signal's reason. */
  deliver(notice: Notice, signal: AbortSignal): Promise<void>;
  /** For receivers that forget what is not repeated: everything open and what was just resolved, all at once. */
  readonly refresh?: {
    readonly everyMs: number;
    send(notices: readonly Notice[], signal: AbortSignal): Promise<void>;
  };
}

export interface PostRequest {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** The operator's own server may answer whatever it likes. Default: by a web page, or a no, it was not taken. */
  readonly takesAnyAnswer?: boolean;
}

/**
 * Sends a body by HTTP POST. The caller's transport bounds time and size and follows no redirect. It may throw for
 * statuses other than 2xx, or give them back.
 */
export type PostJson = (url: string, request: PostRequest) => Promise<PostAnswer>;

interface PostAnswer {
  readonly status: number;
  readonly retryAfterMs?: number | undefined;
  /** The body is HTML: a login, a portal or an error of something that stands before the receiver. */
  readonly isWebPage?: boolean;
  /** The body is JSON that says no, as that of interfaces which answer each question with 200. */
  readonly saysNo?: boolean;
}

const WEB_PAGE = 'answered with a web page';
const SAYS_NO = 'answered that it did not take it';
/** Of answers with a good status that are none. */
const NO_ANSWER: ReadonlySet<string> = new Set([WEB_PAGE, SAYS_NO]);
/** Statuses that say: come again. */
const RETRYABLE_STATUS = new Set([408, 425, 429]);

/**
 * Posts and insists on 2xx, by the receiver itself and no page before it, and on no 'no' with a good status. Throws
 * RECEIVER_UNREACHABLE (come again) or RECEIVER_REFUSED, never naming the URL.
 */
export async function postOrThrow(post: PostJson, url: string, request: PostRequest): Promise<void> {
  const { status, retryAfterMs, isWebPage = false, saysNo = false } = await post(url, request);
  if (status >= 200 && status < 300) {
    if ((!isWebPage && !saysNo) || request.takesAnyAnswer === true) return;
    throw new RequestFailed('RECEIVER_REFUSED', isWebPage ? WEB_PAGE : SAYS_NO, { failure: 'invalid_answer', status });
  }
  const again = status >= 500 || RETRYABLE_STATUS.has(status);
  throw new RequestFailed(again ? 'RECEIVER_UNREACHABLE' : 'RECEIVER_REFUSED', `answered ${status}`, {
    failure: 'http_status',
    status,
    retryAfterMs,
  });
}

/**
 * What went wrong, from a fixed set of texts: for the journal and for metrics. Never the error's own text, because the
 * path of a receiver's URL is often a secret.
 */
export function describeFailure(thrown: unknown): string {
  const status = statusOf(thrown);
  if (thrown instanceof RequestFailed && NO_ANSWER.has(thrown.message)) return thrown.message;
  if (status !== undefined) return `answered ${status}`;
  if (thrown instanceof ReeveError && thrown.code === 'BREAKER_OPEN') return 'breaker open';
  return failureOf(thrown);
}

const AFTER_SENDING: ReadonlySet<ProbeFailure> = new Set([
  'reset',
  'timeout',
  'truncated',
  'invalid_answer',
  'too_large',
]);

/** The receiver may have taken the message all the same: only its answer is missing. */
export const mayHaveArrived = (thrown: unknown): boolean => AFTER_SENDING.has(failureOf(thrown));

/** The receiver is there and says no to this message; anything else is an outage of the receiver. */
export const isRefusal = (thrown: unknown): boolean =>
  thrown instanceof ReeveError && thrown.code === 'RECEIVER_REFUSED';
