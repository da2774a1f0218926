import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { selectRows } from '../../src/journal/query.ts';

/** Entries 1 to 6: two incidents on two channels, three types. */
function anEntryTable() {
  const db = new DatabaseSync(':memory:');
  db.exec('CREATE TABLE entry (seq INTEGER PRIMARY KEY, type TEXT, channel TEXT, incident TEXT)');
  const add = db.prepare('INSERT INTO entry VALUES (?, ?, ?, ?)');
  const rows = [
    ['a.one', 'news', 'inc-1'],
    ['b.two', 'news', 'inc-1'],
    ['a.one', 'sport', 'inc-2'],
    ['c.three', 'sport', 'inc-2'],
    ['a.one', 'news', null],
    ['b.two', 'sport', null],
  ] as const;
  for (const [at, [type, channel, incident]] of rows.entries()) add.run(at + 1, type, channel, incident);
  return (query: Partial<Parameters<typeof selectRows>[0]>, rowsMax = 10): readonly unknown[] => {
    const { sql, values } = selectRows({ sinceSeq: 1, throughSeq: 6, ...query }, rowsMax);
    return db
      .prepare(sql)
      .all(...values)
      .map(({ seq }) => seq);
  };
}

describe('a page of a journal query', () => {
  it('holds everything between its two numbers, both included', () => {
    expect(anEntryTable()({ sinceSeq: 2, throughSeq: 4 })).toEqual([2, 3, 4]);
  });

  it('ends at its size, from the old end or from the new one', () => {
    const ask = anEntryTable();
    expect(ask({}, 2)).toEqual([1, 2]);
    expect(ask({ newestFirst: true }, 2)).toEqual([6, 5]);
  });

  it('is narrowed by incident, by channel, and by both', () => {
    const ask = anEntryTable();
    expect(ask({ incident: 'inc-2' })).toEqual([3, 4]);
    expect(ask({ channel: 'news' })).toEqual([1, 2, 5]);
    expect(ask({ incident: 'inc-1', channel: 'sport' })).toEqual([]);
  });

  it('is narrowed by types, alone and together with a channel', () => {
    const ask = anEntryTable();
    expect(ask({ types: ['a.one', 'c.three'] })).toEqual([1, 3, 4, 5]);
    expect(ask({ types: ['a.one'], channel: 'news' })).toEqual([1, 5]);
    expect(ask({ types: [] })).toEqual([]);
  });

  it('takes the first of all types together, not of each', () => {
    const ask = anEntryTable();
    expect(ask({ types: ['a.one', 'b.two'] }, 3)).toEqual([1, 2, 3]);
    expect(ask({ types: ['a.one', 'b.two'], newestFirst: true }, 3)).toEqual([6, 5, 3]);
  });
});
