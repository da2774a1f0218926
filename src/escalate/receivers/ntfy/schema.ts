/** How an ntfy topic is written in the configuration. */
import { z } from 'zod';
import { idField, urlField } from '../../../core/document/fields.ts';
import { type SecretRules, secretKeys } from '../secret_keys.ts';

export const ntfyDocument = z.strictObject({
  id: idField('The name of this receiver.'),
  kind: z.literal('ntfy'),
  url: urlField('The base address of the server. Default https://ntfy.sh.').optional(),
  topic: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, 'expected letters, digits, "_" or "-", at most 64')
    .describe('The topic. Whoever knows it may read it, unless the server asks for a token.'),
  ...secretKeys('token', 'an access token of the server'),
  console: urlField("The address of Reeve's console, opened by a tap.").optional(),
});
export type NtfyDocument = Readonly<z.output<typeof ntfyDocument>>;

export const ntfySecrets: SecretRules = {
  token: {
    required: false,
    problem: (text) => (/^[\x21-\x7e]+$/.test(text) ? undefined : 'expected a token on one line'),
  },
};
