/** Builds the receivers of the configuration, each behind a breaker of its own. */
import { readFileSync } from 'node:fs';
import type { Config } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import type { PlaceOf, PostJson, Receiver } from '../escalate/receiver.ts';
import { createReceiver } from '../escalate/receivers/factory.ts';
import { boundedFetch, retryAfterMs } from '../resilience/http.ts';
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
  const placeOf = placesOf(config);
  return config.receivers.map((receiver) => {
    const transport = building.use(
      createTransport(`receiver/${receiver.id}`, { timeoutMs: POST_MS, openMs: OPEN_MS }, clock),
    );
    const post: PostJson = async (url, { body, headers, signal }) => {
      const bounds = { timeoutMs: POST_MS, bytesMax: ANSWER_BYTES_MAX, accept: () => true };
      const answer = await transport.call(
        (limit) => ask({ url, method: 'POST', headers, body, signal: limit, ...bounds }),
        { signal },
      );
      return { status: answer.status, retryAfterMs: retryAfterMs(answer.headers) };
    };
    return createReceiver(receiver, {
      post,
      guarded: (action, signal) => transport.call(action, { signal }),
      clock,
      secret: (name) => receiver.secrets[name]?.reveal(),
      placeOf,
      readFile: (path) => readFileSync(path, 'utf8'),
    });
  });
}

/** Where a scope belongs by the configuration. */
export function placesOf(config: Config): PlaceOf {
  const byId = new Map(config.channels.map((channel) => [channel.id, channel]));
  return (scope) => {
    const channel = scope.kind === 'channel' ? byId.get(scope.id) : undefined;
    if (channel !== undefined) return { group: channel.group, engine: channel.engine };
    return scope.kind === 'group' ? { group: scope.id } : scope.kind === 'engine' ? { engine: scope.id } : {};
  };
}
