import { describe, expect, it } from 'vitest';
import { newestProgress, type ParsedProgress } from '../../src/detect/progress.ts';

const parse = (record: string): ParsedProgress | undefined => {
  const [, seconds] = /frame.*time=(\d+)/.exec(record) ?? [];
  return seconds === undefined ? undefined : { outTimeMs: Number(seconds) * 1_000, frame: undefined };
};
const newest = (text: string, start = 0, end = text.length) =>
  newestProgress(Buffer.from(text).subarray(start, end), parse)?.outTimeMs;

describe('the newest progress in a chunk', () => {
  it('is the last record, whether records end in newlines or in returns', () => {
    expect(newest('frame=1 time=1\rframe=2 time=2\r')).toBe(2_000);
    expect(newest('frame=1 time=1\nframe=2 time=2\n')).toBe(2_000);
  });

  it('is the one before where the last cannot be read', () => {
    expect(newest('frame=1 time=1\nstart time=oops\n')).toBe(1_000);
  });

  it('is none where no record can be read within 64 of them', () => {
    const unread = 'no time=x\n';
    expect(newest(`frame=1 time=1\n${unread.repeat(63)}`)).toBe(1_000);
    expect(newest(`frame=1 time=1\n${unread.repeat(64)}`)).toBeUndefined();
  });

  it('lies within the part of the buffer that was asked about', () => {
    const text = 'frame=1 time=1\nframe=2 time=2\nframe=3 time=3\n';
    expect(newest(text, 15, 30)).toBe(2_000);
  });

  it('is looked for in the last 32 KiB only', () => {
    expect(newest(`frame=1 time=1\n${'x'.repeat(32 * 1024)}`)).toBeUndefined();
  });
});
