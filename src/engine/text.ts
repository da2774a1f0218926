/** Cuts texts of engines to a size. */

/** Whole lines from the end of a text, together at most `bytesMax` bytes of UTF-8; a longer line is cut. */
export function newestOf(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= bytesMax) return text;
  const from = bytes.length - bytesMax;
  const isWhole = bytes[from - 1] === 0x0a;
  let start = isWhole ? from : Math.max(from, bytes.indexOf(0x0a, from) + 1);
  // Bytes 10xxxxxx continue a character whose beginning is cut off.
  while (start < bytes.length && (bytes[start]! & 0xc0) === 0x80) start += 1;
  return bytes.subarray(start).toString();
}
