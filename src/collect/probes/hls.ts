/** The probe of an HLS output. */
import type { Clock, MonoMs } from '../../core/clock.ts';
import { MINUTE_MS } from '../../core/duration.ts';
import type { PlaylistSample } from '../../core/sample.ts';
import { addressWithin } from '../../core/peer.ts';
import { failureOf, statusOf } from '../../resilience/failure.ts';
import type { BoundedFetch, HttpAnswer } from '../../resilience/http.ts';
import { type MediaPlaylist, readPlaylist, stands } from './playlist.ts';
import { createSizer, newestSize, type SegmentSize, segmentOf } from './segment_size.ts';
import { unpacked } from './unpacked.ts';

export type PlaylistReading = Omit<PlaylistSample, 'at' | 'monoMs' | 'source' | 'kind' | 'channel'>;

/** One look at a playlist. `isCalm`: nothing is in doubt, so what changes seldom is asked seldom. */
export type PlaylistLook = (signal: AbortSignal, isCalm?: boolean) => Promise<PlaylistReading>;

export interface HlsProbe {
  readonly url: string;
  /** Follows no redirect; a playlist that leads to another host is not followed either. */
  readonly ask: BoundedFetch;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

const PLAYLIST_BYTES_MAX = 1_048_576;
/** Asking for a segment's size may take this share of the time for the playlist. */
const SIZE_TIMEOUT_SHARE = 0.5;
/** Of a calm channel the size of a segment is asked this often: empty ones are seen at once in doubt, else by then. */
const CALM_SIZE_MS = MINUTE_MS;
/** The second time it is asked up to so much sooner, or thousands that began together would ask together for ever. */
const SPREAD_MS = CALM_SIZE_MS / 2;
/** So often in a row "not modified" is believed. Then the list is read whole: no stall is ever found by hearsay. */
const UNMODIFIED_MAX = 2;

class Refused extends Error {
  readonly status: number | undefined;

