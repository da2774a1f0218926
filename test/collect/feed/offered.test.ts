import { describe, expect, it } from 'vitest';
import { joined, type OfferedText } from '../../../src/collect/feed/offered.ts';

const LATE = 1;
const pieces = (offered: ReadonlyMap<string | undefined, readonly OfferedText[]>) => [
  ...joined(offered, (at) => at === LATE),
];

describe('the lines of a request', () => {
  it('travel together by owner and in order, and end in a newline each', () => {
    const offered = new Map<string | undefined, OfferedText[]>([
      ['news', [{ text: 'a' }, { text: 'b\n' }, { text: 'c\r' }, { text: '' }]],
      [undefined, [{ text: 'd' }]],
    ]);
    expect(pieces(offered)).toEqual([
      { text: 'a\nb\nc\r\n', channel: 'news', backlog: false },
      { text: 'd\n', channel: undefined, backlog: false },
    ]);
  });

  it('are kept apart where some are late', () => {
    const texts = [{ text: 'a' }, { text: 'b', at: LATE }, { text: 'c', at: LATE }, { text: 'd', at: LATE + 1 }];
    expect(pieces(new Map([['news', texts]]))).toEqual([
      { text: 'a\n', channel: 'news', backlog: false },
      { text: 'b\nc\n', channel: 'news', backlog: true },
      { text: 'd\n', channel: 'news', backlog: false },
    ]);
  });

  it('are cut before a piece grows over 32 KiB, but never within a text', () => {
    const sizes = (lengths: readonly number[]) =>
      pieces(new Map([['news', lengths.map((length) => ({ text: 'x'.repeat(length) }))]])).map(
        ({ text }) => text.length,
      );
    expect(sizes([16_383, 16_384])).toEqual([32_769]);
    expect(sizes([16_383, 16_385])).toEqual([16_384, 16_386]);
    expect(sizes([100_000, 1])).toEqual([100_001, 2]);
  });

  it('of an owner without any are none', () => {
    expect(pieces(new Map([['news', []]]))).toEqual([]);
  });
});
