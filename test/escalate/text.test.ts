import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { oneLine, plain } from '../../src/escalate/text.ts';

describe('the text of a page', () => {
  it('keeps lines, and loses what moves a cursor, hides text or reverses it', () => {
    expect(plain('one\ntwo\u001b[31m red\u202e\u0007', 100)).toBe('one\ntwo [31m red');
    expect(plain('a\u2066b\u200ec\ufeffd', 100)).toBe('a b c d');
  });

  it('is cut with a sign where it is too long, and not where it just fits', () => {
    expect(plain('abcde', 5)).toBe('abcde');
    expect(plain('abcdef', 5)).toBe('abcd…');
  });

  it('is never cut in the middle of a character', () => {
    expect(plain('abc😀def', 5)).toBe('abc\ufffd…');
    expect(plain('abc😀def', 6).isWellFormed()).toBe(true);
  });

  it('becomes one line where one is wanted', () => {
    expect(oneLine('one  \r\n\n  two', 100)).toBe('one two');
  });

  test.prop([fc.string({ unit: 'binary', maxLength: 300 }), fc.integer({ min: 1, max: 50 })])(
    'is within its bound, well formed and printable, whatever came',
    (text, max) => {
      const line = oneLine(text, max);
      expect(line.length).toBeLessThanOrEqual(max);
      expect(line.isWellFormed()).toBe(true);
      expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/);
    },
  );
});
