/** The schema of `syslog:` in the configuration. */
import { isIP } from 'node:net';
import { z } from 'zod';
import { listenField } from '../../core/document/address.ts';
import { textField } from '../../core/document/fields.ts';
import { channelField } from '../document_fields.ts';

const subnetField = z.string().refine((text) => {
  const [address = '', bits, ...more] = text.split('/');
  const family = isIP(address);
  if (family === 0 || more.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}, 'expected an address or a subnet such as 10.0.0.0/8');

export const syslogDocument = z
  .strictObject({
    udp: listenField('Where datagrams are taken, for example 127.0.0.1:5514.').optional(),
    tcp: listenField('Where streams are taken, for example 127.0.0.1:5514.').optional(),
    allow_from: z.array(subnetField).max(64).optional().describe('Who may send, besides this machine.'),
    channels: z
      .array(
        z.strictObject({
          app: textField.max(200).optional().describe('The program (tag) that the message names.'),
          host: textField.max(255).optional().describe('The host that the message names.'),
          channel: channelField,
        }),
      )
      .max(2_000)
      .optional()
      .describe('Whose words they are. A program that bears the name of a channel needs no entry.'),
  })
  .describe('Syslog messages (RFC 5424 and 3164).');
