/** The probe of a DASH output. */
import { addressWithin } from '../../core/peer.ts';
import { failureOf, statusOf } from '../../resilience/failure.ts';
import type { HlsProbe, PlaylistReading } from './hls.ts';
import { parseManifest } from './manifest.ts';

const MANIFEST_BYTES_MAX = 1_048_576;

/**
 * Looks at one channel's DASH manifest and at its newest segment. `publishTime` alone proves nothing: some servers
 * write it anew for each request. Never throws; a failure is a reading.
 */
export function createDashProbe({
  url,
  ask,
  timeoutMs,
}: Omit<HlsProbe, 'clock'>): (signal: AbortSignal) => Promise<PlaylistReading> {
  /** The newest segment that was found, where the manifest does not list them. */
  let found: string | undefined;

  /** Its length; undefined where it is not there, or where that is not known. */
  const sizeOf = async (address: string, signal: AbortSignal): Promise<number | undefined> => {
    const target = addressWithin(address, url);
    if (target === undefined) return undefined;
    try {
      const { headers } = await ask({ url: target, method: 'HEAD', timeoutMs: timeoutMs / 2, bytesMax: 0, signal });
      const length = headers['content-length'];
      return length !== undefined && /^\d{1,15}$/.test(length) ? Number(length) : undefined;
    } catch {
      return undefined;
    }
  };

  const newestOf = async (addresses: readonly string[], signal: AbortSignal) => {
    for (const address of addresses) {
      const bytes = await sizeOf(address, signal);
      if (bytes !== undefined) return { address, bytes };
    }
    return undefined;
  };

  return async (signal) => {
    try {
      const { status, headers, body } = await ask({ url, timeoutMs, bytesMax: MANIFEST_BYTES_MAX, signal });
      const serverMs = Date.parse(headers.date ?? '');
      const manifest = parseManifest(body.toString('utf8'), Number.isFinite(serverMs) ? serverMs : undefined);
      if (manifest === undefined) return { ok: false, failure: 'invalid_answer', status };
      const { revision, targetDurationMs, ended, newestNumber } = manifest;
      const newest = await newestOf(manifest.newest, signal);
      if (revision === undefined) found = newest?.address ?? found;
      const moves = revision ?? found;
      return {
        ...{ ok: true, status, ended },
        ...(moves === undefined ? {} : { revision: moves }),
        ...(newestNumber === undefined ? {} : { mediaSequence: newestNumber }),
        ...(targetDurationMs === undefined ? {} : { targetDurationMs }),
        ...(newest === undefined ? {} : { newestSegmentBytes: newest.bytes }),
      };
    } catch (error) {
      const status = statusOf(error);
      return { ok: false, failure: failureOf(error), ...(status === undefined ? {} : { status }) };
    }
  };
}
