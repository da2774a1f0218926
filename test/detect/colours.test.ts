import { describe, expect, it } from 'vitest';
import { withoutColours } from '../../src/detect/colours.ts';

const E = '\x1b';
const plain = (written: string): string => withoutColours(Buffer.from(written)).toString();

describe('the colours of a log', () => {
  it('are taken out, and nothing else is', () => {
    expect(plain(`${E}[48;5;0m${E}[38;5;155m[https] ${E}[0m${E}[1;31mHTTP é${E}[0m\nerror\r`)).toBe(
      '[https] HTTP é\nerror\r',
    );
    expect(plain(`${E}[2K${E}[1Gframe=1`)).toBe('frame=1');
    expect(plain('#033[31mFatal#033[0m')).toBe('Fatal');
    expect(plain('{"msg":"\\u001b[31mFatal\\u001b[0m"}')).toBe('{"msg":"Fatal"}');
    expect(plain(`${E}[31\nm`)).toBe(`${E}[31\nm`);
    expect(plain(`${E}]0;title\x07 ${E}`)).toBe(`${E}]0;title\x07 ${E}`);
    expect(plain(`${E}[${'1;'.repeat(50_000)}m`)).toBe(`${E}[${'1;'.repeat(50_000)}m`);
  });

  it('are none in most logs, which stay as they are', () => {
    const bytes = Buffer.from('[31m no colour');
    expect(withoutColours(bytes)).toBe(bytes);
  });
});
