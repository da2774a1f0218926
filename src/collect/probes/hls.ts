/** The probe of an HLS output. */
import type { PlaylistSample } from '../../core/sample.ts';
import { addressWithin } from '../../core/peer.ts';
import { failureOf, RequestFailed, statusOf } from '../../resilience/failure.ts';
import type { BoundedFetch, HttpAnswer } from '../../resilience/http.ts';
import { type MediaPlaylist, parsePlaylist } from './playlist.ts';

export type PlaylistReading = Omit<PlaylistSample, 'at' | 'monoMs' | 'source' | 'kind' | 'channel'>;

export interface HlsProbe {
  readonly url: string;
  /** Follows no redirect; a playlist that leads to another host is not followed either. */
  readonly ask: BoundedFetch;
  readonly timeoutMs: number;
}

const PLAYLIST_BYTES_MAX = 1_048_576;

/** Asking for a segment's size may take this share of the time for the playlist. */
const SIZE_TIMEOUT_SHARE = 0.5;

class Refused extends Error {}

/** Looks at one channel's playlist and at the size of its newest segment. Never throws; a failure is a reading. */
export function createHlsProbe({ url, ask, timeoutMs }: HlsProbe): (signal: AbortSignal) => Promise<PlaylistReading> {
  /** The media playlist that a master playlist led to. */
  let media: string | undefined;
  /** The last size that was asked for: an unchanged playlist has the same newest segment. */
  let sized: { readonly revision: string; readonly bytes: number } | undefined;
  const sizeOf = createSizer(ask, timeoutMs * SIZE_TIMEOUT_SHARE);

  const get = async (address: string, signal: AbortSignal): Promise<HttpAnswer> =>
    ask({ url: address, timeoutMs, bytesMax: PLAYLIST_BYTES_MAX, signal });

  const newestBytes = async (
    playlist: MediaPlaylist,
    base: string,
    signal: AbortSignal,
  ): Promise<number | undefined> => {
    if (playlist.newestBytes !== undefined) return playlist.newestBytes;
    if (sized?.revision === playlist.revision) return sized.bytes;
    const address = playlist.newest === undefined ? undefined : addressWithin(playlist.newest, base)?.href;
    const bytes = address === undefined ? undefined : await sizeOf(address, signal);
    sized = bytes === undefined ? undefined : { revision: playlist.revision, bytes };
    return bytes;
  };

  return async (signal) => {
    try {
      let address = media ?? url;
      let answer = await get(address, signal);
      let playlist = parsePlaylist(answer.body.toString('utf8'));
      if (playlist?.kind === 'master') {
        address =
          addressWithin(playlist.variants[0] ?? '', address)?.href ?? refuse('its first variant lies on another host');
        answer = await get(address, signal);
        playlist = parsePlaylist(answer.body.toString('utf8'));
      }
      if (playlist?.kind !== 'media') return { ok: false, failure: 'invalid_answer', status: answer.status };
      media = address;
      const bytes = await newestBytes(playlist, address, signal);
      return readingOf(playlist, answer, bytes);
    } catch (error) {
      // The variant may be gone: the master playlist is asked again next time.
      media = undefined;
      const status = statusOf(error);
      const failure = error instanceof Refused ? 'invalid_answer' : failureOf(error);
      return { ok: false, failure, ...(status === undefined ? {} : { status }) };
    }
  };
}

const refuse = (why: string): never => {
  throw new Refused(why);
};

function readingOf(
  playlist: MediaPlaylist,
  { status, headers }: HttpAnswer,
  bytes: number | undefined,
): PlaylistReading {
  const { revision, mediaSequence, targetDurationMs, ended } = playlist;
  const ageMs = ageOf(headers);
  return {
    ...{ ok: true, status, revision, mediaSequence, ended },
    ...(targetDurationMs === undefined ? {} : { targetDurationMs }),
    ...(bytes === undefined ? {} : { newestSegmentBytes: bytes }),
    ...(ageMs === undefined ? {} : { ageMs }),
  };
}

/** Both times are the server's, so no clock of ours is in it. */
function ageOf(headers: HttpAnswer['headers']): number | undefined {
  const [now, modified] = [Date.parse(headers.date ?? ''), Date.parse(headers['last-modified'] ?? '')];
  const ageMs = now - modified;
  return Number.isFinite(ageMs) ? Math.max(0, ageMs) : undefined;
}

/** Asks how long a resource is: by HEAD, or by its first byte where the server has no HEAD. */
function createSizer(ask: BoundedFetch, timeoutMs: number) {
  let hasHead = true;
  const byHead = async (url: string, signal: AbortSignal): Promise<number | undefined> =>
    lengthIn((await ask({ url, method: 'HEAD', timeoutMs, bytesMax: 0, signal })).headers['content-length']);

  const byFirstByte = async (url: string, signal: AbortSignal): Promise<number | undefined> => {
    // 416: there is no first byte.
    const accept = (status: number): boolean => status === 200 || status === 206 || status === 416;
    const headers = { range: 'bytes=0-0' };
    const answer = await ask({ url, headers, timeoutMs, bytesMax: 1, cut: true, accept, signal });
    if (answer.status === 200) return lengthIn(answer.headers['content-length']);
    return lengthIn(/\/(\d+)$/.exec(answer.headers['content-range'] ?? '')?.[1]);
  };

  return async (url: string, signal: AbortSignal): Promise<number | undefined> => {
    try {
      const bytes = hasHead ? await byHead(url, signal) : undefined;
      return bytes ?? (await byFirstByte(url, signal));
    } catch (error) {
      if (!hasHead || !(error instanceof RequestFailed) || ![400, 403, 405, 501].includes(error.status ?? 0))
        return undefined;
      hasHead = false;
      return byFirstByte(url, signal).catch(() => undefined);
    }
  };
}

const lengthIn = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
