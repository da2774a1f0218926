/** Decodes the log format of Docker's `json-file` driver. */
import type { Chunk, ChunkCount, ChunkSink } from '../../core/chunk.ts';

/** The piece into which Docker cuts a long line (`defaultBufSize` in moby's daemon/logger/copier.go). */
const PIECE_BYTES = 16_384;
/** A longer line is handed on in parts: it holds memory for as long as its end does not come. */
const LINE_CHARS_MAX = 262_144;
/** Lines that are waited for at once. Of more, the one whose writer was silent for longest is handed on as it is. */
const UNFINISHED_MAX = 64;

/**
 * Docker's `json-file` logs: each line of the file is `{"log":"…\n","stream":"stderr","time":"…"}`, and a long line
 * comes in full pieces of which only the last ends in `\n`; they are joined, also over chunks. Last text without a
 * line's end are a line. The sink sees what the container wrote; counted are the lines of the file. A line that is none
 * of that goes on as it stands.
 */
export function dockerJson(sink: ChunkSink): ChunkSink {
  const unfinished = new Map<string, Unfinished>();
  const makeRoom = (): void => {
    const [oldest] = unfinished;
    if (oldest === undefined || unfinished.size < UNFINISHED_MAX) return;
    const [key, { text, chunk }] = oldest;
    unfinished.delete(key);
    const bytes = Buffer.from(`${text}\n`);
    sink({ ...chunk, bytes, start: 0, end: bytes.length });
  };
  const join = (chunk: Chunk, { log, stream }: DockerRecord): string => {
    const { source, path = '' } = chunk;
    const key = `${source}\n${path}\n${stream}`;
    const text = (unfinished.get(key)?.text ?? '') + log;
    unfinished.delete(key);
    if (text === '' || /[\n\r]$/.test(text)) return text;
    const isPiece = Buffer.byteLength(log) >= PIECE_BYTES && text.length <= LINE_CHARS_MAX;
    if (!isPiece) return `${text}\n`;
    makeRoom();
    unfinished.set(key, { text, chunk: { ...chunk, bytes: NOTHING } });
    return '';
  };
  return (chunk: Chunk): ChunkCount => {
    const records = chunk.bytes.toString('utf8', chunk.start, chunk.end).split('\n');
    // The last one is what follows the last line's end: nothing.
    const written = records.slice(0, -1).map((record) => {
      const read = recordIn(record);
      return read === undefined ? `${record}\n` : join(chunk, read);
    });
    const bytes = Buffer.from(written.join(''));
    const lines = records.length - 1;
    if (bytes.length === 0) return { lines, matched: 0, unmatched: lines, progress: 0 };
    const seen = sink({ ...chunk, bytes, start: 0, end: bytes.length });
    const matched = Math.min(lines, seen.matched);
    return { lines, matched, unmatched: lines - matched, progress: seen.progress };
  };
}

/** The beginning of a line, and where it was read. */
interface Unfinished {
  readonly text: string;
  readonly chunk: Chunk;
}

const NOTHING = Buffer.alloc(0);

interface DockerRecord {
  readonly log: string;
  readonly stream: 'stdout' | 'stderr';
}

function recordIn(text: string): DockerRecord | undefined {
  if (!text.startsWith('{')) return undefined;
  try {
    const { log, stream } = JSON.parse(text) as Partial<Record<string, unknown>>;
    return typeof log === 'string' ? { log, stream: stream === 'stdout' ? 'stdout' : 'stderr' } : undefined;
  } catch {
    // Cut off by a full disk or a copy: it is a line like any other.
    return undefined;
  }
}
