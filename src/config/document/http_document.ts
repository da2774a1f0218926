// The part of the configuration that says where Reeve listens.
import { isIP } from 'node:net';
import { z } from 'zod';
import { listenField, textField } from './fields.ts';

/** `unix`: whoever reaches the socket. Else an address, or a network such as 10.0.0.0/8. */
const isProxy = (text: string): boolean => {
  const [address = '', bits, ...more] = text.split('/');
  const family = isIP(address);
  if (text === 'unix') return true;
  if (family === 0 || more.length > 0) return false;
  return (
    bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= (family === 4 ? 32 : 128))
  );
};

export const httpPart = z
  .strictObject({
    listen: listenField('Console, API and intake.', '127.0.0.1:7433').optional(),
    socket: textField
      .optional()
      .describe('A unix socket for the same. Without listen there is no TCP port then. At most 100 characters.'),
    tls: z
      .strictObject({
        cert_file: textField.describe('The certificate, with those between it and its root, as PEM.'),
        key_file: textField.describe('Its private key as PEM; only its owner may read the file.'),
      })
      .optional()
      .describe('Listeners speak TLS. The files are read again when they change.'),
    trusted_proxies: z
      .array(z.string().refine(isProxy, 'an address, a network such as 10.0.0.0/8, or unix'))
      .min(1)
      .max(32)
      .optional()
      .describe('The proxies that speak TLS for Reeve. No other address may connect, except from this machine.'),
    allowed_hosts: z
      .array(z.string().regex(/^[A-Za-z0-9.-]+(:\d{1,5})?$/, 'a host name, with a port where it is not the usual one'))
      .max(100)
      .optional()
      .describe('Names by which clients may call the API, besides loopback ones.'),
    metrics_listen: listenField('A listener of its own for /metrics.').optional(),
    metrics_token_env: textField.optional().describe('The environment variable that holds the token for /metrics.'),
    metrics_token_file: textField
      .optional()
      .describe(
        'The file that holds it. With a token, /metrics wants one; without, anybody who reaches it may scrape.',
      ),
  })
  .describe('Where Reeve listens.');
