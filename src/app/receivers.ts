import type { Config, ReceiverConfig } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import { alertmanager } from '../escalate/alertmanager.ts';
import type { PostJson, Receiver } from '../escalate/receiver.ts';
import { webhook } from '../escalate/webhook.ts';
import { boundedFetch } from '../resilience/http.ts';
import { createTransport } from '../resilience/transport.ts';

const POST_MS = 10_000;
const ANSWER_BYTES_MAX = 64 * 1024;
/** A page waits for nothing longer than it must: a receiver that is back is tried within this time. */
const OPEN_MS = 2_000;

/** Each receiver behind a breaker of its own: one that hangs must not hold the others. */
export function receiversOf(
  config: Config,
  { clock, building }: { readonly clock: Clock; readonly building: AsyncDisposableStack },
): readonly Receiver[] {
  const ask = building.use(boundedFetch(clock, { unreachable: 'RECEIVER_UNREACHABLE', refused: 'RECEIVER_REFUSED' }));
  return config.receivers.map((receiver) => {
    const transport = building.use(
      createTransport(`receiver/${receiver.id}`, { timeoutMs: POST_MS, openMs: OPEN_MS }, clock),
    );
    const post: PostJson = (url, { body, headers, signal }) =>
      transport.call(
        (limit) =>
          ask({
            url,
            method: 'POST',
            headers: { 'content-type': 'application/json', ...headers },
            body,
            timeoutMs: POST_MS,
            bytesMax: ANSWER_BYTES_MAX,
            signal: limit,
            accept: () => true,
          }),
        { signal },
      );
    return adapterOf(receiver, { post, clock, config });
  });
}

function adapterOf(receiver: ReceiverConfig, deps: { post: PostJson; clock: Clock; config: Config }): Receiver {
  const { post, clock, config } = deps;
  if (receiver.kind === 'webhook') {
    const secrets = receiver.secret === undefined ? [] : [receiver.secret.reveal()];
    return webhook({ name: receiver.id, url: receiver.url, post, clock, secrets });
  }
  const byId = new Map(config.channels.map((channel) => [channel.id, channel]));
  return alertmanager({
    name: receiver.id,
    url: receiver.url,
    post,
    clock,
    placeOf: (scope) => {
      const channel = scope.kind === 'channel' ? byId.get(scope.id) : undefined;
      if (channel !== undefined) return { group: channel.group, engine: channel.engine };
      return scope.kind === 'group' ? { group: scope.id } : scope.kind === 'engine' ? { engine: scope.id } : {};
    },
  });
}
