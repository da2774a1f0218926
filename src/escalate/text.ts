/** Makes text safe to send: without control and formatting characters, cut to a length. */

/** Everything that could move a cursor, hide or reorder text, except the line feed. */
const UNPRINTABLE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

/** Several lines of plain text, at most `charactersMax`. */
export function plain(text: string, charactersMax: number): string {
  const clean = text.replace(UNPRINTABLE, ' ').trim().toWellFormed();
  return clean.length <= charactersMax ? clean : `${clean.slice(0, charactersMax - 1).toWellFormed()}…`;
}

/** One line of plain text. */
export const oneLine = (text: string, charactersMax: number): string =>
  plain(text.replace(/\s*\n\s*/g, ' '), charactersMax);
