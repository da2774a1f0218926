import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { applySettings, DURABLE, refuseOldSqlite, refuseWeakSettings, versionOf } from '../../src/journal/settings.ts';
import { temporaryDirectory } from './support.ts';

function database(path = join(temporaryDirectory(), 'x.db')): DatabaseSync {
  const db = new DatabaseSync(path);
  onTestFinished(() => db.close());
  return db;
}

describe('the start-up self-check', () => {
  it('passes when every setting took', () => {
    const db = database();
    applySettings(db, DURABLE);
    expect(() => refuseWeakSettings(db, DURABLE)).not.toThrow();
  });

  it.each([
    ['synchronous = NORMAL', /synchronous is 1, expected 2/],
    ['synchronous = OFF', /synchronous is 0, expected 2/],
    ['foreign_keys = OFF', /foreign_keys is 0, expected 1/],
    ['trusted_schema = ON', /trusted_schema is 1, expected 0/],
    ['cell_size_check = OFF', /cell_size_check is 0, expected 1/],
    ['mmap_size = 1048576', /mmap_size is 1048576, expected 0/],
    ['busy_timeout = 0', /busy_timeout is 0, expected 5000/],
    ['checkpoint_fullfsync = OFF', /checkpoint_fullfsync is 0, expected 1/],
    ['journal_mode = DELETE', /journal_mode is delete, expected wal/],
  ])('refuses %s', (pragma, message) => {
    const db = database();
    applySettings(db, DURABLE);
    db.exec(`PRAGMA ${pragma}`);
    expect(() => refuseWeakSettings(db, DURABLE)).toThrow(
      expect.objectContaining({ code: 'JOURNAL_UNWRITABLE', message: expect.stringMatching(message) }),
    );
  });

  it('refuses a database that cannot have a write-ahead log', () => {
    expect(() => applySettings(database(':memory:'), DURABLE)).toThrow(/journal_mode is memory, expected wal/);
  });

  it.each(['3.40.1', '3.51.2', '2.99.99', '3.9.0'])('refuses SQLite %s', (version) => {
    expect(() => refuseOldSqlite(version)).toThrow(`SQLite is ${version}; expected 3.51.3 or newer`);
  });

  it.each(['3.51.3', '3.53.4', '3.52.0', '4.0.0'])('accepts SQLite %s', (version) => {
    expect(() => refuseOldSqlite(version)).not.toThrow();
  });

  it('asks the SQLite that is really there', () => {
    expect(versionOf(database())).toBe(process.versions.sqlite);
  });
});
