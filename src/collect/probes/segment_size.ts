/** Asks servers how long a segment is. */
import { RequestFailed } from '../../resilience/failure.ts';
import type { BoundedFetch } from '../../resilience/http.ts';

/** Asks how long a resource is: by HEAD, or by its first byte where the server has no HEAD. */
export function createSizer(ask: BoundedFetch, timeoutMs: number) {
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
