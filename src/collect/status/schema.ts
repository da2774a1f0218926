/** Servers whose status page can be read, and the keys that name a stream on it. */
import { z } from 'zod';
import { textField, urlField } from '../../core/document/fields.ts';

/** Servers whose status page can be read. */
export const STATUS_KINDS = [
  'icecast',
  'nginx_rtmp',
  'mediamtx',
  'srs',
  'owncast',
  'ersatztv',
  'tunarr',
  'jellyfin',
] as const;
export type StatusKind = (typeof STATUS_KINDS)[number];

/** What names a stream on the page: a mount, a stream (or path, or channel), or nothing where there is only one. */
export const STATUS_TARGETS: Readonly<Record<StatusKind, 'mount' | 'stream' | 'none'>> = {
  icecast: 'mount',
  nginx_rtmp: 'stream',
  mediamtx: 'stream',
  srs: 'stream',
  owncast: 'none',
  ersatztv: 'stream',
  tunarr: 'stream',
  jellyfin: 'none',
};

/** Their streams are there while somebody watches: absence is no trouble. */
export const ON_DEMAND_KINDS: ReadonlySet<StatusKind> = new Set(['ersatztv', 'tunarr']);

/** Channels are published to these by processes of their own: where one does not answer, that is not the channel's. */
export const PUBLISHED_TO_KINDS: ReadonlySet<StatusKind> = new Set(['icecast', 'nginx_rtmp', 'mediamtx', 'srs']);

/** One stream on a status page. */
export interface StatusTarget {
  readonly kind: StatusKind;
  /** The server, or the page itself. */
  readonly url: string;
  /** The mount, `app/stream`, path or channel, as the kind wants it; empty where it wants none. */
  readonly target: string;
}

/** A stream on the status page of its server. */
export const statusPart = z
  .strictObject({
    kind: z.enum(STATUS_KINDS),
    url: urlField('The server, or the page itself where it is not in its usual place. {id} is the channel.'),
    mount: textField.optional().describe('icecast: the mount, for example /{id}.mp3.'),
    stream: textField
      .optional()
      .describe('nginx_rtmp, srs: app/stream. mediamtx: the path. ersatztv, tunarr: the channel. {id} is the channel.'),
  })
  .describe('Looks through the status page of a streaming server.');
