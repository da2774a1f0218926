/** How a PagerDuty service is written in the configuration. */
import { z } from 'zod';
import { idField, textField, urlField } from '../../../core/document/fields.ts';
import { type SecretRules, secretKeys } from '../secret_keys.ts';

export const pagerdutyDocument = z.strictObject({
  id: idField('The name of this receiver.'),
  kind: z.literal('pagerduty'),
  ...secretKeys('routing_key', 'the integration key of an "Events API v2" integration'),
  url: urlField(
    'The events API. Default https://events.pagerduty.com; in the EU https://events.eu.pagerduty.com.',
  ).optional(),
  source: textField.max(255).optional().describe('Which installation speaks: shown as the source. Default reeve.'),
  console: urlField("The address of Reeve's console, for a link in the incident.").optional(),
});
export type PagerdutyDocument = Readonly<z.output<typeof pagerdutyDocument>>;

const ROUTING_KEY = /^[A-Za-z0-9_-]{20,64}$/;

export const pagerdutySecrets: SecretRules = {
  routing_key: {
    required: true,
    problem: (text) =>
      ROUTING_KEY.test(text) ? undefined : 'expected an integration key, such as 32 letters and digits',
  },
};
