import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeDirectory } from '../../src/resilience/make_directory.ts';

const ROOT = resolve(import.meta.dirname, '../..');

function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-folder-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const modeOf = (path: string): number => statSync(path).mode & 0o777;

describe('makeDirectory', () => {
  it('creates what is missing of a path, with the mode, and leaves what is there as it is', () => {
    const there = join(aFolder(), 'there');
    mkdirSync(there, { mode: 0o750 });
    makeDirectory(join(there, 'a', 'b'), 0o700);
    expect([there, join(there, 'a'), join(there, 'a', 'b')].map(modeOf)).toEqual([0o750, 0o700, 0o700]);
    makeDirectory(join(there, 'a'), 0o755);
    expect(modeOf(join(there, 'a'))).toBe(0o700);
  });

  it('says so where a file stands in the way', () => {
    const file = join(aFolder(), 'file');
    writeFileSync(file, '');
    expect(() => makeDirectory(file)).toThrow('EEXIST');
    expect(() => makeDirectory(join(file, 'a', 'b'))).toThrow('ENOTDIR');
  });

  // Node's own recursive mkdir tries for ever there, with a whole processor. In another process: this one would hang.
  it.runIf(existsSync('/proc/self'))('gives up where the file system lets nobody create anything', () => {
    const script = `
      import { makeDirectory } from ${JSON.stringify(join(ROOT, 'src/resilience/make_directory.ts'))};
      makeDirectory('/proc/reeve/state');
    `;
    const ran = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      timeout: 10_000,
      encoding: 'utf8',
    });
    expect(ran.signal).toBe(null);
    expect(ran.stderr).toContain("ENOENT: no such file or directory, mkdir '/proc/reeve'");
  });

  it('is how every folder of a path is created', () => {
    const strays = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .filter((path) => /mkdir(Sync)?\([^;]*recursive/.test(readFileSync(join(ROOT, 'src', path), 'utf8')));
    expect(strays).toEqual([]);
  });
});
