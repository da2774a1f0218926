import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadYamlFolder, readYaml } from '../../src/config/files.ts';

function aFolder(files: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-files-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  for (const [name, text] of Object.entries(files)) write(name, text);
  return { folder, write };
}

describe('a folder of YAML files that is read again', () => {
  it('gives the same objects for what has not changed, and new ones for what has', () => {
    const { folder, write } = aFolder({ 'a.yaml': 'x: 1\n', 'b.yaml': 'x: 1\n' });
    const before = loadYamlFolder(folder, '.yaml');
    write('b.yaml', 'x: 2\n');
    const after = loadYamlFolder(folder, '.yaml');
    expect(after.map(({ value }) => value)).toEqual([{ x: 1 }, { x: 2 }]);
    expect(after[0]).toBe(before[0]);
    expect(after[1]).not.toBe(before[1]);
  });

  it('does not take one file for another with the same content', () => {
    const { folder } = aFolder({ 'a.yaml': 'x: [\n', 'b.yaml': 'x: [\n' });
    const files = loadYamlFolder(folder, '.yaml');
    expect(files.flatMap(({ problems }) => problems.map(({ file }) => file))).toEqual(
      ['a.yaml', 'b.yaml'].map((name) => join(folder, name)),
    );
  });

  it('sees the repair of a broken file, and what breaks it again', () => {
    const { folder, write } = aFolder({ 'a.yaml': 'x: 1\n' });
    const problems = (): number => readYaml(join(folder, 'a.yaml')).problems.length;
    const seen = ['x: [\n', 'x: 1\n', 'x: [\n'].map((text) => {
      write('a.yaml', text);
      return problems();
    });
    expect(seen).toEqual([1, 0, 1]);
  });
});
