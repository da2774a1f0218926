/** Finds the newest progress report of an encoder in a chunk. */

/** Only the newest part of a chunk is asked for progress: the older reports in it are outdated already. */
const TAIL_BYTES = 32 * 1024;
const RECORDS_MAX = 64;
const RECORD_BYTES_MAX = 1024;

/** What one progress record of an encoder says. */
export interface ParsedProgress {
  readonly outTimeMs: number;
  readonly frame: number | undefined;
}

/** The newest progress in the end of a chunk, by `time=`; at most 64 records are looked at. */
export function newestProgress(
  chunk: Buffer,
  parse: (record: string) => ParsedProgress | undefined,
): ParsedProgress | undefined {
  const view = chunk.length > TAIL_BYTES ? chunk.subarray(-TAIL_BYTES) : chunk;
  let before = view.length;
  for (let looked = 0; looked < RECORDS_MAX && before > 0; looked += 1) {
    const at = view.lastIndexOf('time=', before - 1);
    if (at < 0) return undefined;
    const from = startOf(view, at);
    const progress = parse(view.toString('latin1', from, endOf(view, at)));
    if (progress !== undefined) return progress;
    before = from;
  }
  return undefined;
}

function startOf(view: Buffer, at: number): number {
  const least = Math.max(0, at - RECORD_BYTES_MAX);
  let from = at;
  while (from > least && view[from - 1] !== 10 && view[from - 1] !== 13) from -= 1;
  return from;
}

function endOf(view: Buffer, at: number): number {
  const most = Math.min(view.length, at + RECORD_BYTES_MAX);
  let to = at;
  while (to < most && view[to] !== 10 && view[to] !== 13) to += 1;
  return to;
}
