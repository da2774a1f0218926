import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { setUp, TEXT } from './on_trial.ts';

describe('Theow 7, proposals', () => {
  it('are files of their own that are never written over', () => {
    const { directory, proposals } = setUp();
    const [name = ''] = readdirSync(directory);
    const before = readFileSync(join(directory, name), 'utf8');
    const again = proposals.write(TEXT);
    expect(readdirSync(directory)).toEqual([name]);
    expect(again.file).toBe(join(directory, name));
    proposals.write(TEXT.replace('what died', 'it anew'));
    expect(readdirSync(directory)).toHaveLength(2);
    expect(readFileSync(join(directory, name), 'utf8')).toBe(before);
    expect(proposals.find('start_crashed')?.rule.description).toBe('Start it anew.');
  });

  it('are left out with their problem where they are not sound', () => {
    const { directory, proposals } = setUp();
    writeFileSync(join(directory, '0000.bad.rule.yaml'), 'id: bad\n');
    expect(proposals.list().map(({ rule }) => rule.id)).toEqual(['start_crashed']);
    expect(proposals.problems()[0]?.file).toContain('0000.bad.rule.yaml');
  });

  it('are none where something else stands in the place of their folder, which is a problem and no failure', () => {
    const { directory, proposals } = setUp();
    rmSync(directory, { recursive: true });
    writeFileSync(directory, '');
    expect(proposals.list()).toEqual([]);
    expect(proposals.problems()).toMatchObject([{ file: directory, message: expect.stringContaining('ENOTDIR') }]);
  });

  it('are left out where one of them is no file', () => {
    const { directory, proposals } = setUp();
    mkdirSync(join(directory, '0000.bad.rule.yaml'));
    expect(proposals.list().map(({ rule }) => rule.id)).toEqual(['start_crashed']);
    expect(proposals.problems()).toMatchObject([{ message: 'expected a file, got something else' }]);
  });
});
