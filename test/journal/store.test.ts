import fc from 'fast-check';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MemoryStore } from '../../src/journal/memory.ts';
import { SqliteStore } from '../../src/journal/sqlite.ts';
import type { JournalQuery } from '../../src/core/journal.ts';
import type { JournalStore, StoredEntry } from '../../src/journal/store.ts';
import { chainOf, temporaryDirectory } from './support.ts';

const ROWS: readonly StoredEntry[] = chainOf(1_300, (seq) => ({
  channel: seq % 3 === 0 ? undefined : `ch${seq % 2}`,
  incident: seq % 5 === 0 ? 'inc-1' : undefined,
  run: seq % 7 === 0 ? 'run-1' : undefined,
  type: `type.${seq % 4}`,
}));

const STORES: readonly [string, () => JournalStore][] = [
  ['memory', () => new MemoryStore()],
  ['sqlite', () => SqliteStore.open(join(temporaryDirectory(), 'journal.db'))],
];

function expected(query: JournalQuery): readonly StoredEntry[] {
  const found = ROWS.filter(
    (row) =>
      row.seq >= (query.sinceSeq ?? 0) &&
      row.seq <= (query.throughSeq ?? Number.POSITIVE_INFINITY) &&
      (query.types === undefined || query.types.includes(row.type)) &&
      (query.channel === undefined || query.channel === row.channel) &&
      (query.incident === undefined || query.incident === row.incident),
  );
  return (query.newestFirst === true ? found.toReversed() : found).slice(0, query.limit);
}

describe.each(STORES)('the %s store', (_, open) => {
  const filled = (): JournalStore => {
    const store = open();
    onTestFinished(() => store.close());
    store.append(ROWS);
    return store;
  };

  it('gives back what was appended, field by field', () => {
    expect([...filled().read({})]).toEqual(ROWS);
  });

  it('is empty at first', () => {
    const store = open();
    onTestFinished(() => store.close());
    expect([store.last(), store.highestSeq(), [...store.read({})]]).toEqual([undefined, 0, []]);
  });

  it('answers every query as a plain filter does', () => {
    const store = filled();
    const seq = fc.integer({ min: 0, max: 1_400 });
    const query = fc.record(
      {
        sinceSeq: seq,
        throughSeq: seq,
        types: fc.subarray(['type.0', 'type.1', 'type.2', 'type.3', 'none']),
        channel: fc.constantFrom('ch0', 'ch1', 'none'),
        incident: fc.constantFrom('inc-1', 'none'),
        limit: fc.integer({ min: 0, max: 1_200 }),
        newestFirst: fc.boolean(),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(query, (asked) => {
        expect([...store.read(asked)]).toEqual(expected(asked));
      }),
      { numRuns: 60 },
    );
  });

  it('reads on while rows come in, and sees only those that were there', () => {
    const store = filled();
    let seen = 0;
    for (const row of store.read({})) {
      seen += 1;
      if (row.seq % 400 === 0) store.append([{ ...row, seq: store.highestSeq() + 1 }]);
    }
    expect([seen, store.last()?.seq]).toEqual([1_300, 1_303]);
  });

  it('deletes the front and remembers how far it went', () => {
    const store = filled();
    store.deleteThrough(1_299);
    expect([...store.read({})]).toEqual([ROWS[1_299]]);
    store.deleteThrough(1_300);
    expect([store.last(), store.highestSeq()]).toEqual([undefined, 1_300]);
  });

  it('takes all rows or none, and after one failure none at all', () => {
    const store = filled();
    const next = { ...ROWS[0]!, seq: 1_301 };
    expect(() => store.append([next, ROWS[5]!])).toThrow(expect.objectContaining({ code: 'JOURNAL_UNWRITABLE' }));
    expect(store.last()?.seq).toBe(1_300);
    expect(() => store.append([next])).toThrow(expect.objectContaining({ code: 'JOURNAL_UNWRITABLE' }));
    expect(() => store.deleteThrough(5)).toThrow(expect.objectContaining({ code: 'JOURNAL_UNWRITABLE' }));
    expect([...store.read({ limit: 1 })]).toEqual([ROWS[0]]);
  });

  it('takes nothing after it was closed', () => {
    const store = open();
    store.close();
    store.close();
    expect(() => store.append([ROWS[0]!])).toThrow(expect.objectContaining({ code: 'JOURNAL_UNWRITABLE' }));
  });
});
