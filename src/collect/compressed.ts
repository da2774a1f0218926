/** Tells a compressed file by how it begins. */

/** Of gzip, bzip2, xz and zstandard. */
const BEGINNINGS = ['1f8b', '425a68', 'fd377a585a00', '28b52ffd'].map((hex) => Buffer.from(hex, 'hex'));

/** The beginning of a file is that of a compressed one, and holds no lines. */
export const isCompressed = (bytes: Buffer): boolean =>
  BEGINNINGS.some((start) => bytes.length > start.length && bytes.subarray(0, start.length).equals(start));
