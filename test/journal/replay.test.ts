import { describe, expect, it } from 'vitest';
import { Ledger } from '../../src/journal/ledger.ts';
import { MemoryStore } from '../../src/journal/memory.ts';
import { replay } from '../../src/journal/replay.ts';
import { States } from '../../src/journal/states.ts';
import type { StoredEntry } from '../../src/journal/store.ts';
import { fakeClock } from '../support/fake_clock.ts';
import { jump, sum } from './support.ts';

/** Numbers from 1 to `count` in a journal, with a snapshot after so many entries. */
function rowsOf(count: number, snapshotEntries = 1_000): readonly StoredEntry[] {
  const store = new MemoryStore();
  const ledger = new Ledger(store, fakeClock().clock, { snapshotEntries });
  ledger.register(sum());
  ledger.open();
  for (let number = 1; number <= count; number += 1) ledger.append([jump(number)]);
  return [...store.read({})];
}

function replayed(rows: readonly StoredEntry[], names: readonly string[] = ['sum']) {
  const states = new States();
  const reads = names.map((name) => states.register(sum(name), () => true));
  const recovered = replay(new MemoryStore({ rows }), states);
  const entries = reads.map((read) => read().entries);
  return { ...recovered, totals: reads.map((read) => read().total), entries };
}

describe('a replay', () => {
  it('folds a journal without a snapshot from its first entry', () => {
    expect(replayed(rowsOf(4))).toMatchObject({ snapshotSeq: undefined, folded: 4, totals: [10], chain: { ok: true } });
  });

  it('comes to the same from a snapshot, and folds only what its snapshot does not hold', () => {
    const rows = rowsOf(10, 4);
    const { snapshotSeq, folded, totals, entries } = replayed(rows);
    expect([totals, entries]).toEqual([[55], [rows.length]]);
    expect(snapshotSeq).toBeGreaterThan(0);
    expect(folded).toBe(rows.filter(({ seq }) => seq >= snapshotSeq!).length);
  });

  it('folds a state that the snapshot did not hold over everything, and the others once', () => {
    expect(replayed(rowsOf(10, 4), ['sum', 'added'])).toMatchObject({ rebuilt: ['added'], totals: [55, 55] });
  });

  it('passes over a damaged snapshot and takes the one before it', () => {
    const rows = rowsOf(10, 4);
    const whole = replayed(rows).snapshotSeq!;
    const damaged = rows.map((row) => (row.seq === whole ? { ...row, hash: 'f'.repeat(64) } : row));
    const { snapshotSeq, totals, chain } = replayed(damaged);
    expect(snapshotSeq).toBeLessThan(whole);
    expect([totals, chain.ok]).toEqual([[55], false]);
  });

  it('counts an entry whose hash is wrong all the same: forgetting one would be laxer', () => {
    const damaged = rowsOf(4).map((row) => (row.seq === 2 ? { ...row, hash: 'f'.repeat(64) } : row));
    expect(replayed(damaged)).toMatchObject({ totals: [10], chain: { ok: false } });
  });

  it('passes over an entry that is damaged beyond reading, and stops at one that is whole and cannot be read', () => {
    const rows = rowsOf(4);
    const torn = rows.map((row) => (row.seq === 2 ? { ...row, body: '{', hash: 'f'.repeat(64) } : row));
    expect(replayed(torn).totals).toEqual([8]);
    const states = new States();
    states.register(
      {
        name: 'strict',
        initial: 0,
        apply: () => {
          throw new Error('a bug');
        },
      },
      () => true,
    );
    expect(() => replay(new MemoryStore({ rows }), states)).toThrow(/entry 1/);
  });
});
