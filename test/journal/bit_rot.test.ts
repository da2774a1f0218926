import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../src/core/duration.ts';
import { ReeveError } from '../../src/core/errors.ts';
import { CHAIN_STATE } from '../../src/journal/chain.ts';
import { stamp } from '../../src/journal/entry.ts';
import { runHousekeeping } from '../../src/journal/housekeeping.ts';
import { Ledger, type LedgerOptions } from '../../src/journal/ledger.ts';
import { MemoryStore } from '../../src/journal/memory.ts';
import type { JournalStore, StoredEntry } from '../../src/journal/store.ts';
import { fakeClock } from '../support/fake_clock.ts';
import { chainOf, coded, jump, sum } from './support.ts';

/** A disk on which records change without anybody writing them. */
class RottingStore extends MemoryStore {
  readonly #rotten = new Map<number, Partial<StoredEntry>>();
  unreadableSeq: number | undefined;

  rot(seq: number, change: Partial<StoredEntry> = { body: '{"by_ms":9,"type":"clock.jumped"}' }): void {
    this.#rotten.set(seq, change);
  }

  override *read(query: Parameters<JournalStore['read']>[0]): Iterable<StoredEntry> {
    for (const row of super.read(query)) {
      if (row.seq === this.unreadableSeq) throw new ReeveError('JOURNAL_BROKEN', 'cannot read journal.db: malformed');
      yield { ...row, ...this.#rotten.get(row.seq) };
    }
  }
}

/** A process of Reeve on that disk. */
function begun(store: RottingStore, options: LedgerOptions = { snapshotEntries: 10 }) {
  const { clock, advance } = fakeClock();
  const ledger = new Ledger(store, clock, options);
  const total = ledger.register(sum());
  const recovered = ledger.open();
  const write = (count: number) => {
    for (let n = 0; n < count; n += 1) ledger.append([jump(1)]);
  };
  const failures: string[] = [];
  const keepHouse = (keepMs = 60 * DAY_MS) => runHousekeeping(ledger, keepMs, (text) => failures.push(text));
  return { ledger, total, recovered, write, keepHouse, failures, advance };
}

const seqsOf = (store: JournalStore, type: string): number[] =>
  [...store.read({ types: [type] })].map(({ seq }) => seq);

describe('after its chain broke the journal', () => {
  it('takes no snapshot any more', () => {
    const store = new RottingStore();
    const { ledger, write, keepHouse } = begun(store);
    write(25);
    store.rot(3);
    keepHouse();
    expect(ledger.broken).toMatchObject({ kind: 'chain', seq: 3 });
    const before = seqsOf(store, 'snapshot.taken');
    write(25);
    expect(seqsOf(store, 'snapshot.taken')).toEqual(before);
    expect(() => ledger.snapshot()).toThrow(coded('JOURNAL_BROKEN', /^no snapshot: entry 3/));
  });

  it('is broken for the next start, too, which would not read as far back by itself', () => {
    const store = new RottingStore();
    const first = begun(store);
    first.write(25);
    store.rot(3);
    first.keepHouse();
    first.write(25);
    const { ledger, recovered, total } = begun(store);
    expect(recovered.snapshotSeq).toBeGreaterThan(3);
    expect(recovered.chain).toMatchObject({ ok: false, firstBad: 3 });
    expect(ledger.broken).toMatchObject({ kind: 'chain', seq: 3, because: expect.stringContaining('entry 3') });
    expect(total()).toEqual(first.total());
  });

  it('says so once in itself, with the first bad record and why', () => {
    const store = new RottingStore();
    const { ledger, write, keepHouse } = begun(store);
    write(5);
    store.rot(3);
    for (let round = 0; round < 3; round += 1) keepHouse();
    const noted = [...ledger.read({ types: ['journal.broken'] })].map(({ fact }) => fact);
    const because = 'entry 3 does not match its hash';
    expect(noted).toEqual([{ type: 'journal.broken', firstBad: 3, because }]);
    begun(store).keepHouse();
    expect(seqsOf(store, 'journal.broken')).toHaveLength(1);
  });

  it('begins from no snapshot that somebody took after that', () => {
    const store = new RottingStore();
    const first = begun(store);
    first.write(25);
    store.rot(3);
    first.keepHouse();
    const { seq, hash } = first.ledger.head;
    const states = [{ name: CHAIN_STATE, state: JSON.stringify(hash) }];
    store.append(stamp([{ fact: { type: 'snapshot.taken', states } }], { seq, hash }, fakeClock().clock));
    expect(begun(store).recovered.snapshotSeq).toBeLessThan(seq);
  });

  it('is broken, too, where a record cannot be read at all', () => {
    const store = new RottingStore();
    const { ledger, write, keepHouse, failures } = begun(store);
    write(5);
    store.unreadableSeq = 3;
    keepHouse();
    expect(ledger.broken).toMatchObject({ kind: 'chain', because: expect.stringContaining('malformed') });
    expect(failures).toEqual([expect.stringContaining('journal: it is broken: cannot read')]);
  });

  it('is broken, too, where a record holds no fact: that one is left out, and the others are read', () => {
    for (const body of ['{"by_ms":9}', 'null', '7', '"reeve"', '[]', '{"type":7}', '{']) {
      const store = new RottingStore();
      const { ledger, write } = begun(store);
      write(5);
      store.rot(3, { body });
      expect([...ledger.read()].map(({ seq }) => seq)).toEqual([1, 2, 4, 5]);
      expect(ledger.broken).toMatchObject({ kind: 'chain', seq: 3, because: expect.stringContaining('record 3 ') });
    }
  });

  it('is broken for a start, too, where a record that is whole holds no fact, as one of another version', () => {
    const rows = chainOf(5, (seq) => (seq === 3 ? { body: '{"by_ms":9}' } : {}));
    const { ledger, recovered, total } = begun(new RottingStore({ rows }));
    expect(recovered.chain).toMatchObject({ ok: false, firstBad: 3 });
    expect(ledger.broken).toMatchObject({ kind: 'chain', seq: 3, because: expect.stringContaining('record 3 ') });
    expect(total()).toEqual({ entries: 4, total: 12 });
  });

  it('is broken, too, where a new projection is folded over a record that is older than the snapshot', () => {
    const store = new RottingStore();
    begun(store).write(25);
    store.rot(3);
    const { clock } = fakeClock();
    const ledger = new Ledger(store, clock);
    ledger.register(sum());
    ledger.register(sum('fresh'));
    expect(ledger.open().chain).toMatchObject({ ok: false, firstBad: 3 });
    expect(ledger.broken).toMatchObject({ kind: 'chain', seq: 3 });
  });
});

describe('retention', () => {
  /** Records of ten days with a snapshot after every ten, and a patrol that has not come by. */
  async function aged() {
    const store = new RottingStore();
    const world = begun(store);
    for (let n = 0; n < 100; n += 1) {
      world.write(1);
      await world.advance(DAY_MS / 10);
    }
    return { store, ...world };
  }

  it('deletes no broken record: it checks what it deletes, and what it finds is a break', async () => {
    const { store, ledger, keepHouse, failures } = await aged();
    store.rot(15);
    keepHouse(DAY_MS);
    expect([...store.read({ limit: 1 })][0]?.seq).toBe(11);
    expect(ledger.broken).toMatchObject({ kind: 'chain', seq: 15 });
    expect(failures).toEqual(['journal: it is broken: entry 15 does not match its hash (reeve audit verify)']);
  });

  it('deletes nothing whose snapshot behind it is not the one that anchors the rest', async () => {
    const { store, ledger, keepHouse } = await aged();
    store.rot(11, { body: '{"states":[],"type":"snapshot.taken"}' });
    keepHouse(DAY_MS);
    expect([...store.read({ limit: 1 })][0]?.seq).toBe(1);
    expect(ledger.broken).toMatchObject({ kind: 'chain', seq: 11 });
  });

  it('deletes nothing that cannot be read', async () => {
    const { store, ledger, keepHouse } = await aged();
    store.unreadableSeq = 5;
    keepHouse(DAY_MS);
    store.unreadableSeq = undefined;
    expect([...store.read({ limit: 1 })][0]?.seq).toBe(1);
    expect(ledger.broken).toMatchObject({ kind: 'chain', because: expect.stringContaining('malformed') });
  });

  it('leaves the patrol where it stands, so that it comes to the end of a journal that grows', async () => {
    const { store, ledger, write, advance } = await aged();
    const [first] = store.read({ limit: 1 });
    store.rot(first!.seq + 80);
    for (let round = 0; round < 8; round += 1) {
      write(5);
      await advance(DAY_MS / 2);
      ledger.compact(9 * DAY_MS);
      ledger.patrol(12);
    }
    expect([...store.read({ limit: 1 })][0]?.seq).toBeGreaterThan(1);
    expect(ledger.broken).toMatchObject({ kind: 'chain', seq: 81 });
  });
});

describe('a journal that cannot be written after its chain broke', () => {
  it('is opened anew when it can be, and is broken there, too', () => {
    const store = new RottingStore();
    const { ledger, write, keepHouse } = begun(store);
    write(25);
    store.rot(3);
    keepHouse();
    store.failWrites('no space left on device');
    expect(() => write(1)).toThrow(/no space/);
    const because = expect.stringMatching(/no space left.*; and before that: entry 3 does not match its hash$/);
    expect(ledger.broken).toEqual({ kind: 'unwritable', because, seq: 3 });
    const next = new RottingStore({ rows: [...store.read({})] });
    expect(begun(next).ledger.broken).toMatchObject({ kind: 'chain', seq: 3 });
  });
});
