/** Decodes the text of a configuration file. */
import type { Problem } from '../core/errors.ts';

/** Larger files are refused unread: nothing that an operator edits by hand comes near. */
export const FILE_BYTES_MAX = 256 * 1024;

export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Characters that change what a terminal or an editor shows without being seen themselves. */
const INVISIBLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/** Line and column of an offset, both from 1. A column counts UTF-16 units, as editors do. */
function positionIn(text: string, offset: number): Position {
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  return { line, column: offset - before.lastIndexOf('\n') };
}

/**
 * The text of a file: UTF-8 with or without a byte order mark, any line ending, no invisible characters.
 * What is not that comes back as one problem with its place and what to do.
 */
export function decodeText(file: string, input: string | Uint8Array): string | Problem {
  const say = (message: string, hint: string, at: Position = { line: 1, column: 1 }): Problem => ({
    file,
    ...at,
    path: '',
    message,
    hint,
  });
  const bytes =
    typeof input === 'string' ? Buffer.from(input) : Buffer.from(input.buffer, input.byteOffset, input.length);
  if (bytes.length > FILE_BYTES_MAX) {
    return say(
      `expected at most ${FILE_BYTES_MAX / 1024} KiB, got ${Math.ceil(bytes.length / 1024)} KiB`,
      'split it into several files, or check that this is the right file',
    );
  }
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return say('expected UTF-8, got UTF-16', 'save the file as UTF-8');
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return say('expected UTF-8, got UTF-16', 'save the file as UTF-8');
  const text = decodeUtf8(bytes);
  if (text === undefined) {
    return say('expected UTF-8, got bytes that are not', 'save the file as UTF-8', firstInvalid(bytes));
  }
  // Every line ending becomes `\n`; a lone `\r` keeps its place, so that offsets stay true.
  const plain = text.replace(/\r\n?/g, '\n');
  const invisible = INVISIBLE.exec(plain);
  if (!invisible) return plain;
  const code = invisible[0].codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
  const at = positionIn(plain, invisible.index);
  return say(`expected plain text, got the invisible character U+${code}`, 'delete it, or write it as an escape', at);
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Bytes are checked line by line, because a newline is never part of a longer character. */
function firstInvalid(bytes: Buffer): Position {
  let start = 0;
  for (let line = 1; start <= bytes.length; line += 1) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline === -1 ? bytes.length : newline;
    const part = bytes.subarray(start, end);
    if (decodeUtf8(part) === undefined) {
      const shown = new TextDecoder('utf-8', { ignoreBOM: true }).decode(part);
      return { line, column: shown.indexOf('\ufffd') + 1 };
    }
    start = end + 1;
  }
  return { line: 1, column: 1 };
}
