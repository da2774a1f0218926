import type { Chunk, ChunkCount } from '../../../src/core/chunk.ts';

/** Counts as a detector would: by `\n`, `ERR` matches, what ends in a lone `\r` is progress. */
export function countChunk({ bytes, start, end }: Chunk): { count: ChunkCount; records: string[] } {
  const text = bytes.toString('latin1', start, end);
  const records = text.match(/[^\r\n]*(?:\r\n|\n|\r)/g) ?? [];
  const lines = records.filter((record) => record.endsWith('\n'));
  const matched = lines.filter((line) => line.includes('ERR')).length;
  const progress = records.length - lines.length;
  return { count: { lines: lines.length, matched, unmatched: lines.length - matched, progress }, records };
}
