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
  /** How far it has come, whatever its segments are called: some servers name them anew for each viewer. */
  readonly position: string;
  /**
   * Addresses as written, the newest segment's first; at most two. What the list itself calls a gap is none, and where
   * it ends with more than two gaps, nothing is to be had of what is newest.
   */
  readonly newest: readonly string[];
  /** It lists no segment and no part of one that can be had, though more are to come. */
  readonly isEmpty: boolean;
  /** The newest segment's length where the playlist states it. */
  readonly newestBytes: number | undefined;
}

/** Without a target duration of its own. */
const TARGET_MS = 6_000;

/**
 * It has not changed for longer than any that is written to (RFC 8216, 6.2.1: one and a half target durations). Where
 * a master playlist named it, that may name another one by now.
 */
export const stands = ({ targetDurationMs = TARGET_MS, ended }: MediaPlaylist, unchangedMs: number): boolean =>
  !ended && unchangedMs > 2 * targetDurationMs;

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
  return isCutWell
    ? parsePlaylist(body.toString('utf8', 0, headEnd) + tail, true)
    : parsePlaylist(body.toString('utf8'));
}

/** Undefined for what is no playlist. `isCut`: something of its middle was left out. */
export function parsePlaylist(text: string, isCut = false): Playlist | undefined {
  const start = text.startsWith('\ufeff') ? 1 : 0;
  if (!/^[^\S\n]*#EXTM3U/.test(start === 0 ? text : text.slice(start))) return undefined;
  const lines = new PlaylistLines();
  for (let from = start; from < text.length; ) {
    const end = text.indexOf('\n', from);
    const to = end < 0 ? text.length : end;
    lines.take(text.slice(from, to).trim());
    from = to + 1;
  }
  return lines.playlist(isCut);
}

/** Tags that say which segments, and parts of one, there are. Others change without anything being added. */
const LISTING =
  /^#(?:EXT-X-MEDIA-SEQUENCE|EXT-X-DISCONTINUITY-SEQUENCE|EXT-X-BYTERANGE|EXTINF|EXT-X-PART):|^#EXT-X-ENDLIST/;
const SEQUENCE = '#EXT-X-MEDIA-SEQUENCE:';
const TARGET = '#EXT-X-TARGETDURATION:';
const RANGE = '#EXT-X-BYTERANGE:';
const DURATION = '#EXTINF:';
/** A list that ends with more gaps has nothing to play: an encoder misses one or two when its input falters. */
const GAPS_MAX = 2;

/** Gathers what a playlist says in one pass over its lines: of a look at a channel this is the greater part. */
class PlaylistLines {
  readonly #addresses: string[] = [];
  #listing = '';
  #isMaster = false;
  #ended = false;
  #sequence: string | undefined;
  #target: string | undefined;
  #range: string | undefined;
  #duration: string | undefined;
  /** The newest that are no gaps. */
  #newest: readonly string[] = [];
  /** The address that comes next is said not to be there (EXT-X-GAP, RFC 8216bis, 4.4.4.7). */
  #isGap = false;
  /** At the end, in a row. */
  #gaps = 0;
  #hasPart = false;

  take(line: string): void {
    if (line === '') return;
    if (!line.startsWith('#')) this.#takeAddress(line);
    else if (line.startsWith('#EXT')) this.#takeTag(line);
    if (line.startsWith('#') && !LISTING.test(line)) return;
    this.#listing += line.includes('?') ? line.replace(/\?[^"\s]*/, '') : line;
    this.#listing += '\n';
  }

  #takeAddress(line: string): void {
    this.#addresses.push(line);
    if (!this.#isGap) this.#newest = [line, ...this.#newest.slice(0, 1)];
    this.#gaps = this.#isGap ? this.#gaps + 1 : 0;
    this.#isGap = false;
  }

  #takeTag(line: string): void {
    if (line.startsWith(DURATION)) this.#duration = line;
    else if (line.startsWith(SEQUENCE)) this.#sequence ??= line.slice(SEQUENCE.length);
    else if (line.startsWith(TARGET)) this.#target ??= line.slice(TARGET.length);
    else if (line.startsWith(RANGE)) this.#range = /^\d+/.exec(line.slice(RANGE.length))?.[0] ?? this.#range;
    else if (line.startsWith('#EXT-X-STREAM-INF')) this.#isMaster = true;
    else if (line === '#EXT-X-ENDLIST') this.#ended = true;
    else if (line === '#EXT-X-GAP') this.#isGap = true;
    else if (line.startsWith('#EXT-X-PART:')) this.#takePart(line);
  }

  #takePart(line: string): void {
    if (line.includes('GAP=YES')) return;
    this.#hasPart = true;
    this.#gaps = 0;
  }

  playlist(isCut: boolean): Playlist {
    if (this.#isMaster) return { kind: 'master', variants: this.#addresses };
    const target = numberOf(this.#target);
    const isOver = this.#gaps > GAPS_MAX || (this.#newest.length === 0 && !this.#hasPart);
    const count = isCut ? numberIn(this.#addresses.at(-1)) : this.#addresses.length;
    return {
      kind: 'media',
      revision: hash('sha256', this.#listing, 'hex').slice(0, 16),
      mediaSequence: numberOf(this.#sequence) ?? 0,
      targetDurationMs: target === undefined ? undefined : target * 1_000,
      ended: this.#ended,
      position: `${this.#sequence} ${count} ${this.#duration}`,
      newest: isOver ? [] : this.#newest,
      isEmpty: isOver && !this.#ended,
      newestBytes: this.#range === undefined || isOver ? undefined : Number(this.#range),
    };
  }
}

const numberOf = (value: string | undefined): number | undefined =>
  value !== undefined && /^\d{1,15}(?:\.\d+)?$/.test(value) ? Number(value) : undefined;

/** The number that stands last in the name of a segment. */
const numberIn = (address = ''): string | undefined => /(\d{1,20})\D*$/.exec(address.split('?')[0]!)?.[1];
