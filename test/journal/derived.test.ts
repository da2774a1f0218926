import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DerivedFile, type DerivedSchema } from '../../src/journal/derived.ts';
import { MEMORY_SCHEMA } from '../../src/memory/schema.ts';
import { temporaryDirectory } from './support.ts';

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
