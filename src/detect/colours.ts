/** Takes the colours out of what was written for a terminal. */

/** How a sequence begins: as it is, as rsyslog writes an escape down, and as JSON does. */
const BEGINNINGS = ['\x1b[', '#033[', '\\u001b['].map((text) => Buffer.from(text));
/** What a terminal is told between the letters (ECMA-48, CSI): mostly a colour. Never a line's end. */
const SEQUENCE = /(?:\x1b|#033|\\u001b)\[[0-?]{0,32}[ -/]{0,4}[@-~]/g;

/**
 * Programs in a container with a terminal write in colours, and ffmpeg where it is told to: a word then begins with the
 * `m` of a colour, a line with an escape, and neither is what a pattern looks for. The same bytes where there are none.
 */
export function withoutColours(bytes: Buffer): Buffer {
  if (!BEGINNINGS.some((beginning) => bytes.includes(beginning))) return bytes;
  return Buffer.from(bytes.toString('latin1').replace(SEQUENCE, ''), 'latin1');
}
