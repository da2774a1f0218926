/** How a Slack channel is written in the configuration. */
import { z } from 'zod';
import { idField, urlField, urlProblem } from '../../../core/document/fields.ts';
import { type SecretRules, secretKeys } from '../secret_keys.ts';

export const slackDocument = z.strictObject({
  id: idField('The name of this receiver.'),
  kind: z.literal('slack'),
  ...secretKeys('webhook_url', 'the address of an incoming webhook, which is a secret by itself'),
  mention: z
    .enum(['none', 'here', 'channel'])
    .optional()
    .describe(
      'Whom a critical page mentions. Default none: Slack then does not notify those who have muted the channel.',
    ),
  console: urlField("The address of Reeve's console, for a link in the message.").optional(),
});
export type SlackDocument = Readonly<z.output<typeof slackDocument>>;

export const slackSecrets: SecretRules = {
  webhook_url: {
    required: true,
    problem: (text) => (urlProblem(text) ? 'expected the address of a webhook' : undefined),
  },
};
