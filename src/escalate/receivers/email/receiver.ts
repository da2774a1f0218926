/** Notifies people by e-mail, through an SMTP server (RFC 5321). */
import { hash } from 'node:crypto';
import type { ReeveError } from '../../../core/errors.ts';
import type { ProbeFailure } from '../../../core/sample.ts';
import { failureOf, RequestFailed } from '../../../resilience/failure.ts';
import type { Notice, Receiver } from '../../receiver.ts';
import { dedupKeyOf, detailsOf, factsOf, headlineOf } from '../message.ts';
import type { EmailDocument } from './schema.ts';

const SUBJECT_CHARACTERS_MAX = 200;
/** Less than the deadline of a delivery, so that a connection never outlasts it for long. */
const STEP_MS = 8_000;
const PORTS = { starttls: 587, implicit: 465, none: 25 } as const;

interface Deps {
  readonly guarded: (action: (signal: AbortSignal) => Promise<void>, signal: AbortSignal) => Promise<void>;
  readonly secret: (name: string) => string | undefined;
  readonly readFile: (path: string) => string;
}

/**
 * A message keeps its `Message-ID` over every attempt, and all messages of one page form one thread. A reply of 4xx is
 * tried again soon, one of 5xx seldom. The password is sent after TLS only, or to this machine.
 */
export function email(document: EmailDocument, deps: Deps): Receiver {
  const options = smtpOptions(document, deps);
  return {
    name: document.id,
    deliver: (notice, signal) => deps.guarded((limit) => send(document, notice, { options, signal: limit }), signal),
  };
}

function smtpOptions(document: EmailDocument, { secret, readFile }: Deps) {
  const { host, tls = 'starttls', port = PORTS[tls], username, ca_file: ca } = document;
  const password = secret('password');
  return {
    host,
    port,
    secure: tls === 'implicit',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'none',
    ...(ca === undefined ? {} : { tls: { ca: readFile(ca) } }),
    ...(username === undefined || password === undefined ? {} : { auth: { user: username, pass: password } }),
    connectionTimeout: STEP_MS,
    greetingTimeout: STEP_MS,
    socketTimeout: STEP_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

interface Attempt {
  readonly options: ReturnType<typeof smtpOptions>;
  readonly signal: AbortSignal;
}

/** One connection for one message: pages are rare, and a kept connection may be dead when it is needed. */
async function send(document: EmailDocument, notice: Notice, { options, signal }: Attempt): Promise<void> {
  // Loaded with the first message: most installations send none.
  const { createTransport } = await import('nodemailer');
  signal.throwIfAborted();
  const transport = createTransport(options);
  try {
    // What was given up must not be taken later on: the end of its page may have been sent by then.
    await transport.sendMail({ ...mailOf(document, notice), signal });
  } catch (thrown) {
    signal.throwIfAborted();
    throw asFailure(thrown);
  } finally {
    transport.close();
  }
}

function mailOf(document: EmailDocument, notice: Notice) {
  const domain = document.from.slice(document.from.lastIndexOf('@') + 1);
  const thread = `<${hash('sha256', dedupKeyOf(notice), 'hex').slice(0, 32)}.reeve@${domain}>`;
  const facts = factsOf(notice).map(([name, value]) => `${name}: ${value}`);
  const link = document.console === undefined ? [] : ['', document.console];
  return {
    from: document.from,
    to: [...document.to],
    subject: headlineOf(notice, SUBJECT_CHARACTERS_MAX),
    text: [...facts, '', detailsOf(notice), ...link, ''].join('\n'),
    messageId: `<${notice.id}@${domain}>`,
    references: [thread],
    inReplyTo: thread,
    priority: notice.severity === 'critical' && notice.what !== 'resolve' ? ('high' as const) : ('normal' as const),
    headers: { 'Auto-Submitted': 'auto-generated' },
  };
}

/** What nodemailer adds to an error. */
interface SmtpError extends Error {
  readonly responseCode?: number;
  readonly code?: string;
}

/** nodemailer replaces Node's error codes by its own; the message still has them. */
const BY_MESSAGE: readonly (readonly [RegExp, ProbeFailure])[] = [
  [/certificate|self.signed|\bTLS\b|\bSSL\b/i, 'tls'],
  [/ECONNREFUSED/, 'refused'],
  [/ECONNRESET|EPIPE|closed unexpectedly/i, 'reset'],
  [/ENOTFOUND|EAI_AGAIN/, 'dns'],
  [/ETIMEDOUT|timeout/i, 'timeout'],
];

/**
 * A reply of 4xx asks to come again later: a server that delays strangers, or that is busy, bars who asks each few
 * seconds.
 */
const COME_AGAIN_MS = 15_000;

/** A reply of 5xx is a refusal, anything else an outage. The server's own text may quote addresses: it is left out. */
function asFailure(thrown: unknown): ReeveError {
  const { responseCode: status, code, message } = thrown as SmtpError;
  if (status !== undefined && code !== 'ETLS') {
    const details = { failure: 'http_status', status, cause: thrown } as const;
    if (status >= 500) return new RequestFailed('RECEIVER_REFUSED', `answered ${status}`, details);
    const later = { ...details, retryAfterMs: COME_AGAIN_MS };
    return new RequestFailed('RECEIVER_UNREACHABLE', `answered ${status}`, later);
  }
  const known = BY_MESSAGE.find(([pattern]) => pattern.test(message))?.[1];
  const failure = code === 'ETLS' ? 'tls' : (known ?? failureOf(thrown));
  return new RequestFailed('RECEIVER_UNREACHABLE', `could not be reached: ${failure}`, { failure, cause: thrown });
}
