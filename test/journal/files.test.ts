import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { networkFileSystem } from '../../src/journal/files.ts';
import { SqliteStore } from '../../src/journal/sqlite.ts';
import { coded, chainOf, temporaryDirectory, journalPath, opened } from './support.ts';

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe('the place of the journal', () => {
  it('is made for its owner alone, with everything SQLite puts beside it', () => {
    const path = journalPath();
    opened(path).append(chainOf(3));
    expect(modeOf(dirname(path))).toBe('700');
    for (const file of ['', '-wal', '-shm', '.lock']) expect([file, modeOf(path + file)]).toEqual([file, '600']);
  });

  it('is closed to others when the file was open to them', () => {
    const path = journalPath();
    mkdirSync(dirname(path), { mode: 0o700 });
    writeFileSync(path, '', { mode: 0o644 });
    opened(path);
    expect(modeOf(path)).toBe('600');
  });

  it.runIf(process.getuid?.() === 0)('gets its mode back, and that of another user is left to a person', () => {
    const path = journalPath();
    opened(path).close();
    chownSync(dirname(dirname(path)), 65_534, 65_534);
    for (const each of [dirname(path), path, `${path}.lock`]) chownSync(each, 65_534, 65_534);
    for (const each of [path, `${path}.lock`]) chmodSync(each, 0o000);
    process.seteuid?.(65_534);
    onTestFinished(() => process.seteuid?.(0));
    SqliteStore.open(path).close();
    expect(modeOf(path)).toBe('600');
    process.seteuid?.(0);
    chownSync(path, 0, 0);
    process.seteuid?.(65_534);
    const refused = coded('JOURNAL_UNWRITABLE', /cannot open or create .*EACCES/);
    expect(() => SqliteStore.open(path)).toThrow(refused);
    expect(() => SqliteStore.open(path)).toThrow(
      expect.objectContaining({ hint: expect.stringMatching(/ls -l .*chown/) }),
    );
  });

  it('on a file system that is read-only is refused with that, whether its files are there or not', ({ skip }) => {
    const path = journalPath();
    mkdirSync(dirname(path), { mode: 0o700 });
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m,mode=700', 'reeve', dirname(path)]);
    skip(mounted.status !== 0, 'nothing may be mounted here');
    onTestFinished(() => void spawnSync('umount', [dirname(path)]));
    SqliteStore.open(path).close();
    expect(spawnSync('mount', ['-o', 'remount,ro', dirname(path)]).status).toBe(0);
    for (const place of [path, join(dirname(path), 'below', 'deeper', 'journal.db')]) {
      const refused = coded('JOURNAL_UNWRITABLE', /cannot open or create .*: the file system of .* is read-only/);
      expect(() => SqliteStore.open(place)).toThrow(refused);
      expect(() => SqliteStore.open(place)).toThrow(
        expect.objectContaining({ hint: expect.stringContaining(`findmnt -T ${dirname(path)}`) }),
      );
    }
  });

  it.each([0o770, 0o707])('is refused in a directory of mode %o, where others may write', (mode) => {
    const path = journalPath();
    mkdirSync(dirname(path));
    chmodSync(dirname(path), mode);
    expect(() => SqliteStore.open(path)).toThrow(coded('JOURNAL_UNWRITABLE', /others may write/));
  });

  it('may be a directory that others can read', () => {
    const path = journalPath();
    mkdirSync(dirname(path), { mode: 0o755 });
    expect(() => opened(path)).not.toThrow();
    expect(modeOf(dirname(path))).toBe('755');
  });

  it('is refused where the file is a symbolic link or not a file', () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, 'elsewhere'), '');
    symlinkSync(join(directory, 'elsewhere'), join(directory, 'link.db'));
    mkdirSync(join(directory, 'directory.db'));
    for (const name of ['link.db', 'directory.db'])
      expect(() => SqliteStore.open(join(directory, name))).toThrow(coded('JOURNAL_UNWRITABLE', /./));
  });

  it('is refused on a network file system, with its name', () => {
    const path = journalPath();
    expect(() => SqliteStore.open(path, { fileSystemTypeOf: () => 0x6969 })).toThrow(
      coded('JOURNAL_UNWRITABLE', /is on nfs; expected a local disk/),
    );
    expect(existsSync(path)).toBe(false);
  });

  it.each([
    [0x6969, 'nfs'],
    [0xff534d42 | 0, 'cifs'],
    [0xfe534d42, 'smb2'],
    [0x65735546, 'fuse'],
    [0xef53, undefined],
    [0x58465342, undefined],
    [0x9123683e, undefined],
    [0x01021994, undefined],
  ])('of statfs type %i counts as %s', (type, name) => {
    expect(networkFileSystem(type)).toBe(name);
  });
});
