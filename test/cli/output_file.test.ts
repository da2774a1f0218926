import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeOutput } from '../../src/cli/output_file.ts';
import { temporaryDirectory } from '../journal/support.ts';
import { withShortFiles } from '../support/limited_process.ts';

const what = 'it could not be written';

describe('the files of an export', () => {
  it('are written whole in place of those before, for whom their mode says', () => {
    const folder = temporaryDirectory();
    const path = join(folder, 'a.json');
    writeFileSync(path, 'an older and longer one');
    writeOutput([{ path, text: 'new' }], { what, mode: 0o600 });
    expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777, readdirSync(folder)]).toEqual([
      'new',
      0o600,
      ['a.json'],
    ]);
  });

  it('keep a link, and go where it leads, for whom their mode says', () => {
    const folder = temporaryDirectory();
    const [path, real] = [join(folder, 'link'), join(folder, 'real')];
    writeFileSync(real, 'old');
    symlinkSync(real, path);
    writeOutput([{ path, text: 'new' }], { what, mode: 0o600 });
    expect(statSync(real).mode & 0o777).toBe(0o600);
    expect([readFileSync(real, 'utf8'), readFileSync(path, 'utf8')]).toEqual(['new', 'new']);
  });

  it('leave nothing where one of them has no place, which is a matter of the path', () => {
    const folder = temporaryDirectory();
    const files = [
      { path: join(folder, 'a'), text: 'a' },
      { path: join(folder, 'none/b'), text: 'b' },
    ];
    expect(() => writeOutput(files, { what })).toThrow(
      expect.objectContaining({ code: 'USAGE', message: expect.stringMatching(/^it could not be written: ENOENT/) }),
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it('leave the ones before as they were on a full disk, which is not a matter of the path', () => {
    const folder = temporaryDirectory();
    mkdirSync(join(folder, 'out'));
    const [one, two] = [join(folder, 'out/one'), join(folder, 'out/two')];
    writeFileSync(one, 'before');
    const files = JSON.stringify([
      { path: one, text: 'after' },
      { path: two, text: 'x'.repeat(100_000) },
    ]);
    const text = `try { writeOutput(${files}, { what: 'w' }) } catch (it) { console.log(it.code, it.exitCode, it.hint) }`;
    const { stdout } = withShortFiles({ writeOutput: 'src/cli/output_file.ts' }, text);
    expect(stdout).toMatch(/^OUTPUT_UNWRITABLE 74 Make room there or name a place on another disk/);
    expect([readdirSync(join(folder, 'out')), readFileSync(one, 'utf8')]).toEqual([['one'], 'before']);
  });

  it('may be a device, which is left where it is', () => {
    expect(() => writeOutput([{ path: '/dev/full', text: 'x' }], { what })).toThrow(
      expect.objectContaining({ code: 'OUTPUT_UNWRITABLE', message: expect.stringContaining('ENOSPC') }),
    );
    expect(statSync('/dev/full').isCharacterDevice()).toBe(true);
  });
});
