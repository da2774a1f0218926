import { describe, expect, it } from 'vitest';
import { CHAIN_STATE, GENESIS, hashOf } from '../../src/journal/chain.ts';
import { MemoryStore } from '../../src/journal/memory.ts';
import { expiredBefore, wantsSnapshot } from '../../src/journal/retention.ts';
import type { StoredEntry } from '../../src/journal/store.ts';
import { chainOf } from './support.ts';

/** Records 1 to `count`, one a millisecond, with snapshots at these. */
function rowsWith(count: number, snapshots: readonly number[]): readonly StoredEntry[] {
  const rows: StoredEntry[] = [];
  for (const row of chainOf(count)) {
    const before = rows.at(-1)?.hash ?? GENESIS;
    const states = [{ name: CHAIN_STATE, state: JSON.stringify(before) }];
    const snapshot = { type: 'snapshot.taken', body: JSON.stringify({ type: 'snapshot.taken', states }) };
    const made = snapshots.includes(row.seq) ? { ...row, ...snapshot } : row;
    rows.push({ ...made, hash: hashOf(before, made) });
  }
  return rows;
}

const storeOf = (rows: readonly StoredEntry[]): MemoryStore => new MemoryStore({ rows });

describe('what retention may delete', () => {
  it('is what lies before the next snapshot that is old enough, one stretch at a time', () => {
    const store = storeOf(rowsWith(10, [4, 8]));
    expect(expiredBefore(store, 9)).toMatchObject({ throughSeq: 3, records: 3, more: true, chain: { ok: true } });
    expect(expiredBefore(store, 7)).toMatchObject({ throughSeq: 3, records: 3, more: false });
    store.deleteThrough(3);
    expect(expiredBefore(store, 9)).toMatchObject({ throughSeq: 7, records: 4, more: false, chain: { ok: true } });
  });

  it('is nothing that is younger, or that no old snapshot follows', () => {
    expect(expiredBefore(storeOf(rowsWith(10, [4])), 3)).toBeUndefined();
    expect(expiredBefore(storeOf(rowsWith(10, [])), 9)).toBeUndefined();
    expect(expiredBefore(storeOf([]), 9)).toBeUndefined();
  });

  it.each([1, 2, 3, 4])('is reported as broken where record %i of it or the snapshot behind it is', (seq) => {
    const rows = rowsWith(10, [4]).map((row) => (row.seq === seq ? { ...row, at: 7 } : row));
    expect(expiredBefore(storeOf(rows), 9)?.chain).toMatchObject({ ok: false, firstBad: seq });
    const behind = rowsWith(10, [4]).map((row) => (row.seq === 5 ? { ...row, at: 7 } : row));
    expect(expiredBefore(storeOf(behind), 9)?.chain.ok).toBe(true);
  });
});

describe('a journal with old records', () => {
  it('wants a snapshot where it has none that is younger, unless it ends with one', () => {
    expect(wantsSnapshot(storeOf(rowsWith(10, [])), 5)).toBe(true);
    expect(wantsSnapshot(storeOf(rowsWith(10, [4])), 5)).toBe(true);
    expect(wantsSnapshot(storeOf(rowsWith(10, [6])), 5)).toBe(false);
    expect(wantsSnapshot(storeOf(rowsWith(10, [10])), 50)).toBe(false);
    expect(wantsSnapshot(storeOf(rowsWith(10, [])), 0)).toBe(false);
    expect(wantsSnapshot(storeOf([]), 5)).toBe(false);
  });
});
