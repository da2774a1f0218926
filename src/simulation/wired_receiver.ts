/** The real adapter of a receiver with its breaker and deadline, between Reeve and a server of the simulation. */
import { ReeveError } from '../core/errors.ts';
import { placesOf } from '../escalate/places.ts';
import type { Receiver } from '../escalate/receiver.ts';
import { type ReceiverDocument, receiverDocument } from '../escalate/receivers/documents.ts';
import { createReceiver } from '../escalate/receivers/factory.ts';
import { reachReceiver } from '../escalate/receivers/reach.ts';
import { RequestFailed } from '../resilience/failure.ts';
import type { BoundedFetch, HttpAnswer, HttpRequest } from '../resilience/http.ts';
import { httpAnswer } from './http_answer.ts';
import type { ReceiverServer, ServerKind } from './receiver_servers.ts';
import { ANSWER_MS, type ReceiverDeps, SLOW_MS } from './receivers.ts';
import type { ChannelPlan } from './scenario.ts';

export interface WiredReceiverDeps extends ReceiverDeps {
  readonly server: ReceiverServer;
  readonly channels: readonly ChannelPlan[];
  /** Called when something goes on that ends by promises alone. */
  readonly stir: () => void;
}

const ADDRESS = 'http://127.0.0.1:9';
const SECRET = 'a-key-of-the-simulation-0001';
const MORE: Readonly<Record<ServerKind, object>> = {
  webhook: { url: ADDRESS, secret_env: 'KEY' },
  pagerduty: { url: ADDRESS, routing_key_env: 'KEY' },
  alertmanager: { url: ADDRESS },
  ntfy: { url: ADDRESS, topic: 'reeve' },
  slack: { webhook_url_env: 'KEY' },
};

/** Somewhere that a person hears of it, reached as the daemon reaches it but for the socket. */
export function wiredReceiver(name: string, deps: WiredReceiverDeps): Receiver {
  const { clock, server, channels } = deps;
  const ask: BoundedFetch = Object.assign((request: HttpRequest) => answerTo(name, request, deps), {
    [Symbol.dispose]: () => undefined,
  });
  const { post, guarded } = reachReceiver(name, { ask, clock });
  const document: ReceiverDocument = receiverDocument.parse({
    ...{ id: name, kind: server.kind },
    ...MORE[server.kind],
  });
  return createReceiver(document, {
    ...{ post, guarded, clock, placeOf: placesOf(channels) },
    secret: (name) => (name === 'webhook_url' ? ADDRESS : SECRET),
    readFile: (path) => {
      throw new ReeveError('CONFIG_INVALID', `${path} is not there`);
    },
  });
}

async function answerTo(
  name: string,
  { body = '', signal }: HttpRequest,
  deps: WiredReceiverDeps,
): Promise<HttpAnswer> {
  const { clock, alive, mode, server, worldMs, onDelivery, stir } = deps;
  if (!alive()) return new Promise<never>(() => undefined);
  const now = mode();
  await clock.sleep(now === 'slow' ? SLOW_MS : ANSWER_MS, signal);
  stir();
  if (now === 'down') throw new RequestFailed('RECEIVER_UNREACHABLE', 'nobody answers', { failure: 'refused' });
  if (now === 'busy') return httpAnswer(429, { 'retry-after': '2' });
  const atMs = worldMs();
  if (now === 'refuse') {
    server.refuse?.(String(body), atMs);
    return httpAnswer(400);
  }
  for (const message of [...server.lapse(atMs), ...server.read(String(body), atMs, now !== 'lost')])
    onDelivery({ receiver: name, ...message, atMs, taken: true });
  if (now === 'lost') throw new RequestFailed('RECEIVER_UNREACHABLE', 'the answer was lost', { failure: 'reset' });
  return httpAnswer(server.kind === 'pagerduty' ? 202 : 200);
}
