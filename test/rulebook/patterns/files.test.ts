import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  patternFiles,
  patternFolder,
  proposedCatalogue,
  writePatternFile,
} from '../../../src/rulebook/patterns/files.ts';

import { withShortFiles } from '../../support/limited_process.ts';

let state = '';
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'reeve-patterns-'));
});
afterEach(() => rmSync(state, { recursive: true, force: true }));

describe('proposed patterns', () => {
  it('are none where none was ever written', () => {
    expect(patternFiles(patternFolder(state))).toEqual([]);
    expect(proposedCatalogue(patternFolder(state))).toEqual({ patterns: [] });
  });

  it('are written once, for their owner and group alone, and read back with their hash', () => {
    const folder = patternFolder(state);
    const written = writePatternFile(folder, 'b', 'patterns: []\n');
    writePatternFile(folder, 'a', 'other');
    expect(written).toMatchObject({ id: 'b', text: 'patterns: []\n', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(statSync(written.file).mode & 0o007).toBe(0);
    expect(patternFiles(folder).map(({ id }) => id)).toEqual(['a', 'b']);
  });

  it('are refused, and not half there, where the disk is full', () => {
    const folder = patternFolder(state);
    const { stdout } = withShortFiles(
      { writePatternFile: 'src/rulebook/patterns/files.ts' },
      `try { writePatternFile(${JSON.stringify(folder)}, 'a', 'x'.repeat(8_000)); }
       catch ({ code, message }) { console.log(code, message); }`,
    );
    expect(stdout).toMatch(/^CONFIG_INVALID .*could not be written: EFBIG/);
    expect(patternFiles(folder)).toEqual([]);
  });

  it('are left out where they cannot be read, or where no folder holds them', () => {
    const folder = patternFolder(state);
    writePatternFile(folder, 'a', 'first');
    mkdirSync(join(folder, 'b.yaml'));
    expect(patternFiles(folder).map(({ id }) => id)).toEqual(['a']);
    rmSync(folder, { recursive: true });
    writeFileSync(folder, '');
    expect(patternFiles(folder)).toEqual([]);
    expect(proposedCatalogue(folder)).toEqual({ patterns: [] });
  });

  it('are never written over', () => {
    const folder = patternFolder(state);
    writePatternFile(folder, 'a', 'first');
    expect(() => writePatternFile(folder, 'a', 'second')).toThrow('could not be written');
    expect(patternFiles(folder)[0]!.text).toBe('first');
  });

  it('are at most 500', () => {
    const folder = patternFolder(state);
    writePatternFile(folder, 'p', '');
    for (let at = 1; at < 499; at += 1) writeFileSync(join(folder, `p${at}.yaml`), '');
    writePatternFile(folder, 'last', '');
    expect(() => writePatternFile(folder, 'one_more', '')).toThrow('there are 500 proposals already');
  });

  it('do not include hidden files and files of another kind', () => {
    const folder = patternFolder(state);
    writePatternFile(folder, 'a', '');
    writeFileSync(join(folder, '.b.yaml'), '');
    writeFileSync(join(folder, 'c.txt'), '');
    expect(patternFiles(folder).map(({ id }) => id)).toEqual(['a']);
  });
});
