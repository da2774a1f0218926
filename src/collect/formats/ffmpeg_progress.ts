/** Decodes the reports of `ffmpeg -progress`. */
import type { ChunkCount, ChunkSink } from '../../core/chunk.ts';
import type { ProgressSample } from '../../core/sample.ts';
import { parseProgress } from './progress.ts';
import { countLines } from '../tail/records.ts';

/** A report is some twenty short lines. What is longer is none. */
const REPORT_CHARS_MAX = 4_096;
const ENDING = /^progress=\w+\r?$/m;

/**
 * What `ffmpeg -progress` writes: reports of `key=value` lines that end with `progress=continue` or `progress=end`.
 * Each chunk gives the newest whole report as a sample. Nothing in such a file is a complaint, so no line is matched.
 */
export function ffmpegProgress(onProgress: (sample: ProgressSample) => void): ChunkSink {
  /** The beginning of the report under way, by source. One entry for each configured source. */
  const begun = new Map<string, string>();
  return (chunk): ChunkCount => {
    const { bytes, start, end, channel, source, at, monoMs } = chunk;
    const lines = countLines(bytes, start, end);
    const tail = bytes.toString('latin1', Math.max(start, end - REPORT_CHARS_MAX), end);
    const reports = ((begun.get(source) ?? '') + tail).slice(-2 * REPORT_CHARS_MAX).split(ENDING);
    begun.set(source, reports.pop() ?? '');
    const progress = reports.map(parseProgress).findLast((each) => each !== undefined);
    if (progress !== undefined && channel !== undefined && !chunk.backlog) {
      onProgress({ kind: 'progress', at, monoMs, source, channel, ...progress });
    }
    return { lines, matched: 0, unmatched: lines, progress: 0 };
  };
}
