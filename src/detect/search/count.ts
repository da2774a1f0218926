/** Counts lines and progress records in bytes. */

const NEWLINES = 0x0a0a0a0a;
const LOW_BITS = 0x7f7f7f7f;
const LANE_ONES = 0x01010101;
/** A lane of eight bits overflows after this many additions. */
const LANE_STEPS_MAX = 255;

/** Lines shorter than this are counted faster by looking at every word than by looking for each newline. */
const SHORT_LINE_BYTES = 48;
const PROBE_LINES = 256;

/** How many `\n` stand in it. This touches every byte of every log, so it takes the faster of two ways. */
export function countNewlines(view: Buffer): number {
  let count = 0;
  for (let at = view.indexOf(10); at >= 0; at = view.indexOf(10, at + 1)) {
    count += 1;
    if (count === PROBE_LINES && at < PROBE_LINES * SHORT_LINE_BYTES) return count + countDense(view, at + 1);
  }
  return count;
}

/** Four bytes at a time. */
function countDense(view: Buffer, from: number): number {
  let at = from;
  let count = 0;
  while (at < view.length && ((view.byteOffset + at) & 3) !== 0) count += view[at++] === 10 ? 1 : 0;
  const words = Math.max(0, (view.length - at) >> 2);
  if (words > 0) count += countInWords(new Int32Array(view.buffer, view.byteOffset + at, words));
  for (at += words * 4; at < view.length; at += 1) count += view[at] === 10 ? 1 : 0;
  return count;
}

function countInWords(words: Int32Array): number {
  let count = 0;
  for (let from = 0; from < words.length; ) {
    const to = Math.min(words.length, from + LANE_STEPS_MAX);
    let lanes = 0;
    for (; from < to; from += 1) {
      const differing = words[from]! ^ NEWLINES;
      // The top bit of each byte ends up set where any of the byte's bits was.
      const set = ((differing & LOW_BITS) + LOW_BITS) | 0 | differing;
      lanes = (lanes + ((~set >>> 7) & LANE_ONES)) | 0;
    }
    count += (lanes & 255) + ((lanes >>> 8) & 255) + ((lanes >>> 16) & 255) + (lanes >>> 24);
  }
  return count;
}

/** How many records in it end in a `\r` that no `\n` follows: the progress lines of encoders. */
export function countProgress(view: Buffer): number {
  let count = 0;
  for (let at = view.indexOf(13); at >= 0; at = view.indexOf(13, at + 1)) count += view[at + 1] === 10 ? 0 : 1;
  return count;
}
