/** The probe of a DASH output. */
import { addressWithin } from '../../core/peer.ts';
import { failureOf, statusOf } from '../../resilience/failure.ts';
import type { HlsProbe, PlaylistReading } from './hls.ts';
import { type Manifest, parseManifest } from './manifest.ts';
import { createSizer, newestSize, type SegmentSize, segmentOf } from './segment_size.ts';
import { unpacked } from './unpacked.ts';

const MANIFEST_BYTES_MAX = 1_048_576;
/** Asking for a segment's size may take this share of the time for the manifest. */
const SIZE_TIMEOUT_SHARE = 0.5;

interface Newest {
  readonly size: SegmentSize;
  /** Where it was found, if the manifest does not list its segments. */
  readonly address?: string;
}

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
  const sizer = createSizer(ask, timeoutMs * SIZE_TIMEOUT_SHARE);

  return async (signal) => {
    const sizeOf = async (address: string): Promise<SegmentSize> => {
      const target = addressWithin(address, url)?.href;
      return target === undefined ? undefined : sizer(target, signal);
    };
    try {
      const { status, headers, body } = await ask({ url, timeoutMs, bytesMax: MANIFEST_BYTES_MAX, signal });
      const serverMs = Date.parse(headers.date ?? '');
      const text = unpacked(body, MANIFEST_BYTES_MAX).toString('utf8');
      const manifest = parseManifest(text, Number.isFinite(serverMs) ? serverMs : undefined);
      if (manifest === undefined) return { ok: false, failure: 'invalid_answer', status };
      const { revision, targetDurationMs, ended, newestNumber } = manifest;
      const { size, address } = await (revision === undefined
        ? newestByClock(manifest, sizeOf)
        : newestListed(manifest, sizeOf));
      found = address ?? found;
      // What was found once stands; where nothing ever was, each segment that is due is one more that is missing.
      const moves = revision ?? found ?? (size === 'missing' ? `missing ${newestNumber}` : undefined);
      return {
        ...{ ok: true, status, ended },
        ...(moves === undefined ? {} : { revision: moves }),
        ...(newestNumber === undefined ? {} : { mediaSequence: newestNumber }),
        ...(targetDurationMs === undefined ? {} : { targetDurationMs }),
        ...segmentOf(size),
      };
    } catch (error) {
      const status = statusOf(error);
      return { ok: false, failure: failureOf(error), ...(status === undefined ? {} : { status }) };
    }
  };
}

type SizeOf = (address: string) => Promise<SegmentSize>;

const newestListed = async ({ newest }: Manifest, sizeOf: SizeOf): Promise<Newest> => ({
  size: await newestSize({ newest, newestBytes: undefined, isEmpty: false }, sizeOf),
});

/** Segments that are numbered by the clock are there or not: all that may be are asked for before they are missing. */
async function newestByClock({ newest, earlier, ended }: Manifest, sizeOf: SizeOf): Promise<Newest> {
  let isMissing = newest.length > 0 && !ended;
  for (const address of newest) {
    const size = await sizeOf(address);
    if (typeof size === 'number') return { size, address };
    isMissing &&= size === 'missing';
  }
  for (const address of earlier) isMissing &&= (await sizeOf(address)) === 'missing';
  return { size: isMissing ? 'missing' : undefined };
}
