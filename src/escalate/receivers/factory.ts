/** Builds the adapter of a receiver from its document. */
import type { Clock } from '../../core/clock.ts';
import type { PlaceOf, PostJson, Receiver } from '../receiver.ts';
import { alertmanager } from './alertmanager/receiver.ts';
import type { ReceiverDocument, ReceiverKind } from './documents.ts';
import { email } from './email/receiver.ts';
import { ntfy } from './ntfy/receiver.ts';
import { pagerduty } from './pagerduty/receiver.ts';
import { slack } from './slack/receiver.ts';
import { webhook } from './webhook/receiver.ts';

/** What the adapters work with. */
export interface ReceiverDeps {
  /** HTTP behind the breaker of this receiver. */
  readonly post: PostJson;
  /** Any other way of sending, behind the same breaker and deadline. */
  readonly guarded: (action: (signal: AbortSignal) => Promise<void>, signal: AbortSignal) => Promise<void>;
  readonly clock: Clock;
  /** The text of a secret by its name in the document; undefined where none is configured. */
  readonly secret: (name: string) => string | undefined;
  readonly placeOf: PlaceOf;
  /** A file beside the configuration, such as certificates. Throws when it cannot be read. */
  readonly readFile: (path: string) => string;
}

type Factories = {
  readonly [Kind in ReceiverKind]: (
    document: Extract<ReceiverDocument, { kind: Kind }>,
    deps: ReceiverDeps,
  ) => Receiver;
};

const FACTORIES: Factories = {
  alertmanager: ({ id, url, refresh_every }, { post, clock, placeOf }) =>
    alertmanager({ name: id, url, post, clock, placeOf, refreshMs: refresh_every }),
  webhook: ({ id, url }, { post, clock, secret }) => {
    const key = secret('secret');
    return webhook({ name: id, url, post, clock, secrets: key === undefined ? [] : [key] });
  },
  pagerduty: (document, deps) => pagerduty(document, deps),
  slack: (document, deps) => slack(document, deps),
  email: (document, deps) => email(document, deps),
  ntfy: (document, deps) => ntfy(document, deps),
};

/** Throws CONFIG_INVALID for a secret that cannot be one. */
export function createReceiver(document: ReceiverDocument, deps: ReceiverDeps): Receiver {
  const create = FACTORIES[document.kind] as (document: ReceiverDocument, deps: ReceiverDeps) => Receiver;
  return create(document, deps);
}
