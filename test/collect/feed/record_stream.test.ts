import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RecordStream } from '../../../src/collect/feed/record_stream.ts';

function cut(pieces: readonly Buffer[], lineBytesMax = 1_000) {
  const records: string[] = [];
  let dropped = 0;
  const stream = new RecordStream(lineBytesMax, {
    hand: (bytes, start, end) => {
      records.push(...(bytes.toString('latin1', start, end).match(/[^\r\n]*(?:\r\n|\n|\r)/g) ?? []));
    },
    drop: (_reason, lines) => {
      dropped += lines;
    },
  });
  for (const piece of pieces) stream.push(piece);
  return { records, dropped: () => dropped, stream };
}

describe('a stream of records', () => {
  it('gives the same lines wherever it is cut', () => {
    const line = fc.string({ unit: fc.constantFrom('a', 'b', 'ERR', ' '), maxLength: 12 });
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 20 }),
        fc.constantFrom('\n', '\r\n'),
        fc.infiniteStream(fc.integer({ min: 1, max: 9 })),
        (lines, end, sizes) => {
          const bytes = Buffer.from(lines.map((text) => text + end).join(''));
          const pieces: Buffer[] = [];
          for (let at = 0; at < bytes.length; ) {
            const size = sizes.next().value as number;
            pieces.push(bytes.subarray(at, at + size));
            at += size;
          }
          expect(cut(pieces).records).toEqual(lines.map((text) => text + end));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('loses no line and counts none twice when some are too long', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 30 }),
        fc.integer({ min: 1, max: 25 }),
        (lengths, size) => {
          const bytes = Buffer.from(lengths.map((length) => `${'x'.repeat(length)}\n`).join(''));
          const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
            bytes.subarray(at * size, at * size + size),
          );
          const { records, dropped } = cut(pieces, 31);
          expect(records).toEqual(lengths.filter((length) => length <= 30).map((length) => `${'x'.repeat(length)}\n`));
          expect(records.length + dropped()).toBe(lengths.length);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('hands over progress, and what is left at the end', () => {
    const { records, stream } = cut(
      ['frame=1\r', 'frame=2\rframe=', '3\r', 'last words'].map((text) => Buffer.from(text)),
    );
    expect(records).toEqual(['frame=1\r', 'frame=2\r', 'frame=3\r']);
    stream.end();
    expect(records.at(-1)).toBe('last words\n');
  });
});
