/** How ExStreamTV is written in the configuration. */
import { z } from 'zod';
import {
  clearOnlyOnLoopback,
  CLEAR_SECRET,
  common,
  credentialsEvery,
  duration,
  httpUrl,
  token,
} from '../document_fields.ts';

export const exstreamtvDocument = z
  .strictObject({
    ...common,
    kind: z.literal('exstreamtv'),
    url: httpUrl.describe('Its base address, such as http://127.0.0.1:8411.'),
    ...token,
    poll: duration.prefault('5s').describe('How often the engine is looked at.'),
    restart: z
      .enum(['none', 'patch'])
      .default('none')
      .describe('patch: the service answers POST /api/channels/{id}/restart. As published it cannot restart.'),
    channel_health: z
      .enum(['use', 'ignore'])
      .default('use')
      .describe('ignore: do not read /api/health/channels, which breaks once a channel has played.'),
    plex: z.boolean().default(true).describe('The service takes its media from Plex.'),
    credentials_every: credentialsEvery,
  })
  .refine(clearOnlyOnLoopback, CLEAR_SECRET);

export type ExstreamtvDocument = Readonly<z.output<typeof exstreamtvDocument>>;
