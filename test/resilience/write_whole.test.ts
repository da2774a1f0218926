import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeWhole } from '../../src/resilience/write_whole.ts';
import { aDirectory } from '../collect/support/tailing.ts';
import { withShortFiles } from '../support/limited_process.ts';

describe('a file that is written whole', () => {
  it('has its text and its mode, and is not replaced where that was not asked', () => {
    const file = join(aDirectory(), 'file');
    writeWhole(file, 'one\n', { flag: 'wx', mode: 0o600 });
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['one\n', 0o600]);
    expect(() => writeWhole(file, 'two\n', { flag: 'wx', mode: 0o600 })).toThrow('EEXIST');
    expect(readFileSync(file, 'utf8')).toBe('one\n');
    writeWhole(file, 'two\n', { flag: 'w', mode: 0o600 });
    expect(readFileSync(file, 'utf8')).toBe('two\n');
  });

  it('is not there where the disk took a part of it only', () => {
    const file = join(aDirectory(), 'file');
    const { stdout } = withShortFiles(
      { writeWhole: 'src/resilience/write_whole.ts' },
      `try { writeWhole(${JSON.stringify(file)}, 'x'.repeat(8_000), { flag: 'wx', mode: 0o600 }); }
       catch ({ code }) { console.log(code); }`,
    );
    expect([stdout, existsSync(file)]).toEqual(['EFBIG\n', false]);
  });
});
