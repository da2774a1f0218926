/** The probe of an HLS output whose playlist lies on this machine. */
import { readFile, stat } from 'node:fs/promises';
import { dirname, resolve, sep } from 'node:path';
import type { Clock, MonoMs } from '../../core/clock.ts';
import { ALWAYS_CLEAR, type PathCheck } from '../mounts/mount_checks.ts';
import { failureOf } from '../../resilience/failure.ts';
import type { PlaylistLook, PlaylistReading } from './hls.ts';
import { type MediaPlaylist, readPlaylist, stands } from './playlist.ts';
import { newestSize, type SegmentSize, segmentOf } from './segment_size.ts';

export interface PlaylistFileProbe {
  readonly path: string;
  readonly clock: Clock;
  /** Asked before the file: not each playlist of a dead file server may hold a thread. Default: nothing is asked. */
  readonly check?: PathCheck | undefined;
}

const PLAYLIST_BYTES_MAX = 1_048_576;

/** A playlist as it was read, and by what it is known that it was not written since. */
interface Held {
  readonly path: string;
  readonly written: string;
  readonly writtenMs: number;
  readonly playlist: MediaPlaylist;
}

/**
 * Looks at one channel's playlist and at its newest segment in the file system: no request, and nothing is read that
 * was not written since. Both stay within the playlist's folder. Never throws; a failure is a reading.
 */
export function createPlaylistFileProbe({ path, clock, check = ALWAYS_CLEAR }: PlaylistFileProbe): PlaylistLook {
  let held: Held | undefined;
  /** When it was first seen as it is. */
  let changedMs: MonoMs = 0;
  const look = async (signal: AbortSignal): Promise<PlaylistReading> => {
    const nowMs = clock.monotonicMs();
    const before = held;
    const isOutdated = before !== undefined && before.path !== path && stands(before.playlist, nowMs - changedMs);
    held = await readMedia(path, isOutdated ? undefined : before, signal);
    if (held?.playlist.revision !== before?.playlist.revision) changedMs = nowMs;
    if (held === undefined) return { ok: false, failure: 'invalid_answer' };
    const { playlist, writtenMs } = held;
    const { revision, mediaSequence, targetDurationMs, ended } = playlist;
    const { path: listed } = held;
    const bytes = await newestSize(playlist, (segment) => sizeOf(within(listed, segment)));
    return {
      ...{ ok: true, revision, mediaSequence, ended, ageMs: Math.max(0, Math.round(clock.now() - writtenMs)) },
      ...(targetDurationMs === undefined ? {} : { targetDurationMs }),
      ...segmentOf(bytes),
    };
  };
  /** A question that the file system does not answer waits in the kernel for good: no second one waits beside it. */
  let pending: Promise<PlaylistReading> | undefined;
  const onlyLook = (signal: AbortSignal): Promise<PlaylistReading> => {
    pending ??= look(signal).finally(() => {
      pending = undefined;
    });
    return pending;
  };
  const clear = untilClear(check);
  return async (signal) => {
    try {
      if (!check.isClear()) await clear(signal);
      // A file system that does not answer must not hold the look for ever.
      return await Promise.race([onlyLook(signal), aborted(signal)]);
    } catch (error) {
      held = undefined;
      return isMissing(error) ? await missing(path) : { ok: false, failure: failureOf(error) };
    }
  };
}

/** Undefined: it is no media playlist. */
async function readMedia(path: string, before: Held | undefined, signal: AbortSignal): Promise<Held | undefined> {
  const known = before?.path ?? path;
  const status = await stat(known);
  const { ino, size, mtimeMs } = status;
  const written = `${ino} ${size} ${mtimeMs}`;
  if (before?.written === written) return before;
  if (!status.isFile() || size > PLAYLIST_BYTES_MAX) return undefined;
  const playlist = readPlaylist(await readFile(known, { signal }));
  if (playlist?.kind === 'media') return { path: known, written, writtenMs: mtimeMs, playlist };
  const variant = playlist === undefined || before !== undefined ? undefined : within(known, playlist.variants[0]);
  return variant === undefined ? undefined : readVariant(variant, signal);
}

async function readVariant(path: string, signal: AbortSignal): Promise<Held | undefined> {
  const status = await stat(path);
  const { ino, size, mtimeMs } = status;
  if (!status.isFile() || size > PLAYLIST_BYTES_MAX) return undefined;
  const playlist = readPlaylist(await readFile(path, { signal }));
  const written = `${ino} ${size} ${mtimeMs}`;
  return playlist?.kind === 'media' ? { path, written, writtenMs: mtimeMs, playlist } : undefined;
}

/** The file that a playlist names; undefined where that is an address, or lies outside its folder. */
function within(playlist: string, name: string | undefined): string | undefined {
  const [plain = ''] = name?.split('?') ?? [];
  if (plain === '' || plain.includes('://')) return undefined;
  const folder = dirname(playlist);
  const path = resolve(folder, plain);
  return path.startsWith(folder === sep ? sep : folder + sep) ? path : undefined;
}

async function sizeOf(path: string | undefined): Promise<SegmentSize> {
  if (path === undefined) return undefined;
  try {
    return (await stat(path)).size;
  } catch (error) {
    return isMissing(error) ? 'missing' : undefined;
  }
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** As a server would answer for its folder. Without the folder nothing is known of what is in it. */
async function missing(path: string): Promise<PlaylistReading> {
  const isThere = await stat(dirname(path)).catch(() => undefined);
  return isThere === undefined
    ? { ok: false, failure: 'unreachable' }
    : { ok: false, failure: 'http_status', status: 404 };
}

/** Waits for the file systems that owe an answer, no longer than a look may take. Of several looks the newest waits. */
function untilClear(check: PathCheck): (signal: AbortSignal) => Promise<void> {
  let wake: (() => void) | undefined;
  const answered = (): void => wake?.();
  return async (signal) => {
    while (!check.isClear()) {
      check.ask(answered);
      const answer = new Promise<void>((resolve) => {
        wake = resolve;
      });
      await Promise.race([answer, aborted(signal)]);
    }
  };
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
