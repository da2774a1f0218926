import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
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
});
