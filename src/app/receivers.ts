/** Builds the receivers of the configuration, each behind a breaker of its own. */
import { readFileSync } from 'node:fs';
import type { Config } from '../config/config.ts';
import type { Clock } from '../core/clock.ts';
import { placesOf } from '../escalate/places.ts';
import type { Receiver } from '../escalate/receiver.ts';
import { createReceiver } from '../escalate/receivers/factory.ts';
import { reachReceiver } from '../escalate/receivers/reach.ts';
import { boundedFetch } from '../resilience/http.ts';

/** Each receiver behind a breaker of its own: one that hangs must not hold the others. */
export function receiversOf(
  config: Config,
  { clock, building }: { readonly clock: Clock; readonly building: AsyncDisposableStack },
): readonly Receiver[] {
  const ask = building.use(boundedFetch(clock, { unreachable: 'RECEIVER_UNREACHABLE', refused: 'RECEIVER_REFUSED' }));
  const placeOf = placesOf(config.channels);
  return config.receivers.map((receiver) => {
    const { post, guarded } = building.use(reachReceiver(receiver.id, { ask, clock }));
    return createReceiver(receiver, {
      post,
      guarded,
      clock,
      secret: (name) => receiver.secrets[name]?.reveal(),
      placeOf,
      readFile: (path) => readFileSync(path, 'utf8'),
    });
  });
}
