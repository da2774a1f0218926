/** The schemas of `output:` and `source:` of a channel: how it is looked at from outside. */
import { z } from 'zod';
import { tcpField } from '../../core/document/address.ts';
import { duration } from '../../core/document/duration.ts';
import { urlField } from '../../core/document/fields.ts';
import { type StatusTarget, statusPart } from '../status/schema.ts';

/** How an output can be looked at; an entry of the configuration names exactly one. */
export type OutputLook =
  | { readonly kind: 'hls'; readonly url: string }
  | { readonly kind: 'file'; readonly path: string }
  | { readonly kind: 'http'; readonly url: string }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'dash'; readonly url: string }
  | { readonly kind: 'status'; readonly status: StatusTarget };
export type OutputKind = OutputLook['kind'];

export const outputPart = z
  .strictObject({
    hls: urlField('The playlist. {id} is the channel.').optional(),
    file: z
      .string()
      .regex(/^\/[^\0]{1,4000}$/, 'expected a path from the root, like /srv/hls/news/index.m3u8')
      .optional()
      .describe('The playlist as a file on a disk of this machine: it is read without a request. {id} is the channel.'),
    http: urlField('Any address that answers 2xx while the channel is on. {id} is the channel.').optional(),
    tcp: tcpField('host:port that accepts connections while the channel is on.').optional(),
    dash: urlField('The DASH manifest. {id} is the channel.').optional(),
    status: statusPart.optional(),
    every: duration('500ms', '60s', 'How often it is looked at. Default 2s.').optional(),
    calm_every: duration(
      '500ms',
      '60s',
      'How often while nothing is in doubt: its process and encoder go on and the last looks were good. Default 12s.',
    ).optional(),
    stall_after: duration('2s', '10m', 'No new output for this long is a stall. Default 6s.').optional(),
  })
  .describe('How the output is seen from outside. Without it a stall cannot be distinguished from quiet.');

export const sourcePart = z
  .strictObject({
    url: urlField('Where the channel reads from. {id} is the channel.').optional(),
    status: statusPart.optional(),
    every: duration('1s', '5m', 'How often it is looked at. Default 10s.').optional(),
    calm_every: duration(
      '1s',
      '5m',
      'How often while nothing is in doubt: the channel plays and the last looks were good. Default 15s.',
    ).optional(),
    expect: z.enum(['mpegts', 'any']).optional().describe('mpegts: the bytes are looked at too. Default any.'),
    redirects_to: z
      .array(urlField('An origin. {id} is the channel.'))
      .max(16)
      .optional()
      .describe(
        'Where redirects of the source may lead beside its own scheme, host and port: https://cdn.example:8443.',
      ),
  })
  .describe('A look at the origin, apart from the channel itself.');
