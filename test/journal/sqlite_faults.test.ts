import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { SqliteStore } from '../../src/journal/sqlite.ts';
import { openJournal } from '../../src/journal/damage.ts';
import { headerFault, hintFor, isDamage } from '../../src/journal/sqlite_faults.ts';
import { chainOf, coded, journalPath, temporaryDirectory } from './support.ts';

/** As node:sqlite throws it. */
const thrown = (errcode: number) => Object.assign(new Error('it failed'), { code: 'ERR_SQLITE_ERROR', errcode });

describe('what SQLite throws', () => {
  it.each([
    ['CORRUPT', 11],
    ['CORRUPT_VTAB', 267],
    ['CORRUPT_SEQUENCE', 523],
    ['CORRUPT_INDEX', 779],
    ['NOTADB', 26],
  ])('is damage of the file as %s (%i)', (_, code) => {
    expect(isDamage(thrown(code))).toBe(true);
  });

  it.each([
    ['ERROR', 1, /mistake of Reeve/],
    ['PERM', 3, /ls -l \/state\/x\.db/],
    ['BUSY', 5, /fuser \/state\/x\.db/],
    ['LOCKED', 6, /fuser/],
    ['READONLY', 8, /chown, or mount the disk writable/],
    ['READONLY_DIRECTORY', 1_544, /chown/],
    ['IOERR', 10, /df -h/],
    ['IOERR_READ', 266, /dmesg/],
    ['FULL', 13, /df -h/],
    ['CANTOPEN', 14, /ls -l/],
    ['MISMATCH', 20, /mistake of Reeve/],
    ['one that nobody knows', 99, /unreadable/],
  ])('is no damage as %s (%i), and a person is told what to look at', (_, code, hint) => {
    expect(isDamage(thrown(code))).toBe(false);
    expect(hintFor(thrown(code), '/state/x.db')).toMatch(hint);
  });

  it('is damage where a number is larger than any that Reeve writes, and nothing else is that has no code of SQLite', () => {
    expect(isDamage(Object.assign(new Error('x'), { code: 'ERR_OUT_OF_RANGE' }))).toBe(true);
    for (const other of [new Error('x'), Object.assign(new Error('x'), { code: 'EACCES' }), 'x', undefined])
      expect(isDamage(other)).toBe(false);
  });
});

describe('the header of a file', () => {
  const file = (change: (bytes: Buffer) => void = () => undefined, size = 100): string => {
    const bytes = Buffer.alloc(100);
    bytes.write('SQLite format 3\0', 'latin1');
    bytes.fill(2, 18, 20);
    bytes.writeUInt32BE(4, 44);
    change(bytes);
    const path = join(temporaryDirectory(), 'x.db');
    writeFileSync(path, bytes.subarray(0, size));
    return path;
  };

  it('is at fault where SQLite would call the file read-only, or the statement wrong', () => {
    expect(headerFault(file((bytes) => bytes.writeUInt8(3, 18)))).toBe('its write version is 3; expected at most 2');
    expect(headerFault(file((bytes) => bytes.writeUInt32BE(5, 44)))).toBe('its schema format is 5; expected at most 4');
  });

  it('is not at fault where it is whole, and where SQLite says itself what is wrong', () => {
    expect(headerFault(file())).toBeUndefined();
    expect(headerFault(file((bytes) => bytes.fill(0xff, 0, 16)))).toBeUndefined();
    expect(headerFault(file(() => undefined, 40))).toBeUndefined();
    expect(headerFault('/nowhere/x.db')).toBeUndefined();
  });
});

describe('a whole journal', () => {
  it('is not put aside because it is read-only for this process', () => {
    const path = journalPath();
    const store = SqliteStore.open(path);
    store.append(chainOf(3));
    store.close();
    // What SQLite gives for a file on a disk that is mounted read-only.
    const { exec } = DatabaseSync.prototype;
    DatabaseSync.prototype.exec = function failing(sql) {
      if (sql.startsWith('DELETE FROM entry')) throw thrown(8);
      return exec.call(this, sql);
    };
    try {
      expect(() => openJournal(path, 0)).toThrow(coded('JOURNAL_BROKEN', /it failed/));
    } finally {
      DatabaseSync.prototype.exec = exec;
    }
    const { store: again, damage } = openJournal(path, 0);
    expect([damage, [...again.read({})].length]).toEqual([undefined, 3]);
    again.close();
  });
});
