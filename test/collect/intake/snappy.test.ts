import { describe, expect, it } from 'vitest';
import { unsnappy } from '../../../src/collect/intake/snappy.ts';

const block = (...bytes: readonly (number | string)[]) =>
  Buffer.concat(bytes.map((one) => (typeof one === 'string' ? Buffer.from(one) : Buffer.from([one]))));
const literal = (text: string): Buffer => block((text.length - 1) << 2, text);

describe('a snappy block', () => {
  it('is its literals', () => {
    expect(unsnappy(block(6, 2 << 2, 'abc', 2 << 2, 'def'), 6).toString()).toBe('abcdef');
    expect(unsnappy(block(0), 0)).toHaveLength(0);
  });

  it('has literals of more than 60 bytes with their length after the tag', () => {
    const text = 'x'.repeat(61);
    expect(unsnappy(block(61, 60 << 2, 60, text), 61).toString()).toBe(text);
    expect(unsnappy(Buffer.concat([block(60), literal('x'.repeat(60))]), 60).toString()).toBe('x'.repeat(60));
  });

  it('has copies of one, two and four bytes of offset', () => {
    expect(unsnappy(block(8, 3 << 2, 'abcd', 1, 4), 8).toString()).toBe('abcdabcd');
    expect(unsnappy(block(7, 3 << 2, 'abcd', (2 << 2) | 2, 4, 0), 7).toString()).toBe('abcdabc');
    expect(unsnappy(block(5, 3 << 2, 'abcd', 3, 1, 0, 0, 0), 5).toString()).toBe('abcdd');
  });

  it('writes a run as a copy that overlaps itself', () => {
    expect(unsnappy(block(6, 0, 'a', (4 << 2) | 2, 1, 0), 6).toString()).toBe('aaaaaa');
  });

  it('is refused one byte beyond the bound, before anything is unpacked', () => {
    expect(unsnappy(block(3, 2 << 2, 'abc'), 3).toString()).toBe('abc');
    expect(() => unsnappy(block(3, 2 << 2, 'abc'), 2)).toThrow('expected at most 2 bytes unpacked, got 3');
  });

  it.each([
    ['more bytes than it says', block(2, 2 << 2, 'abc')],
    ['fewer bytes than it says', block(4, 2 << 2, 'abc')],
    ['a literal that ends too soon', block(3, 2 << 2, 'ab')],
    ['a literal that ends too soon', block(61, 61 << 2, 60)],
    ['a copy that ends too soon', block(5, 0, 'a', 2, 1)],
    ['a copy from before the beginning', block(5, 0, 'a', 1, 2)],
    ['a copy from before the beginning', block(5, 0, 'a', 1, 0)],
    ['no length', block()],
    ['no length', block(0x80, 0x80, 0x80, 0x80, 0x80, 1)],
  ])('is refused with the reason: %s', (reason, bytes) => {
    expect(() => unsnappy(bytes, 1_000)).toThrow(`expected a snappy block, got ${reason}`);
  });
});
