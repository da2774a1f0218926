// Where Reeve listens, over what, and for whom.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { messageOf } from '../../core/errors.ts';
import { valueAt } from '../shape.ts';
import { type Address, isLoopback, parseAddress } from './fields.ts';
import { httpPart } from './http_document.ts';
import type { Reading } from './reading.ts';
import { type Secret, secretFromFile } from './secret.ts';
import { tokenFrom } from './token.ts';

export interface HttpConfig {
  /** Undefined where only the socket is served. */
  readonly listen: Address | undefined;
  readonly socket: string | undefined;
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  readonly trustedProxies: readonly string[];
  readonly allowedHosts: readonly string[];
  readonly metricsListen: Address | undefined;
  readonly metricsToken: Secret | undefined;
}

/** Where the console and the API are by default. */
const STANDARD_LISTEN: Address = { host: '127.0.0.1', port: 7433 };
/** What the kernel takes as the path of a socket is a little over it. */
const SOCKET_CHARS_MAX = 100;

export function readHttp(reading: Reading): HttpConfig {
  const document = reading.part('http', httpPart) ?? {};
  const socket = document.socket === undefined ? undefined : reading.pathOf(document.socket);
  if (socket !== undefined && socket.length > SOCKET_CHARS_MAX) {
    const message = `expected a path of at most ${SOCKET_CHARS_MAX} characters, got ${socket.length}: ${socket}`;
    reading.note(['http', 'socket'], message, 'for example /run/reeve/reeve.sock');
  }
  checkListeners(reading);
  return {
    listen: document.listen ?? (socket === undefined ? STANDARD_LISTEN : undefined),
    socket,
    tls: tlsOf(reading, document.tls),
    trustedProxies: document.trusted_proxies ?? [],
    allowedHosts: document.allowed_hosts ?? [],
    metricsListen: document.metrics_listen,
    metricsToken: metricsTokenOf(reading, document),
  };
}

function metricsTokenOf(reading: Reading, document: z.output<typeof httpPart>): Secret | undefined {
  const keys = { token_env: document.metrics_token_env, token_file: document.metrics_token_file };
  if (keys.token_env === undefined && keys.token_file === undefined) return undefined;
  return tokenFrom(reading, ['http'], { ...keys, prefix: 'metrics_' });
}

function tlsOf(reading: Reading, tls: z.output<typeof httpPart>['tls']): HttpConfig['tls'] {
  if (tls === undefined) return undefined;
  const files = { certFile: reading.pathOf(tls.cert_file), keyFile: reading.pathOf(tls.key_file) };
  const key = secretFromFile(files.keyFile);
  if (!('ok' in key)) {
    reading.note(['http', 'tls', 'key_file'], key.no, key.hint);
    return files;
  }
  try {
    const certificate = new X509Certificate(readFileSync(files.certFile));
    if (!certificate.checkPrivateKey(createPrivateKey(key.ok.reveal()))) {
      reading.note(['http', 'tls', 'key_file'], 'the key is not that of the certificate', 'take the pair that belongs');
    }
  } catch (thrown) {
    const message = `expected a certificate and its key as PEM: ${messageOf(thrown)}`;
    reading.note(['http', 'tls', 'cert_file'], message, 'check both files');
  }
  return files;
}

function checkListeners(reading: Reading): void {
  const at = (key: string): Address | undefined => {
    const value = valueAt(reading.source.value, ['http', key]);
    const meaning = typeof value === 'string' ? parseAddress(value, 0) : undefined;
    return meaning && 'ok' in meaning ? meaning.ok : undefined;
  };
  const [listen, metrics] = [at('listen') ?? STANDARD_LISTEN, at('metrics_listen')];
  const names = valueAt(reading.source.value, ['http', 'allowed_hosts']);
  if (!isLoopback(listen.host) && !(Array.isArray(names) && names.length > 0)) {
    const message = `listening on ${listen.host} is open to other machines, and no host name is allowed`;
    reading.note(
      ['http', 'listen'],
      message,
      'name the hosts that clients use in allowed_hosts, or listen on 127.0.0.1',
    );
  }
  if (metrics && listen.port !== 0 && listen.port === metrics.port) {
    reading.note(
      ['http', 'metrics_listen'],
      `the port ${metrics.port} is taken by listen`,
      'leave it out: /metrics is there too',
    );
  }
}
