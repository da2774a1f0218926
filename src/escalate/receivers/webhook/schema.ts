/** How a signed webhook is written in the configuration. */
import { z } from 'zod';
import { idField, urlField } from '../../../core/document/fields.ts';
import { type SecretRules, secretKeys } from '../secret_keys.ts';

export const webhookDocument = z.strictObject({
  id: idField('The name of this receiver.'),
  kind: z.literal('webhook'),
  url: urlField('Gets a signed POST for every page.'),
  ...secretKeys('secret', 'the secret'),
});

export const webhookSecrets: SecretRules = { secret: { required: false } };
