import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type Clock, systemClock } from '../../core/clock.ts';
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

/** Stands for the phone of the person on call. Takes everything, forgets nothing. */
export interface Receiver extends AsyncDisposable {
  urlOf(via: string): string;
  readonly pages: readonly Page[];
}

const BODY_BYTES_MAX = 1_048_576;

export async function openReceiver(clock: Clock = systemClock): Promise<Receiver> {
  const pages: Page[] = [];
  const server = createServer((request, response) => void take(request, response));

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request) text = (text + String(chunk)).slice(0, BODY_BYTES_MAX);
    try {
      const via = (request.url ?? '/').slice(1);
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
    pages,
    async [Symbol.asyncDispose]() {
      const closed = new Promise((done) => server.close(done));
      server.closeAllConnections();
      await closed;
    },
  };
}

type Message = Omit<Page, 'via' | 'monoMs'>;

/** Reeve's own webhook. */
function messageIn(body: Record<string, unknown>): Message {
  const what = body.what === 'resolve' || body.status === 'resolved' ? 'resolve' : 'trigger';
  return { what, key: String(body.key ?? ''), summary: String(body.summary ?? ''), body };
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
    key: alert.labels.key ?? alert.labels.reeve_key ?? JSON.stringify(alert.labels),
    summary: alert.annotations.summary ?? '',
    body: alert,
  }));
}
