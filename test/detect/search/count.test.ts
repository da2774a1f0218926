import { fc, it as property } from '@fast-check/vitest';
import { expect, it } from 'vitest';
import { countNewlines, countProgress } from '../../../src/detect/search/count.ts';

property.prop([fc.uint8Array({ maxLength: 4000 }), fc.nat(7), fc.nat(7)])(
  'counts the newlines of any range, at any alignment',
  (random, skip, cut) => {
    const bytes = Buffer.from(random.map((byte) => (byte % 3 === 0 ? 10 : byte)));
    const end = Math.max(skip, bytes.length - cut);
    expect(countNewlines(bytes.subarray(skip, end))).toBe(
      bytes.subarray(skip, end).filter((byte) => byte === 10).length,
    );
  },
);

it('counts newlines only, in thousands of bytes of nothing else', () => {
  expect(countNewlines(Buffer.alloc(100_000, 10).subarray(1, 99_999))).toBe(99_998);
  expect(countNewlines(Buffer.alloc(100_000, 11))).toBe(0);
  expect(countNewlines(Buffer.from([0x8a, 0x0b, 0x09, 0x1a]))).toBe(0);
});

it('takes a return for progress unless a newline follows', () => {
  const bytes = Buffer.from('a\rb\r\nc\r');
  expect(countProgress(bytes)).toBe(2);
  expect(countNewlines(bytes)).toBe(1);
});
