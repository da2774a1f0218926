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

export const SECRET_BYTES_MIN = 16;
/** Before a secret that is written in base64, as the Standard Webhooks specification has it. */
export const SECRET_PREFIX = 'whsec_';

/** The bytes that a written secret stands for. */
export const bytesOf = (secret: string): Buffer =>
  secret.startsWith(SECRET_PREFIX)
    ? Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64')
    : Buffer.from(secret, 'utf8');

export const webhookSecrets: SecretRules = {
  secret: {
    required: false,
    problem: (text) =>
      bytesOf(text).length < SECRET_BYTES_MIN ? `expected at least ${SECRET_BYTES_MIN} bytes` : undefined,
  },
};
