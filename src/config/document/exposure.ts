// What is allowed and dangerous: reported by `reeve check` and at the start, and not refused.
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parseDuration } from '../../core/document/duration.ts';
import { DAY_MS, SECOND_MS } from '../../core/duration.ts';
import type { Problem } from '../../core/errors.ts';
import { valueAt } from '../shape.ts';
import { problemAt } from '../validate.ts';
import type { Path } from '../yaml.ts';
import { isLoopback, PLACEHOLDER } from './fields.ts';
import type { HttpConfig } from './http.ts';
import type { Reading } from './reading.ts';

/** Keys whose value goes out with each request. `secret` is none of them: it signs, and stays here. */
const CREDENTIAL = /^(?:user|username|(?:[a-z]+_)*(?:token|password|key|credential)(?:_env|_file)?)$/;
const SECRET_PARAMETER = /[?&][^=&#]*(?:token|secret|passw|api_?key|signature|credential)[^=&#]*=/i;
const EXPIRES_SOON_MS = 14 * DAY_MS;

/** Every warning about a configuration that is sound otherwise. `now` in milliseconds since the epoch. */
export function exposureOf(reading: Reading, http: HttpConfig, now: number): readonly Problem[] {
  const warnings: Problem[] = [];
  const warn = (path: Path, message: string, hint: string): void => {
    warnings.push(problemAt(reading.source, path, { message, hint }));
  };
  warnAboutListeners(http, warn);
  warnAboutCertificate(http, now, warn);
  warnAboutClearText(reading.source.value, [], warn);
  warnAboutReceivers(reading.source.value, warn);
  warnAboutPolls(reading.source.value, warn);
  return warnings;
}

type Warn = (path: Path, message: string, hint: string) => void;

function warnAboutListeners({ listen, metricsListen, metricsToken, tls, trustedProxies }: HttpConfig, warn: Warn) {
  const open = [
    ['listen', listen],
    ['metrics_listen', metricsListen],
  ] as const;
  for (const [key, address] of open) {
    if (address === undefined || isLoopback(address.host)) continue;
    if (tls === undefined && trustedProxies.length === 0) {
      const message = `${address.host} is open to other machines without TLS: who listens on the way reads tokens`;
      warn(
        ['http', key],
        message,
        'set http.tls, or listen on 127.0.0.1 or a socket behind a proxy (docs/exposure.md)',
      );
    }
    const hasMetrics = key === 'metrics_listen' || metricsListen === undefined;
    if (hasMetrics && metricsToken === undefined) {
      const message = '/metrics is open to every machine that reaches it: it names channels and counts';
      warn(['http', key], message, 'set http.metrics_token_file, or listen on 127.0.0.1');
    }
  }
}

function warnAboutCertificate({ tls }: HttpConfig, now: number, warn: Warn): void {
  if (tls === undefined) return;
  const ends = Date.parse(new X509Certificate(readFileSync(tls.certFile)).validTo);
  const path = ['http', 'tls', 'cert_file'];
  const day = new Date(ends).toISOString().slice(0, 10);
  if (ends <= now) warn(path, `the certificate ended on ${day}`, 'clients refuse it: put a new one there');
  else if (ends - now < EXPIRES_SOON_MS) warn(path, `the certificate ends on ${day}`, 'renew it: it is read again');
}

/** True for http:// to another machine. */
function isClearAndFar(text: unknown): text is string {
  if (typeof text !== 'string' || !text.startsWith('http://')) return false;
  const url = URL.parse(text.replace(PLACEHOLDER, 'x'));
  return url !== null && !isLoopback(url.hostname.replace(/^\[(.*)\]$/, '$1'));
}

/** In any entry that has an address and, beside it, something that is sent there to be let in. */
function warnAboutClearText(value: unknown, path: Path, warn: Warn): void {
  if (typeof value !== 'object' || value === null) return;
  const members = Object.entries(value).map(
    ([key, member]) => [Array.isArray(value) ? Number(key) : key, member] as const,
  );
  const credential = members.find(
    ([key, member]) => typeof key === 'string' && CREDENTIAL.test(key) && member !== null,
  );
  for (const [key, member] of members) {
    if (isClearAndFar(member) && (credential !== undefined || SECRET_PARAMETER.test(member))) {
      const what = credential === undefined ? 'the secret in this address' : `what ${credential[0]} names`;
      const message = `${what} goes over the network in clear`;
      warn([...path, key], message, 'use https://, or a proxy with TLS on this machine');
    }
    warnAboutClearText(member, [...path, key], warn);
  }
}

function warnAboutReceivers(value: unknown, warn: Warn): void {
  const receivers = valueAt(value, ['receivers']);
  for (const [index, receiver] of (Array.isArray(receivers) ? receivers : []).entries()) {
    const { kind, url, secret_env: name, secret_file: file } = receiver as Record<string, unknown>;
    if (kind !== 'webhook' || typeof url !== 'string' || name !== undefined || file !== undefined) continue;
    const { hostname = '' } = URL.parse(url) ?? {};
    if (isLoopback(hostname.replace(/^\[(.*)\]$/, '$1'))) continue;
    const message = 'pages go to another machine unsigned: anyone who reaches it can forge one, or its end';
    warn(['receivers', index, 'url'], message, 'set secret_file: every message is signed then (Standard Webhooks)');
  }
}

/** The state of a process counts for 10 s after it was read; a look may take a while, too. */
const POLL_MS_MAX = 8 * SECOND_MS;

function warnAboutPolls(value: unknown, warn: Warn): void {
  const engines = valueAt(value, ['engines']);
  for (const [index, engine] of (Array.isArray(engines) ? engines : []).entries()) {
    const poll = parseDuration((engine as Record<string, unknown>).poll);
    if (!('ok' in poll) || poll.ok <= POLL_MS_MAX) continue;
    const message = 'looked at this seldom, its processes are unknown in between, and nothing there is restarted';
    warn(['engines', index, 'poll'], message, 'poll: 1s is usual, 8s the most that does');
  }
}
