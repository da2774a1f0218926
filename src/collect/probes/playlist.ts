/** Parses HLS playlists. */
import { hash } from 'node:crypto';

/** What one HLS playlist says. */
export type Playlist = { readonly kind: 'master'; readonly variants: readonly string[] } | MediaPlaylist;

export interface MediaPlaylist {
  readonly kind: 'media';
  /** Changes whenever the list of segments does. Queries are left out: they may be signed anew each time. */
  readonly revision: string;
  readonly mediaSequence: number;
  readonly targetDurationMs: number | undefined;
  readonly ended: boolean;
  /** The newest segment's address as written; undefined when the list is empty. */
  readonly newest: string | undefined;
  /** The newest segment's length where the playlist states it. */
  readonly newestBytes: number | undefined;
}

/** Of a longer list only so much of its beginning and end is read: what lies between is history. */
const HEAD_BYTES = 4_096;
const TAIL_BYTES = 8_192;

/** As `parsePlaylist`, and of a media playlist of hours only what says how it goes on. Undefined for what is none. */
export function readPlaylist(body: Buffer): Playlist | undefined {
  if (body.length <= HEAD_BYTES + TAIL_BYTES || body.includes('#EXT-X-STREAM-INF')) {
    return parsePlaylist(body.toString('utf8'));
  }
  const headEnd = body.lastIndexOf('\n', HEAD_BYTES) + 1;
  const tailStart = body.indexOf('\n', body.length - TAIL_BYTES) + 1;
  const tail = body.toString('utf8', tailStart);
  // Addresses as long as that, or no lines at all.
  const isCutWell = headEnd > 0 && tailStart > 0 && /^[^#\s]/m.test(tail);
  return parsePlaylist(isCutWell ? body.toString('utf8', 0, headEnd) + tail : body.toString('utf8'));
}

/** Undefined for what is no playlist. */
export function parsePlaylist(text: string): Playlist | undefined {
  const lines = text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .map((line) => line.trim());
  if (!lines[0]?.startsWith('#EXTM3U')) return undefined;
  const addresses = lines.filter((line) => line !== '' && !line.startsWith('#'));
  if (lines.some((line) => line.startsWith('#EXT-X-STREAM-INF'))) return { kind: 'master', variants: addresses };
  return mediaOf(lines, addresses);
}

function mediaOf(lines: readonly string[], addresses: readonly string[]): MediaPlaylist {
  const numberOf = (tag: string): number | undefined => {
    const value = lines.find((line) => line.startsWith(`${tag}:`))?.slice(tag.length + 1);
    return value !== undefined && /^\d{1,15}(?:\.\d+)?$/.test(value) ? Number(value) : undefined;
  };
  const targetDuration = numberOf('#EXT-X-TARGETDURATION');
  const newestRange = lines.findLast((line) => /^#EXT-X-BYTERANGE:\d{1,15}/.test(line));
  return {
    kind: 'media',
    revision: revisionOf(lines),
    mediaSequence: numberOf('#EXT-X-MEDIA-SEQUENCE') ?? 0,
    targetDurationMs: targetDuration === undefined ? undefined : targetDuration * 1_000,
    ended: lines.includes('#EXT-X-ENDLIST'),
    newest: addresses.at(-1),
    newestBytes:
      newestRange === undefined ? undefined : Number(newestRange.slice('#EXT-X-BYTERANGE:'.length).split('@')[0]),
  };
}

/** Tags that say which segments, and parts of one, there are. Others change without anything being added. */
const LISTING =
  /^#(?:EXT-X-MEDIA-SEQUENCE|EXT-X-DISCONTINUITY-SEQUENCE|EXT-X-BYTERANGE|EXTINF|EXT-X-PART):|^#EXT-X-ENDLIST/;

function revisionOf(lines: readonly string[]): string {
  const listing = lines.filter((line) => line !== '' && (!line.startsWith('#') || LISTING.test(line)));
  return hash('sha256', `${listing.map((line) => line.replace(/\?[^"\s]*/, '')).join('\n')}\n`, 'hex').slice(0, 16);
}
