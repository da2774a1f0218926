import { describe, expect, it } from 'vitest';
import type { Chunk } from '../../src/core/chunk.ts';
import { KEPT_LINES_MAX, LastLinesOf } from '../../src/detect/last_lines.ts';

const chunk = (text: string, more: Partial<Chunk> = {}): Chunk => {
  const bytes = Buffer.from(text);
  const whole = { source: 'news', channel: 'news', bytes, start: 0, end: bytes.length };
  return { ...whole, backlog: false, at: 0, monoMs: 1_000, ...more };
};

const lastOf = (...chunks: readonly Chunk[]) => {
  const lastLines = new LastLinesOf();
  for (const one of chunks) lastLines.take(one);
  return lastLines.of('news');
};

describe('the last lines of a channel', () => {
  it('are kept in order, with the time of the last one', () => {
    expect(lastOf(chunk('one\ntwo\n'), chunk('three\n', { monoMs: 2_000 }))).toEqual({
      source: 'news',
      lines: ['one', 'two', 'three'],
      lastMs: 2_000,
    });
  });

  it('are none where nothing was logged, or nothing but progress', () => {
    expect(lastOf()).toBeUndefined();
    expect(lastOf(chunk('frame=1\rframe=2\r'))).toBeUndefined();
  });

  it('leave out the progress reports before a line', () => {
    expect(lastOf(chunk('frame=1\rframe=2\rit failed\nnext\r\n'))?.lines).toEqual(['it failed', 'next']);
  });

  it.each([
    ['was written before Reeve began to watch', { backlog: true }],
    ['was pushed by others', { pushed: true }],
    ['stands in a log of no channel', { channel: undefined }],
  ])('leave out what %s', (_, more) => {
    expect(lastOf(chunk('it failed\n', more))).toBeUndefined();
  });

  it('are at most forty', () => {
    const linesOf = (count: number) => Array.from({ length: count }, (_, at) => `line ${at}\n`).join('');
    expect(lastOf(chunk(linesOf(KEPT_LINES_MAX)))?.lines).toHaveLength(KEPT_LINES_MAX);
    const lines = lastOf(chunk(linesOf(KEPT_LINES_MAX + 1)))!.lines;
    expect([lines.length, lines[0]]).toEqual([KEPT_LINES_MAX, 'line 1']);
  });

  it('are at most 4 KiB, and never half a line', () => {
    const line = `${'x'.repeat(511)}\n`;
    expect(lastOf(...Array.from({ length: 8 }, () => chunk(line)))?.lines).toHaveLength(8);
    const cut = lastOf(chunk('first\n'), ...Array.from({ length: 8 }, () => chunk(line)));
    expect(cut?.lines).toEqual(Array.from({ length: 8 }, () => 'x'.repeat(511)));
    const half = lastOf(chunk(`${'y'.repeat(100)}\n`), chunk(`${'x'.repeat(4_000)}\n`));
    expect(half?.lines).toEqual(['x'.repeat(4_000)]);
    expect(lastOf(chunk(`${'z'.repeat(5_000)}\nlast\n`))?.lines).toEqual(['last']);
  });

  it('belong together for thirty seconds', () => {
    const lines = (ms: number) =>
      lastOf(chunk('old\n', { monoMs: 1_000 }), chunk('new\n', { monoMs: 1_000 + ms }))?.lines;
    expect(lines(30_000)).toEqual(['old', 'new']);
    expect(lines(30_001)).toEqual(['new']);
  });

  it('stay within their bounds however many chunks there are', () => {
    const many = Array.from({ length: 1_000 }, (_, at) => chunk(`line ${at}\n`, { monoMs: 1_000 + at }));
    const lines = lastOf(...many)!.lines;
    expect([lines.length, lines.at(-1)]).toEqual([KEPT_LINES_MAX, 'line 999']);
  });
});
