import { describe, expect, it } from 'vitest';
import { type AppendStep, MemoryStore } from '../../src/journal/memory.ts';
import { chainOf } from './support.ts';

const ROWS = chainOf(6);

/** A store that stops at the given step of its second append. */
function stopping(at: AppendStep): MemoryStore {
  let appends = 0;
  return new MemoryStore({
    onStep: (step) => {
      if (step === 'writing') appends += 1;
      if (appends === 2 && step === at) throw new Error('killed');
    },
  });
}

describe('a crash of the memory store', () => {
  it.each([
    ['writing', 0, 2],
    ['written', 0, 2],
    ['written', 1, 4],
    ['synced', 0, 4],
  ] as const)('while %s, with %i unsynced appends on the disk, leaves %i rows', (step, survivors, left) => {
    const store = stopping(step);
    store.append(ROWS.slice(0, 2));
    expect(() => store.append(ROWS.slice(2, 4))).toThrow('killed');
    expect(() => store.append(ROWS.slice(4))).toThrow(/takes no more/);
    const found = store.crash(survivors);
    expect([...found.read({})]).toEqual(ROWS.slice(0, left));
    found.append(ROWS.slice(left));
    expect(found.last()).toEqual(ROWS[5]);
  });

  it('of a lazy store loses what was not synced, whole appends from the end', () => {
    const store = new MemoryStore({ lazy: true });
    store.append(ROWS.slice(0, 2));
    store.sync();
    store.append(ROWS.slice(2, 4));
    store.append(ROWS.slice(4));
    expect(store.last()).toEqual(ROWS[5]);
    expect([...store.crash().read({})]).toEqual(ROWS.slice(0, 2));
    expect([...store.crash(1).read({})]).toEqual(ROWS.slice(0, 4));
  });

  it('keeps the old store from writing on', () => {
    const store = new MemoryStore();
    store.crash();
    expect(() => store.append(ROWS)).toThrow(/the process is gone/);
  });
});

describe('the disk under it', () => {
  it('may have something else in the place of a record, and goes on otherwise', () => {
    const store = new MemoryStore({ rows: ROWS });
    const rotten = { ...ROWS[2]!, body: 'x' };
    store.alter(rotten);
    expect([...store.read({})]).toEqual(ROWS.map((row) => (row.seq === rotten.seq ? rotten : row)));
    expect([...store.crash().read({})][2]).toEqual(rotten);
  });

  it('reports what retention deletes', () => {
    const gone: unknown[] = [];
    const store = new MemoryStore({ rows: ROWS, onDeleted: (rows) => gone.push(...rows) });
    store.deleteThrough(2);
    expect(gone).toEqual(ROWS.slice(0, 2));
  });
});
