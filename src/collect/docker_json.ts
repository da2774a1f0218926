import type { Chunk, ChunkCount, ChunkSink } from '../core/chunk.ts';

/**
 * Docker's `json-file` logs: each line of the file is `{"log":"…\n","stream":"stderr","time":"…"}`, and a long line
 * comes as several records of which only the last ends in `\n`. The sink sees what the container wrote; counted are the
 * lines of the file. A line that is none of that goes on as it stands.
 */
export function dockerJson(sink: ChunkSink): ChunkSink {
  return (chunk: Chunk): ChunkCount => {
    const records = chunk.bytes.toString('utf8', chunk.start, chunk.end).split('\n');
    // The last one is what follows the last line's end: nothing.
    const written = records.slice(0, -1).map(writtenIn);
    const text = written.join('');
    const bytes = Buffer.from(text === '' || /[\n\r]$/.test(text) ? text : `${text}\n`);
    const lines = records.length - 1;
    if (bytes.length === 0) return { lines, matched: 0, unmatched: lines, progress: 0 };
    const seen = sink({ ...chunk, bytes, start: 0, end: bytes.length });
    const matched = Math.min(lines, seen.matched);
    return { lines, matched, unmatched: lines - matched, progress: seen.progress };
  };
}

function writtenIn(record: string): string {
  if (record.startsWith('{')) {
    try {
      const { log } = JSON.parse(record) as { readonly log?: unknown };
      if (typeof log === 'string') return log;
    } catch {
      // Cut off by a full disk or a copy: it is a line like any other.
    }
  }
  return `${record}\n`;
}