  constructor(why: string, status?: number) {
    super(why);
    this.status = status;
  }
}

/** A playlist that was read, and what its server may be asked with whether it has changed. */
interface Held {
  readonly address: string;
  readonly playlist: MediaPlaylist;
  readonly headers: HttpAnswer['headers'];
  readonly validators: Readonly<Record<string, string>>;
  readonly status: number;
}

/** Looks at one channel's playlist and at the size of its newest segment. Never throws; a failure is a reading. */
export function createHlsProbe({ url, ask, timeoutMs, clock }: HlsProbe): PlaylistLook {
  /** The media playlist as it was last read. */
  let held: Held | undefined;
  const course = new Course();
  let unmodified = 0;
  /** The last size that was asked for: an unchanged playlist has the same newest segment. */
  let sized: { readonly revision: string; readonly bytes: SegmentSize; readonly monoMs: MonoMs } | undefined;
  const sizeOf = createSizer(ask, timeoutMs * SIZE_TIMEOUT_SHARE);
  const get = async (address: string, signal: AbortSignal): Promise<HttpAnswer> =>
    ask({ url: address, timeoutMs, bytesMax: PLAYLIST_BYTES_MAX, signal });

  const isOutdated = ({ address, playlist }: Held): boolean =>
    address !== url && stands(playlist, clock.monotonicMs() - course.changedMs);

  /** From the media playlist on, where that is known and goes on. */
  const readWhole = async (signal: AbortSignal): Promise<Held> => {
    unmodified = 0;
    const known = held === undefined || isOutdated(held) ? url : held.address;
    const answer = await get(known, signal);
    const playlist = readPlaylist(unpacked(answer.body, PLAYLIST_BYTES_MAX));
    if (playlist?.kind !== 'master') return heldOf(known, answer);
    const address = addressWithin(playlist.variants[0] ?? '', known)?.href;
    if (address === undefined) throw new Refused('its first variant lies on another host');
    return heldOf(address, await get(address, signal));
  };

  const look = async (signal: AbortSignal): Promise<Held> => {
    const before = held;
    const isBelieved = unmodified < UNMODIFIED_MAX && Object.keys(before?.validators ?? {}).length > 0;
    if (before === undefined || !isBelieved || isOutdated(before)) return readWhole(signal);
    const { address, validators: headers } = before;
    const answer = await ask({ url: address, headers, accept, timeoutMs, bytesMax: PLAYLIST_BYTES_MAX, signal });
    if (answer.status !== 304) return heldOf(address, answer);
    unmodified += 1;
    return { ...before, status: 304, headers: { ...before.headers, ...answer.headers } };
  };

  const sizeOfNewest = async ({ playlist, address }: Held, signal: AbortSignal, isCalm: boolean) => {
    if (playlist.newestBytes !== undefined) return playlist.newestBytes;
    const isSame = sized?.revision === playlist.revision;
    if (isSame && typeof sized?.bytes === 'number' && sized.bytes > 0) return sized.bytes;
    const nowMs = clock.monotonicMs();
    const { bytes: before, monoMs: sizedMs = Number.NEGATIVE_INFINITY } = sized ?? {};
    if (isCalm && before !== 0 && before !== 'missing' && nowMs - sizedMs < CALM_SIZE_MS) return undefined;
    const bytes = await newestSize(playlist, async (segment) => {
      const target = addressWithin(segment, address)?.href;
      return target === undefined ? undefined : sizeOf(target, signal);
    });
    sized = { revision: playlist.revision, bytes, monoMs: sized === undefined ? nowMs - spreadOf(url) : nowMs };
    return bytes;
  };

  return async (signal, isCalm = false) => {
    try {
      held = await look(signal);
      const revision = course.take(held, clock.monotonicMs());
      return readingOf(held, revision, await sizeOfNewest(held, signal, isCalm));
    } catch (error) {
      // The variant may be gone: the master playlist is asked again next time.
      held = undefined;
      const status = error instanceof Refused ? error.status : statusOf(error);
      const failure = error instanceof Refused ? 'invalid_answer' : failureOf(error);
      return { ok: false, failure, ...(status === undefined ? {} : { status }) };
    }
  };
}

/** The same for a playlist each time, and spread evenly over those of a service. */
const spreadOf = (url: string): number =>
  Array.from(url).reduce((sum, sign) => (31 * sum + sign.codePointAt(0)!) % SPREAD_MS, 0);

const accept = (status: number): boolean => (status >= 200 && status < 300) || status === 304;

function heldOf(address: string, { body, headers, status }: HttpAnswer): Held {
  const playlist = readPlaylist(unpacked(body, PLAYLIST_BYTES_MAX));
  if (playlist?.kind !== 'media') throw new Refused('it is no media playlist', status);
  return { address, playlist, headers, status, validators: validatorsOf(headers) };
}

/**
 * What was changed in the very second of the answer may change once more and keep its validators (RFC 9110, 8.8.2.2):
 * such an answer is not asked about, but read again.
 */
function validatorsOf(headers: HttpAnswer['headers']): Held['validators'] {
  const { etag, 'last-modified': modified, date } = headers;
  if (modified !== undefined && !(Date.parse(date ?? '') - Date.parse(modified) >= 1_000)) return {};
  return {
    ...(etag === undefined ? {} : { 'if-none-match': etag }),
    ...(modified === undefined ? {} : { 'if-modified-since': modified }),
  };
}

/**
 * Names what a list says, the same for the same. A server that gives each viewer a list of its own (Wowza's
 * `chunklist_w1234.m3u8`, paths with a token) names everything anew whenever the master playlist is asked for: a list
 * at another address that has come no further says nothing new.
 */
class Course {
  /** When the list was first seen as it is. */
  changedMs: MonoMs = 0;
  #last: Pick<Held, 'address' | 'playlist'> | undefined;
  #revision: string | undefined;

  take({ address, playlist }: Held, nowMs: MonoMs): string {
    const last = this.#last;
    const isSame = last?.playlist.revision === playlist.revision;
    const isRenamed = last !== undefined && last.address !== address && last.playlist.position === playlist.position;
    this.#last = { address, playlist };
    if (this.#revision !== undefined && (isSame || isRenamed)) return this.#revision;
    this.changedMs = nowMs;
    this.#revision = playlist.revision;
    return playlist.revision;
  }
}

function readingOf({ playlist, status, headers }: Held, revision: string, bytes: SegmentSize): PlaylistReading {
  const { mediaSequence, targetDurationMs, ended } = playlist;
  const ageMs = ageOf(headers);
  return {
    ...{ ok: true, status, revision, mediaSequence, ended },
    ...(targetDurationMs === undefined ? {} : { targetDurationMs }),
    ...segmentOf(bytes),
    ...(ageMs === undefined ? {} : { ageMs }),
  };
}

/** Both times are the server's, so no clock of ours is in it. */
function ageOf(headers: HttpAnswer['headers']): number | undefined {
  const [now, modified] = [Date.parse(headers.date ?? ''), Date.parse(headers['last-modified'] ?? '')];
  const ageMs = now - modified;
  return Number.isFinite(ageMs) ? Math.max(0, ageMs) : undefined;
}
