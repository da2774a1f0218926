import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { DerivedFile, type DerivedSchema } from '../../src/journal/derived.ts';
import { MemoryStore } from '../../src/journal/memory.ts';
import { StoreDamaged } from '../../src/journal/sqlite_faults.ts';
import { MEMORY_SCHEMA } from '../../src/memory/schema.ts';
import { chainOf, temporaryDirectory } from './support.ts';

const SCHEMA: DerivedSchema = {
  name: 'notes',
  version: 1,
  tables: 'CREATE TABLE note (id INTEGER PRIMARY KEY, at INTEGER NOT NULL, text TEXT NOT NULL) STRICT',
  readIndexes: 'CREATE INDEX note_by_at ON note (at); CREATE INDEX note_by_text ON note (text)',
};

const structureOf = (file: DerivedFile) => file.all('SELECT type, name, sql FROM sqlite_schema ORDER BY type, name');
const indexesOf = (file: DerivedFile) =>
  structureOf(file)
    .filter(({ type }) => type === 'index')
    .map(({ name }) => name);

describe('a derived file that is built from the beginning', () => {
  it('has no indexes for readers before its last row, and all of them after it', () => {
    using file = DerivedFile.open(join(temporaryDirectory(), 'notes.db'), SCHEMA, { rebuilding: true });
    file.advance(7, () => file.run('INSERT INTO note VALUES (1, 2, ?)', 'text'));
    expect(indexesOf(file)).toEqual([]);
    file.finishRebuild(SCHEMA);
    expect(indexesOf(file)).toEqual(['note_by_at', 'note_by_text']);
    expect(file.cursor()).toBe(7);
  });

  it.each([['notes', SCHEMA] as const, ['memory', MEMORY_SCHEMA] as const])(
    'ends with the structure of one that grew entry by entry: %s',
    (_, schema) => {
      using grown = DerivedFile.open(join(temporaryDirectory(), 'grown.db'), schema);
      using rebuilt = DerivedFile.open(join(temporaryDirectory(), 'rebuilt.db'), schema, { rebuilding: true });
      rebuilt.finishRebuild(schema);
      expect(structureOf(rebuilt)).toEqual(structureOf(grown));
    },
  );
});

describe('a derived file that cannot be opened', () => {
  const written = (): string => {
    const path = join(temporaryDirectory(), 'notes.db');
    DerivedFile.open(path, SCHEMA)[Symbol.dispose]();
    return path;
  };
  const patched = (at: number, byte: number): string => {
    const path = written();
    const bytes = readFileSync(path);
    bytes[at] = byte;
    writeFileSync(path, bytes);
    return path;
  };

  it('is to be built again where its bytes are no file of this version', () => {
    const garbage = written();
    writeFileSync(garbage, 'garbage '.repeat(900));
    for (const path of [garbage, patched(18, 3), patched(47, 9), patched(63, 7), patched(71, 7)])
      expect(() => DerivedFile.open(path, SCHEMA)).toThrow(StoreDamaged);
  });

  it('is left as it is where a statement does not fit, or another process holds it', () => {
    const path = written();
    using file = DerivedFile.open(path, SCHEMA);
    const wrong = () => file.all('SELECT nothing FROM note');
    expect(wrong).toThrow(
      expect.objectContaining({ code: 'DERIVED_BROKEN', hint: expect.stringMatching(/mistake of Reeve/) }),
    );
    expect(wrong).not.toThrow(StoreDamaged);
    expect(() => DerivedFile.open(path, SCHEMA)).toThrow(expect.objectContaining({ code: 'JOURNAL_UNWRITABLE' }));
  });
});

describe('a derived file and the journal it was read from', () => {
  const rows = (count: number, boot = 'boot-1') => chainOf(count, () => ({ boot }));
  const journal = (count: number, boot?: string) => new MemoryStore({ rows: rows(count, boot) });
  /** Closed, after it has read as many records of a journal as that has. */
  const read = (count: number): string => {
    const path = join(temporaryDirectory(), 'notes.db');
    using file = DerivedFile.open(path, SCHEMA, { journal: journal(count) });
    file.advance(count, () => undefined);
    return path;
  };
  const other = (path: string, now: MemoryStore) => {
    using file = DerivedFile.open(path, SCHEMA, { journal: now });
    return file.otherJournal();
  };

  it('belong together where the journal has grown, or has not', () => {
    const path = read(5);
    expect([other(path, journal(5)), other(path, journal(9))]).toEqual([undefined, undefined]);
    expect(other(join(temporaryDirectory(), 'new.db'), journal(0))).toBeUndefined();
  });

  it('do not where the journal is shorter: a new one, or an older copy', () => {
    const path = read(5);
    expect(other(path, journal(0))).toMatch(/ends at record 0, and .* has read 5/);
    expect(other(path, journal(4))).toMatch(/ends at record 4, and .* has read 5/);
  });

  it('do not where the journal has another record in that place, however long it is by now', () => {
    expect(other(read(5), journal(9, 'boot-2'))).toMatch(/record 5 of the journal is not the one that .* has read/);
  });

  it('belong together as far as is known where retention has deleted that record', () => {
    const path = read(5);
    expect(other(path, new MemoryStore({ rows: rows(9, 'boot-2').slice(6) }))).toBeUndefined();
  });

  it('are still known to differ after a change that reads nothing more', () => {
    const path = read(5);
    const now = journal(9, 'boot-2');
    using file = DerivedFile.open(path, SCHEMA, { journal: now });
    file.advance(5, () => file.run('INSERT INTO note VALUES (1, 2, ?)', 'text'));
    expect(file.otherJournal()).toMatch(/record 5/);
    file.advance(0, () => undefined);
    expect(file.otherJournal()).toBeUndefined();
    file.advance(9, () => undefined);
    expect(file.otherJournal()).toBeUndefined();
  });

  it('are compared by their length alone where an earlier version wrote the file', () => {
    const path = read(5);
    const db = new DatabaseSync(path);
    db.exec('DROP TABLE derived_anchor');
    db.close();
    expect(other(path, journal(9, 'boot-2'))).toBeUndefined();
    expect(other(path, journal(4))).toMatch(/ends at record 4/);
  });
});
