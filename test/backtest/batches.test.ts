import { describe, expect, it } from 'vitest';
import { batchesOf, newTally } from '../../src/backtest/batches.ts';
import { sceneOf } from '../../src/backtest/scene.ts';
import { recorded } from './support.ts';

const setting = { offsetMinutes: 0, year: 2026 };

const scene = (logs: readonly string[], offsetMinutes = 0) =>
  sceneOf({ logs, samples: [], configuration: undefined, followed: [], offsetMinutes });

describe('batches of lines', () => {
  const read = (text: string) => {
    const [path] = recorded({ 'news.err': text });
    const { logs, from } = scene([path!]);
    const tally = newTally('news');
    const batches: { at: number; text: string }[] = [];
    for (const { at, bytes, start, end } of batchesOf(logs[0]!, { at: from, setting }, tally)) {
      batches.push({ at, text: bytes.toString('utf8', start, end) });
    }
    return { batches, tally };
  };

  it('hold every line exactly once, the last one with or without an end', () => {
    const { batches, tally } = read('2026-07-28T12:00:00Z a\n2026-07-28T12:00:00.1Z b\n2026-07-28T12:00:01Z c');
    expect(batches.map(({ text }) => text.split('\n').length - 1)).toEqual([2, 1]);
    expect(tally).toMatchObject({ lines: 3, undated: 0 });
  });

  it('keep what has no time with the line before, and never go back', () => {
    const { batches, tally } = read(
      '2026-07-28T12:00:05Z a\n  at trace\n2026-07-28T12:00:01Z b\n2026-07-28T12:00:06Z c\n',
    );
    expect(batches.map(({ at }) => at - Date.UTC(2026, 6, 28, 12))).toEqual([5_000, 6_000]);
    expect(tally).toMatchObject({ lines: 4, undated: 1, backwards: 1 });
  });

  it('leave out a line that is longer than a block, and count it', () => {
    const { tally } = read(
      `2026-07-28T12:00:00Z a\n2026-07-28T12:00:01Z ${'x'.repeat(3 << 20)}\n2026-07-28T12:00:02Z b\n`,
    );
    expect(tally).toMatchObject({ lines: 2, tooLong: 1 });
  });

  it('cross the borders of blocks unharmed', () => {
    const lines = Array.from({ length: 30_000 }, (_, n) => `2026-07-28T12:00:00.000Z line ${n} ${'y'.repeat(60)}`);
    const { batches, tally } = read(`${lines.join('\n')}\n`);
    expect(tally.lines).toBe(30_000);
    expect(batches.map(({ text }) => text).join('') === `${lines.join('\n')}\n`).toBe(true);
  });
});
