import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openOrBeginAnew } from '../../src/journal/aside.ts';
import { StoreDamaged } from '../../src/journal/sqlite_faults.ts';
import { temporaryDirectory } from './support.ts';

/** A store that is damaged where its file says so, and writes what it is. */
function aStore(text?: string) {
  const path = join(temporaryDirectory(), 'store.db');
  if (text !== undefined) writeFileSync(path, text);
  const heard: string[] = [];
  const open = () => {
    const found = existsSync(path) ? readFileSync(path, 'utf8') : 'new';
    if (found === 'damaged') throw new StoreDamaged(path, 'it is damaged');
    if (found === 'refused') throw new Error('it is refused');
    return found;
  };
  const opened = () => openOrBeginAnew(path, open, (because) => heard.push(because));
  return { path, heard, opened, names: () => readdirSync(dirname(path)).sort() };
}

describe('a store that can be made anew', () => {
  it('is opened as it is where nothing is wrong with it', () => {
    const { opened, heard, names } = aStore('whole');
    expect([opened(), heard, names()]).toEqual(['whole', [], ['store.db']]);
  });

  it('is kept under another name where it is damaged, and begun anew without the log of the old one', () => {
    const { path, opened, heard, names } = aStore('damaged');
    for (const rest of ['-wal', '-shm']) writeFileSync(path + rest, '');
    expect(opened()).toBe('new');
    expect(heard).toEqual(['DERIVED_BROKEN: it is damaged; it was put aside as store.db.broken']);
    expect(names()).toEqual(['store.db.broken']);
    expect(readFileSync(`${path}.broken`, 'utf8')).toBe('damaged');
  });

  it('takes the place of what was kept before', () => {
    const { path, opened } = aStore('damaged');
    writeFileSync(`${path}.broken`, 'older');
    opened();
    expect(readFileSync(`${path}.broken`, 'utf8')).toBe('damaged');
  });

  it('is begun anew where a directory or a pipe stands in its place', () => {
    for (const make of [(path: string) => mkdirSync(path), (path: string) => execFileSync('mkfifo', [path])]) {
      const { path, opened, heard, names } = aStore();
      make(path);
      expect(opened()).toBe('new');
      expect(heard).toEqual([expect.stringMatching(/is (?:a directory|no regular file); expected a file/)]);
      expect(names()).toEqual([`${basename(path)}.broken`]);
    }
  });

  it('stays where it is for every other reason, and so does a link', () => {
    const { opened, heard, names } = aStore('refused');
    expect(opened).toThrow('it is refused');
    expect([heard, names()]).toEqual([[], ['store.db']]);
    const linked = aStore();
    writeFileSync(join(dirname(linked.path), 'target'), 'whole');
    symlinkSync('target', linked.path);
    expect(linked.opened()).toBe('whole');
  });
});
