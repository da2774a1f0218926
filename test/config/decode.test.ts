import { describe, expect, it } from 'vitest';
import { FILE_BYTES_MAX } from '../../src/config/decode.ts';
import { parseYaml } from '../../src/config/yaml.ts';
import { problemLines } from './support.ts';

const problemsOf = (input: string | Uint8Array) => problemLines(parseYaml('f.yaml', input).problems);

describe('the text of a file', () => {
  it('names the line and column of the first byte that is not UTF-8', () => {
    expect(problemsOf(Buffer.from([0x61, 0x3a, 0x20, 0x0a, 0x62, 0x3a, 0x20, 0xff]))).toEqual([
      '2:4 : expected UTF-8, got bytes that are not (save the file as UTF-8)',
    ]);
    expect(problemsOf(Buffer.from('\ufeffa: 1', 'utf16le'))).toEqual([
      '1:1 : expected UTF-8, got UTF-16 (save the file as UTF-8)',
    ]);
  });

  it('takes a file of exactly the largest size and refuses one byte more', () => {
    const full = `a: "${'x'.repeat(FILE_BYTES_MAX - 5)}"`;
    expect(Buffer.byteLength(full)).toBe(FILE_BYTES_MAX);
    expect(problemsOf(full)).toEqual([]);
    expect(problemsOf(`${full} `)[0]).toContain('expected at most 256 KiB');
  });
});
