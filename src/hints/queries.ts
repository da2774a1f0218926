/** What of a log is compared with clusters. */

const LINES_MAX = 6;
const END_CHARS = 600;
const LINE_CHARS_MIN = 12;

/** Beginning and end together, then the last lines: what matters often stands in one of many. */
export function queriesOf(text: string): readonly string[] {
  const lines = text.split('\n').filter((line) => line.trim().length >= LINE_CHARS_MIN);
  const ends = text.length <= 2 * END_CHARS ? text : `${text.slice(0, END_CHARS)}\n${text.slice(-END_CHARS)}`;
  return lines.length <= 1
    ? [ends]
    : [ends, ...new Set(lines.slice(-LINES_MAX).map((line) => line.slice(0, END_CHARS)))];
}
