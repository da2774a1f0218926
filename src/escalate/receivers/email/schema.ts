/** How a mailbox and the SMTP server in front of it are written in the configuration. */
import { z } from 'zod';
import { idField, textField, urlField } from '../../../core/document/fields.ts';
import { type SecretRules, secretKeys } from '../secret_keys.ts';

const LOOPBACK = /^(127\.[0-9.]+|localhost|::1)$/;

const mailbox = z
  .string()
  .max(320)
  .regex(/^[^\s@<>,;"]+@[^\s@<>,;"]+$/, 'expected an e-mail address such as oncall@example.org');

const document = z.strictObject({
  id: idField('The name of this receiver.'),
  kind: z.literal('email'),
  host: textField.max(255).describe('The SMTP server.'),
  port: z.int().min(1).max(65_535).optional().describe('Default 587; 465 with tls: implicit; 25 with tls: none.'),
  tls: z
    .enum(['starttls', 'implicit', 'none'])
    .optional()
    .describe('starttls: required before anything is sent. none: for a server on this machine. Default starttls.'),
  ca_file: textField
    .optional()
    .describe('The certificates (PEM) that the server is proven by. Default: those of Node.'),
  username: textField.max(320).optional(),
  ...secretKeys('password', 'the password of the user'),
  from: mailbox.describe('The sender.'),
  to: z
    .array(mailbox)
    .min(1)
    .max(16)
    .describe('Who gets it. Taken means: the server took it for at least one of them.'),
  console: urlField("The address of Reeve's console, for a link in the message.").optional(),
});
export type EmailDocument = Readonly<z.output<typeof document>>;

const givesPassword = (email: EmailDocument): boolean => (email.password_env ?? email.password_file) !== undefined;

export const emailDocument = document
  .refine((email) => (email.username !== undefined) === givesPassword(email), 'expected username and password together')
  .refine(
    (email) => email.tls !== 'none' || email.username === undefined || LOOPBACK.test(email.host),
    'a password goes through TLS, or to this machine only: use tls: starttls',
  );

export const emailSecrets: SecretRules = { password: { required: false } };
