/** Whole lines from the end of a text, together at most `bytesMax` bytes of UTF-8; a longer line is cut. */
export function newestOf(text: string, bytesMax: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= bytesMax) return text;
  const tail = bytes.subarray(bytes.length - bytesMax);
  let start = tail.indexOf(0x0a) + 1;
  // Bytes 10xxxxxx continue a character whose beginning is cut off.
  while (start < tail.length && (tail[start]! & 0xc0) === 0x80) start += 1;
  return tail.subarray(start).toString();
}
