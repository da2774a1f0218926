/** Every kind of receiver that a configuration may name. A new kind is added here; what it lacks does not compile. */
import { z } from 'zod';
import { alertmanagerDocument, alertmanagerSecrets } from './alertmanager/schema.ts';
import { emailDocument, emailSecrets } from './email/schema.ts';
import { ntfyDocument, ntfySecrets } from './ntfy/schema.ts';
import { pagerdutyDocument, pagerdutySecrets } from './pagerduty/schema.ts';
import type { SecretRules } from './secret_keys.ts';
import { slackDocument, slackSecrets } from './slack/schema.ts';
import { webhookDocument, webhookSecrets } from './webhook/schema.ts';

/** One entry of `receivers:` in the configuration. */
export const receiverDocument = z.discriminatedUnion('kind', [
  alertmanagerDocument,
  webhookDocument,
  pagerdutyDocument,
  slackDocument,
  emailDocument,
  ntfyDocument,
]);
export type ReceiverDocument = Readonly<z.output<typeof receiverDocument>>;
export type ReceiverKind = ReceiverDocument['kind'];

/** The secrets of each kind. */
export const RECEIVER_SECRETS: Readonly<Record<ReceiverKind, SecretRules>> = {
  alertmanager: alertmanagerSecrets,
  webhook: webhookSecrets,
  pagerduty: pagerdutySecrets,
  slack: slackSecrets,
  email: emailSecrets,
  ntfy: ntfySecrets,
};

export const RECEIVER_KINDS = Object.keys(RECEIVER_SECRETS) as readonly ReceiverKind[];
