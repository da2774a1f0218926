/** Finds out how long the newest segment is, and whether it is there. */
import type { PlaylistSample } from '../../core/sample.ts';
import { RequestFailed } from '../../resilience/failure.ts';
import type { BoundedFetch } from '../../resilience/http.ts';
import type { MediaPlaylist } from './playlist.ts';

/** The length of a segment in bytes. Undefined: not known. */
export type SegmentSize = number | 'missing' | undefined;

/** What a reading says of the newest segment. */
export function segmentOf(size: SegmentSize): Pick<PlaylistSample, 'newestSegmentBytes' | 'newestSegmentMissing'> {
  if (size === undefined) return {};
  return size === 'missing' ? { newestSegmentMissing: true } : { newestSegmentBytes: size };
}

/**
 * The size of the newest segment of a list. It is missing where the list is empty, or where neither it nor the one
 * before it is there: some lists name a segment a moment before it can be had.
 */
export async function newestSize(
  { newest, newestBytes, isEmpty }: Pick<MediaPlaylist, 'newest' | 'newestBytes' | 'isEmpty'>,
  sizeOf: (address: string) => Promise<SegmentSize>,
): Promise<SegmentSize> {
  if (newestBytes !== undefined) return newestBytes;
  const [last, before] = newest;
  if (last === undefined) return isEmpty ? 'missing' : undefined;
  const size = await sizeOf(last);
  if (size !== 'missing' || before === undefined) return size;
  return (await sizeOf(before)) === 'missing' ? 'missing' : undefined;
}

/** Only these two say that there is no such resource. */
const isMissing = (error: unknown): boolean =>
  error instanceof RequestFailed && (error.status === 404 || error.status === 410);

/**
 * Asks how long a resource is: by HEAD, or by its first byte where the server has no HEAD. What is missing by HEAD, or
 * empty, is asked for, too: some servers know that method for no resource, and some answer it without looking.
 */
export function createSizer(ask: BoundedFetch, timeoutMs: number) {
  let hasHead = true;
  const byHead = async (url: string, signal: AbortSignal): Promise<number | undefined> =>
    lengthIn((await ask({ url, method: 'HEAD', timeoutMs, bytesMax: 0, signal })).headers['content-length']);

  const byFirstByte = async (url: string, signal: AbortSignal): Promise<number | undefined> => {
    // 416: there is no first byte.
    const accept = (status: number): boolean => status === 200 || status === 206 || status === 416;
    const headers = { range: 'bytes=0-0' };
    const answer = await ask({ url, headers, timeoutMs, bytesMax: 1, cut: true, accept, signal });
    if (answer.status === 416) return 0;
    if (answer.status === 200) return lengthIn(answer.headers['content-length']);
    return lengthIn(/\/(\d+)$/.exec(answer.headers['content-range'] ?? '')?.[1]);
  };

  const byFirst = (url: string, signal: AbortSignal): Promise<SegmentSize> =>
    byFirstByte(url, signal).catch((error: unknown) => (isMissing(error) ? 'missing' : undefined));

  return async (url: string, signal: AbortSignal): Promise<SegmentSize> => {
    if (!hasHead) return byFirst(url, signal);
    try {
      return (await byHead(url, signal)) || (await byFirst(url, signal));
    } catch (error) {
      if (isMissing(error)) return byFirst(url, signal);
      if (!(error instanceof RequestFailed) || ![400, 403, 405, 501].includes(error.status ?? 0)) return undefined;
      hasHead = false;
      return byFirst(url, signal);
    }
  };
}

const lengthIn = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
