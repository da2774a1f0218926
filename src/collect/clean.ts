/** Makes a log line safe to store, print and prompt with. */
import { redact } from './redact.ts';

/** The longest text that is kept of one line, in bytes of UTF-8. */
const TEXT_BYTES_MAX = 8_192;

const PLAIN = /^[\x20-\x7e]*$/;

/** Terminal sequences: CSI, then strings such as OSC titles (with their end), then two-character escapes. */
const ANSI =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]{0,256}(?:\x07|\x1b\\|\x9c)|\x1b[ -/]{0,4}[0-~]/g;

const BLANKS = /[\t\n\v\f\r\x85\u2028\u2029]+/g;

/** Control and format characters (direction, zero width, tags), and whatever else shows as nothing. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu;

/**
 * One line of text that is harmless on a terminal and in a prompt: control characters, terminal sequences,
 * direction marks and invisible characters are gone, line breaks and tabs are blanks, and it is at most
 * `bytesMax` long in UTF-8 (an ellipsis shows the cut). Bytes that are no UTF-8 never hide the rest.
 */
export function cleanText(text: Buffer | string, bytesMax = TEXT_BYTES_MAX): string {
  const visible = visibleOf(headOf(text, bytesMax * 4));
  return clip(visible, bytesMax);
}

/** Cleaned, then redacted, then clipped: in this order no secret is cut out of its name's sight. */
export function safeText(text: Buffer | string, bytesMax = TEXT_BYTES_MAX): string {
  return clip(redact(visibleOf(headOf(text, bytesMax * 4))), bytesMax);
}

function visibleOf(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(ANSI, '').replace(BLANKS, ' ').replace(INVISIBLE, '').toWellFormed();
}

/** Enough of the text that what is left after cleaning is rarely cut short by this. */
function headOf(text: Buffer | string, unitsMax: number): string {
  return typeof text === 'string' ? text.slice(0, unitsMax) : decode(text.subarray(0, unitsMax));
}

/** UTF-8 where it is; else UTF-8 with marks for the broken bytes; else, without any valid sequence, Latin-1. */
function decode(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  if (!text.includes('\ufffd') || /[^\x00-\x7f\ufffd]/.test(text)) return text;
  return bytes.toString('latin1');
}

/** At most `bytesMax` bytes of UTF-8, cut between characters. */
export function clip(text: string, bytesMax: number): string {
  if (text.length * 3 <= bytesMax || Buffer.byteLength(text) <= bytesMax) return text;
  const ellipsis = '…';
  const bytes = Buffer.from(text.slice(0, bytesMax));
  let end = Math.max(0, bytesMax - Buffer.byteLength(ellipsis));
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end -= 1;
  const kept = bytes.toString('utf8', 0, end);
  return bytesMax < 3 ? kept : kept + ellipsis;
}
