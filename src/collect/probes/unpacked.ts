/** Unpacks a body that its server packs though it was asked not to. */
import { gunzipSync } from 'node:zlib';

/**
 * What was stored packed is sent packed, whoever asks (MediaLive's `manifestCompression`, objects with a
 * `Content-Encoding` of their own). As it is where it is not gzip, is damaged, or is more than `bytesMax` unpacked.
 */
export function unpacked(body: Buffer, bytesMax: number): Buffer {
  if (body[0] !== 0x1f || body[1] !== 0x8b) return body;
  try {
    return gunzipSync(body, { maxOutputLength: bytesMax });
  } catch {
    return body;
  }
}
