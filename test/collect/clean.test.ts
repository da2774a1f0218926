import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanText, clip, safeText } from '../../src/collect/clean.ts';

/** What no terminal and no prompt may see. */
const HARMFUL =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/u;

describe('cleanText', () => {
  it.each([
    ['colours', 'a \x1b[1;31mred\x1b[0m b', 'a red b'],
    ['the eight-bit form of colours', 'a \x9b31mred\x9b0m b', 'a red b'],
    ['a window title', 'a \x1b]0;owned\x07b', 'a b'],
    ['a window title ended by ST', 'a \x1b]2;owned\x1b\\b', 'a b'],
    ['a device control string', 'a \x1bPq#0\x1b\\b', 'a b'],
    ['a reset', 'a \x1bcb', 'a b'],
    ['backspaces that rewrite a line', 'ok\b\bfailed', 'okfailed'],
    ['reversed text', 'a\u202egpj.exe\u202c', 'agpj.exe'],
    ['zero-width characters', 'res\u200btart', 'restart'],
    ['invisible tag letters', 'a\u{e0072}\u{e0065}b', 'ab'],
    ['line breaks', 'one\r\ntwo\u2028three\tfour', 'one two three four'],
    ['a NUL', 'a\0b', 'ab'],
  ])('removes %s', (_what, dirty, clean) => {
    expect(cleanText(dirty)).toBe(clean);
  });

  it('keeps the text of an unfinished terminal string, so that nothing can be hidden behind one', () => {
    expect(cleanText('\x1b]0;Connection refused')).toContain('Connection refused');
    expect(cleanText(`\x1b]0;${'x'.repeat(300)} Connection refused\x07`)).toContain('Connection refused');
  });

  it('reads UTF-8, Latin-1 and broken bytes, and loses none of the readable part', () => {
    expect(cleanText(Buffer.from('für 日本'))).toBe('für 日本');
    expect(cleanText(Buffer.from('für', 'latin1'))).toBe('für');
    expect(cleanText(Buffer.from([0xc3, 0xbc, 0xff, 0x61]))).toBe('ü\ufffda');
    expect(cleanText(Buffer.from([0xff, 0xfe, 0x00, 0x45, 0x52, 0x52]))).toContain('ERR');
  });

  it('is harmless and short for any bytes, and cleaning twice changes nothing', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.integer({ min: 3, max: 100 }), (bytes, bytesMax) => {
        const clean = cleanText(Buffer.from(bytes), bytesMax);
        expect(clean).not.toMatch(HARMFUL);
        expect(Buffer.byteLength(clean)).toBeLessThanOrEqual(bytesMax);
        expect(cleanText(clean, bytesMax)).toBe(clean);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is harmless for any text, lone surrogates included', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const clean = cleanText(`${text}\ud800`);
        expect(clean).not.toMatch(HARMFUL);
        expect(clean.isWellFormed()).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it('clips at the limit and not before it', () => {
    expect(cleanText('a'.repeat(20), 20)).toBe('a'.repeat(20));
    expect(cleanText('a'.repeat(21), 20)).toBe(`${'a'.repeat(17)}…`);
    expect(cleanText('ä'.repeat(10), 20)).toBe('ä'.repeat(10));
    expect(Buffer.byteLength(cleanText('ä'.repeat(11), 20))).toBeLessThanOrEqual(20);
    expect(clip('日本語', 8)).toBe('日…');
  });

  it('keeps 8 KiB by default', () => {
    expect(cleanText('x'.repeat(100_000))).toHaveLength(8_190);
  });
});

describe('safeText', () => {
  it('cleans before it redacts, so that control characters cannot split a name from its secret', () => {
    expect(safeText('X-Plex-To\x00ken=abc123')).toBe('X-Plex-Token=[redacted]');
    expect(safeText('pass\u200bword=\x1b[1mhunter2\x1b[0m')).toBe('password=[redacted]');
  });

  it('redacts before it clips, so that no half of a secret is left at the cut', () => {
    const text = `${'x'.repeat(80)} http://user:${'s'.repeat(60)}@host/`;
    for (let bytesMax = 80; bytesMax < 150; bytesMax += 1) expect(safeText(text, bytesMax)).not.toContain('ss');
  });
});
