/** Notifies a web server of the operator, by signed JSON. */
import { createHmac } from 'node:crypto';
import type { Clock } from '../../../core/clock.ts';
import { ReeveError } from '../../../core/errors.ts';
import { keyOfScope } from '../../../core/scope.ts';
import { toWire } from '../../../core/wire.ts';
import { type Notice, type PostJson, postOrThrow, type Receiver } from '../../receiver.ts';
import { bytesOf, SECRET_BYTES_MIN, SECRET_PREFIX } from './schema.ts';

export interface WebhookOptions {
  readonly name: string;
  readonly url: string;
  readonly post: PostJson;
  readonly clock: Clock;
  /** `whsec_` and base64, or plain text. Several while a key is changed: each signs, and one match is enough. */
  readonly secrets: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * JSON by HTTP POST, signed as the Standard Webhooks specification says: HMAC-SHA256 over `id.timestamp.body`.
 * `webhook-id` names the message: the receiver may drop one that it has seen. Throws CONFIG_INVALID for weak secrets.
 */
export function webhook(options: WebhookOptions): Receiver {
  const keys = options.secrets.map((secret) => keyOf(secret, options.name));
  return {
    name: options.name,
    async deliver(notice, signal) {
      const timestamp = String(Math.floor(options.clock.now() / 1_000));
      const body = JSON.stringify(bodyOf(notice, options.clock.now()));
      const headers = {
        'content-type': 'application/json',
        ...options.headers,
        'webhook-id': notice.id,
        'webhook-timestamp': timestamp,
        ...(keys.length === 0 ? {} : { 'webhook-signature': signaturesOf(keys, { id: notice.id, timestamp, body }) }),
      };
      await postOrThrow(options.post, options.url, { body, headers, signal, takesAnyAnswer: true });
    },
  };
}

/** The bytes behind a secret. Throws CONFIG_INVALID when they are too few to be one. */
export function keyOf(secret: string, name: string): Buffer {
  const key = bytesOf(secret);
  if (key.length >= SECRET_BYTES_MIN) return key;
  throw new ReeveError(
    'CONFIG_INVALID',
    `the secret of receiver ${name} has ${key.length} bytes; expected at least ${SECRET_BYTES_MIN}`,
    { hint: `Make one: echo ${SECRET_PREFIX}$(openssl rand -base64 32)` },
  );
}

export interface SignedMessage {
  readonly id: string;
  /** Seconds since the epoch. */
  readonly timestamp: string;
  readonly body: string;
}

/** The `webhook-signature` header: one signature per key, so that a key can be changed without a gap. */
export const signaturesOf = (keys: readonly Buffer[], { id, timestamp, body }: SignedMessage): string =>
  keys.map((key) => `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`).join(' ');

function bodyOf(notice: Notice, nowMs: number): unknown {
  const { scope, openedAt, resolvedAt, previous: _, ...content } = notice;
  return {
    type: `escalation.${notice.what}`,
    timestamp: isoOf(nowMs),
    data: toWire({
      ...content,
      scope: keyOfScope(scope),
      channel: scope.kind === 'channel' ? scope.id : undefined,
      openedAt: isoOf(openedAt),
      resolvedAt: resolvedAt === undefined ? undefined : isoOf(resolvedAt),
    }),
  };
}

const isoOf = (epochMs: number): string => new Date(epochMs).toISOString();
