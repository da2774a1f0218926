/** Keys that the documents of several kinds of engine share. */
import { z } from 'zod';
import { UNIT_MS } from '../core/duration.ts';

/** A duration with a unit; milliseconds once it is read. */
export const duration = z
  .string()
  .regex(/^[1-9][0-9]{0,6}(ms|s|m|h|d)$/, 'expected a duration such as 30s: a whole number with ms, s, m, h or d')
  .transform((text) => Number.parseInt(text, 10) * UNIT_MS[text.replace(/^\d+/, '') as keyof typeof UNIT_MS]);

export const httpUrl = z
  .url({ protocol: /^https?$/, error: 'expected a URL such as http://127.0.0.1:9001' })
  .refine((url) => !/^https?:\/\/[^/]*@/.test(url), 'a URL carries no credentials: use the keys made for them');

export const text = z.string().min(1).max(4_096);

/** The keys that every kind of engine has. */
export const common = {
  id: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, 'expected letters, digits, "_", "-" or "."'),
  poll: duration.prefault('1s').describe('How often the engine is looked at.'),
  timeout: duration.prefault('15s').describe('How long a look may take.'),
  change_timeout: duration.prefault('60s').describe('How long a change may take. Longer than a stop takes at most.'),
  local: z
    .union([z.boolean(), z.literal('auto')])
    .default('auto')
    .describe('May /proc be read for the processes of the engine? auto: where they prove to be on this machine.'),
  autorestart_grace: duration.prefault('1s').describe('How long the engine itself gets to restart what died.'),
  logs: z
    .array(z.strictObject({ path: text }))
    .max(64)
    .default([]),
  host: z.strictObject({ disks: z.array(text).max(16).default([]), every: duration.prefault('5s') }).optional(),
};

const LOOPBACK = /^https?:\/\/(127\.[0-9.]+|localhost|\[::1\])([:/]|$)/;

interface ClearSecret {
  readonly url?: string | undefined;
  readonly password?: string | undefined;
  readonly token?: string | undefined;
}

/** A secret in clear goes nowhere but to this machine. */
export const clearOnlyOnLoopback = ({ url, password, token }: ClearSecret): boolean =>
  (password ?? token) === undefined || url === undefined || LOOPBACK.test(url);

export const CLEAR_SECRET =
  'a secret in clear is accepted for loopback addresses only: use password_env, password_file, token_env or token_file';

export const password = { password: text.optional(), password_env: text.optional(), password_file: text.optional() };
export const token = { token: text.optional(), token_env: text.optional(), token_file: text.optional() };

export const credentialsEvery = duration.prefault('5m').describe('How often the credentials are tried.');
