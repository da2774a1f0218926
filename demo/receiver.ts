/** Takes pages as the person on call would get them, and checks their signatures. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Clock, systemClock } from '../src/core/clock.ts';
import { LOOPBACK, portOf } from './ports.ts';

/** One message that reached the person on call. */
export interface Page {
  readonly monoMs: number;
  /** The door it came through: `webhook`, or `alertmanager` after a real one passed it on. */
  readonly via: string;
  readonly what: 'trigger' | 'resolve';
  /** The same for the trigger of one trouble, its repeats and its resolve. */
  readonly key: string;
  readonly summary: string;
  readonly body: unknown;
}

/**
 * Stands for the phone of the person on call. Forgets nothing, and takes from Reeve's own webhook only what is
 * signed with the secret that the two share.
 */
export interface Receiver extends AsyncDisposable {
  urlOf(via: string): string;
  readonly secret: string;
  readonly pages: readonly Page[];
}

const BODY_BYTES_MAX = 1_048_576;

export async function openReceiver(clock: Clock = systemClock): Promise<Receiver> {
  const pages: Page[] = [];
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const server = createServer((request, response) => void take(request, response));

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request) text = (text + String(chunk)).slice(0, BODY_BYTES_MAX);
    const via = (request.url ?? '/').slice(1);
    if (via === 'webhook' && !isSigned(request.headers, text, secret)) return void response.writeHead(401).end();
    try {
      const read = via === 'alertmanager' ? alertsIn(JSON.parse(text)) : [messageIn(JSON.parse(text))];
      pages.push(...read.map((page) => ({ ...page, via, monoMs: clock.monotonicMs() })));
      response.writeHead(200).end();
    } catch {
      response.writeHead(400).end();
    }
  }

  server.listen(0, LOOPBACK);
  await once(server, 'listening');
  return {
    urlOf: (via) => `http://${LOOPBACK}:${portOf(server)}/${via}`,
    secret,
    pages,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((done) => server.close(done));
      server.closeAllConnections();
      await closed;
    },
  };
}

type Message = Omit<Page, 'via' | 'monoMs'>;

/** Checked as the Standard Webhooks specification says: HMAC-SHA256 over `id.timestamp.body`. */
function isSigned(headers: IncomingMessage['headers'], body: string, secret: string): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = headers;
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const right = Buffer.from(`v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`);
  const given = Buffer.from(String(signature));
  return given.length === right.length && timingSafeEqual(given, right);
}

interface WebhookMessage {
  readonly data: { readonly what: string; readonly key: string; readonly summary: string };
}

/** Reeve's own webhook. A repeat is the same trouble again: its key shows it. */
function messageIn(body: WebhookMessage): Message {
  const { what, key, summary } = body.data;
  return { what: what === 'resolve' ? 'resolve' : 'trigger', key, summary, body };
}

interface AlertmanagerMessage {
  readonly alerts: readonly {
    readonly status: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  }[];
}

/** Alertmanager's webhook, version 4. One delivery can mix firing and resolved alerts. */
function alertsIn(body: AlertmanagerMessage): readonly Message[] {
  return body.alerts.map((alert) => ({
    what: alert.status === 'resolved' ? 'resolve' : 'trigger',
    key: alert.labels.key ?? '',
    summary: alert.annotations.summary ?? '',
    body: alert,
  }));
}
