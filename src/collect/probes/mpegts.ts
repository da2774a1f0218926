/** Checks MPEG transport streams. */

const PACKET_BYTES = 188;
const SYNC = 0x47;
const TRANSPORT_ERROR = 0x80;

/** Fewer packets say nothing. */
const PACKETS_MIN = 10;

/** A transport stream without damage has none; this much is left to a join or a packet or two lost on the way. */
const BAD_SHARE_MAX = 0.01;

/**
 * True when the bytes are no whole MPEG transport stream: every 188th byte must be 0x47, from some first one on, and
 * no packet may say of itself that it is damaged. Too few bytes to decide are not called corrupt.
 */
export function isCorruptTransportStream(bytes: Buffer): boolean {
  const packets = Math.floor(bytes.length / PACKET_BYTES) - 1;
  if (packets < PACKETS_MIN) return false;
  let best = { start: 0, good: 0 };
  for (let start = 0; start < PACKET_BYTES; start += 1) {
    let good = 0;
    for (let packet = 0; packet < packets; packet += 1) if (isGood(bytes, start + packet * PACKET_BYTES)) good += 1;
    if (good > best.good) best = { start, good };
    if (good === packets) return false;
  }
  const bad = packets - best.good;
  return bad > Math.max(1, packets * BAD_SHARE_MAX);
}

const isGood = (bytes: Buffer, at: number): boolean =>
  bytes[at] === SYNC && ((bytes[at + 1] ?? 0) & TRANSPORT_ERROR) === 0;
