/** The framing of a container's log: 8 bytes of header before each piece (Docker Engine API, "Attach"). */

const HEADER_BYTES = 8;
/** stdin, stdout and stderr. */
const STREAM_MAX = 2;

/**
 * The text of both streams in the order in which it came. With a terminal there are no frames: the bytes are the
 * text. A piece that is cut off at the end is given as far as it goes; bytes that are no frame end the text.
 */
export function textOfLog(bytes: Buffer, tty: boolean): string {
  if (tty) return bytes.toString('utf8');
  const pieces: Buffer[] = [];
  let at = 0;
  while (at + HEADER_BYTES <= bytes.length) {
    const isFrame = bytes[at]! <= STREAM_MAX && bytes.readUIntBE(at + 1, 3) === 0;
    if (!isFrame) break;
    const length = bytes.readUInt32BE(at + 4);
    pieces.push(bytes.subarray(at + HEADER_BYTES, at + HEADER_BYTES + length));
    at += HEADER_BYTES + length;
  }
  return Buffer.concat(pieces).toString('utf8');
}
