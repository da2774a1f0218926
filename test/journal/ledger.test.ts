import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../src/core/duration.ts';
import type { JournalEntry, Projection } from '../../src/core/journal.ts';
import { Ledger, type LedgerOptions } from '../../src/journal/ledger.ts';
import { MemoryStore } from '../../src/journal/memory.ts';
import type { JournalStore } from '../../src/journal/store.ts';
import { fakeClock } from '../support/fake_clock.ts';
import { jump, sum } from './support.ts';

function opened(store: JournalStore = new MemoryStore(), options: LedgerOptions = {}, boot = 'boot-1') {
  const { clock, advance, jumpWall } = fakeClock(undefined, boot);
  const ledger = new Ledger(store, clock, options);
  const total = ledger.register(sum());
  const recovered = ledger.open();
  return { ledger, total, recovered, advance, jumpWall, store };
}

const rewrite = (store: MemoryStore, seq: number, body: string): MemoryStore =>
  new MemoryStore({ rows: [...store.read({})].map((row) => (row.seq === seq ? { ...row, body } : row)) });

describe('append', () => {
  it('numbers, stamps and chains the drafts, and gives back the entries', () => {
    const { ledger } = opened();
    const entries = ledger.append([jump(1, { channel: 'news' }), jump(2, { incident: 'inc-1', run: 'run-1' })]);
    expect(entries).toMatchObject([
      { seq: 1, monoMs: 1_000_000, boot: 'boot-1+0', channel: 'news', fact: { type: 'clock.jumped', byMs: 1 } },
      { seq: 2, incident: 'inc-1', run: 'run-1', fact: { byMs: 2 } },
    ]);
    expect([...ledger.read({})]).toEqual(entries);
    expect(ledger.verify()).toMatchObject({ ok: true, records: 2 });
  });

  it('of nothing writes nothing', () => {
    const { ledger } = opened();
    expect([ledger.append([]), ledger.lastSeq]).toEqual([[], 0]);
  });

  it('has advanced the states when it returns and before any listener is called', () => {
    const { ledger, total } = opened();
    const seen: number[] = [];
    ledger.subscribe(() => seen.push(total().total));
    ledger.append([jump(1), jump(2)]);
    expect([total(), seen]).toEqual([{ entries: 2, total: 3 }, [3, 3]]);
  });

  it('shows the states what a reader of the disk will see', () => {
    const { clock } = fakeClock();
    const ledger = new Ledger(new MemoryStore(), clock);
    const last = ledger.register<JournalEntry | null>({ name: 'last', initial: null, apply: (_, entry) => entry });
    ledger.open();
    const fact = { type: 'delivery.done', key: 'k', receiver: 'r', what: 'trigger', attempts: 1 } as const;
    ledger.append([{ fact: { ...fact, escalation: undefined } }]);
    expect(last()).toStrictEqual([...ledger.read({})][0]);
    expect(last()?.fact).toStrictEqual(fact);
  });

  it('that fails changes nothing, says so, and marks the journal as broken', () => {
    const store = new MemoryStore();
    const { ledger, total } = opened(store);
    ledger.append([jump(1)]);
    store.failWrites('no space left on device');
    expect(() => ledger.append([jump(2)])).toThrow(expect.objectContaining({ code: 'JOURNAL_UNWRITABLE' }));
    expect([total().total, ledger.lastSeq, [...ledger.read({})].length]).toEqual([1, 1, 1]);
    expect(ledger.broken).toMatchObject({ kind: 'unwritable' });
  });

  it('does not write what a projection cannot take, and leaves the journal usable', () => {
    const { clock } = fakeClock();
    const ledger = new Ledger(new MemoryStore(), clock);
    const total = ledger.register(sum());
    const picky: Projection<number> = {
      name: 'picky',
      initial: 0,
      apply: (state, { fact }) => {
        if (fact.type === 'clock.jumped' && fact.byMs === 13) throw new Error('not 13');
        return state + 1;
      },
    };
    const count = ledger.register(picky);
    ledger.open();
    expect(() => ledger.append([jump(1), jump(13)])).toThrow(/projection picky failed on entry 2.*not 13/);
    expect([ledger.lastSeq, total().entries, count()]).toEqual([0, 0, 0]);
    ledger.append([jump(2)]);
    expect([total().total, count()]).toEqual([2, 1]);
  });

  it('from within a projection is a bug', () => {
    const { clock } = fakeClock();
    const ledger = new Ledger(new MemoryStore(), clock);
    ledger.register<number>({ name: 'greedy', initial: 0, apply: () => ledger.append([jump(1)]).length });
    ledger.open();
    expect(() => ledger.append([jump(1)])).toThrow(/append from within a projection/);
    expect(ledger.lastSeq).toBe(0);
  });
});

describe('subscribers', () => {
  it('that throw are counted and reported, and break neither the append nor the others', () => {
    const reported: unknown[] = [];
    const { ledger, total } = opened(new MemoryStore(), {
      onSubscriberError: (thrown) => {
        reported.push(thrown);
        throw new Error('and the listener too');
      },
    });
    const seen: number[] = [];
    ledger.subscribe(() => {
      throw new Error('bad subscriber');
    });
    ledger.subscribe(({ seq }) => seen.push(seq));
    expect(ledger.append([jump(1), jump(2)])).toHaveLength(2);
    expect([seen, total().total, ledger.subscriberErrors, reported]).toEqual([[1, 2], 3, 2, expect.any(Array)]);
    expect(reported).toEqual([new Error('bad subscriber'), new Error('bad subscriber')]);
  });

  it('may append: it is done at once, and every subscriber gets all entries in order', () => {
    const { ledger, total } = opened();
    const heard: [string, number][] = [];
    let inside: unknown;
    ledger.subscribe(({ seq, fact }) => {
      heard.push(['first', seq]);
      if (fact.type === 'clock.jumped' && fact.byMs === 1) inside = [ledger.append([jump(10)])[0]?.seq, total().total];
    });
    ledger.subscribe(({ seq }) => heard.push(['second', seq]));
    ledger.append([jump(1), jump(2)]);
    expect(inside).toEqual([3, 13]);
    expect(heard.map(([, seq]) => seq)).toEqual([1, 1, 2, 2, 3, 3]);
  });

  it('that append without end are stopped, and the journal stays usable', () => {
    const { ledger, total } = opened();
    const endless = ledger.subscribe(() => ledger.append([jump(1)]));
    ledger.append([jump(1)]);
    expect([total().entries, ledger.subscriberErrors]).toEqual([1_001, 1]);
    endless[Symbol.dispose]();
    expect(ledger.append([jump(1)])).toHaveLength(1);
  });

  it('get nothing after they are disposed', () => {
    const { ledger } = opened();
    const heard: number[] = [];
    const subscription = ledger.subscribe(({ seq }) => heard.push(seq));
    ledger.append([jump(1)]);
    subscription[Symbol.dispose]();
    ledger.append([jump(1)]);
    expect(heard).toEqual([1]);
  });
});

describe('open', () => {
  it('rebuilds the same states from all entries', () => {
    const first = opened();
    for (let i = 1; i <= 20; i += 1) first.ledger.append([jump(i)]);
    const second = opened(first.store);
    expect([second.total(), second.recovered.folded]).toEqual([first.total(), 20]);
  });

  it('folds only what came after the last snapshot', () => {
    const first = opened(new MemoryStore(), { snapshotEntries: 10 });
    for (let i = 1; i <= 25; i += 1) first.ledger.append([jump(i)]);
    const second = opened(first.store);
    expect(second.total()).toEqual(first.total());
    expect(second.recovered.snapshotSeq).toBe(21);
    expect(second.recovered.folded).toBe(first.ledger.lastSeq - 20);
  });

  it('takes a snapshot every so many entries even when that is every one', () => {
    const { ledger, store } = opened(new MemoryStore(), { snapshotEntries: 1 });
    ledger.append([jump(1)]);
    ledger.append([jump(1)]);
    expect([...store.read({})].map(({ type }) => type)).toEqual([
      'clock.jumped',
      'snapshot.taken',
      'clock.jumped',
      'snapshot.taken',
    ]);
  });

  it('folds a projection that the snapshot does not know over everything', () => {
    const first = opened();
    first.ledger.append([jump(5)]);
    first.ledger.snapshot();
    first.ledger.append([jump(7)]);
    const { clock } = fakeClock();
    const ledger = new Ledger(first.store, clock);
    const [old, fresh] = [ledger.register(sum()), ledger.register(sum('fresh'))];
    expect(ledger.open().rebuilt).toEqual(['fresh']);
    expect([old(), fresh()]).toEqual([first.total(), first.total()]);
  });

  it('passes over a damaged snapshot, and is broken', () => {
    const first = opened();
    first.ledger.append([jump(5)]);
    first.ledger.snapshot();
    const second = opened(rewrite(first.store as MemoryStore, 2, '{"states":[],"type":"snapshot.taken"}'));
    expect(second.total().total).toBe(5);
    expect(second.recovered.snapshotSeq).toBeUndefined();
    expect(second.ledger.broken).toMatchObject({ kind: 'chain', seq: 2 });
  });

  it('starts on a changed or unreadable entry, but broken, and goes on writing', () => {
    const first = opened();
    for (const byMs of [1, 2, 4]) first.ledger.append([jump(byMs)]);
    for (const body of ['{"by_ms":9,"type":"clock.jumped"}', 'garbage']) {
      const { ledger } = opened(rewrite(first.store as MemoryStore, 2, body));
      expect(ledger.broken).toMatchObject({ kind: 'chain', seq: 2 });
      expect(ledger.append([jump(8)])[0]?.seq).toBe(4);
    }
  });

  it('finds a cut tail, does not use its numbers again, and keeps showing the gap', () => {
    const first = opened();
    for (const byMs of [1, 2, 4]) first.ledger.append([jump(byMs)]);
    const rows = [...first.store.read({ throughSeq: 2 })];
    const cut = opened(new MemoryStore({ rows, highestSeq: 3 }));
    expect(cut.ledger.broken).toMatchObject({ kind: 'chain', seq: 3 });
    expect(cut.ledger.append([jump(8)])[0]?.seq).toBe(4);
    expect(cut.ledger.verify()).toMatchObject({ ok: false, firstBad: 3 });
  });

  it('stops on a whole entry that a projection cannot take: that is a bug', () => {
    const first = opened();
    first.ledger.append([jump(1)]);
    const { clock } = fakeClock();
    const ledger = new Ledger(first.store, clock);
    ledger.register<number>({
      name: 'bad',
      initial: 0,
      apply: () => {
        throw new Error('no');
      },
    });
    expect(() => ledger.open()).toThrow(/projection bad failed on entry 1/);
  });

  it('continues monotonic time over a reboot', () => {
    const first = opened();
    first.ledger.append([jump(1)]);
    const second = opened(first.store, {}, 'boot-2');
    const [entry] = second.ledger.append([jump(1)]);
    expect(entry).toMatchObject({ monoMs: 2_000_000, boot: 'boot-2+1000000' });
  });

  it('is needed before states are read or written, and once', () => {
    const { clock } = fakeClock();
    const ledger = new Ledger(new MemoryStore(), clock);
    const total = ledger.register(sum());
    expect(() => total()).toThrow(/before the journal was open/);
    expect(() => ledger.append([jump(1)])).toThrow(/before the journal was open/);
    expect(() => ledger.register(sum())).toThrow(/two projections are called sum/);
    ledger.open();
    expect(() => ledger.open()).toThrow(/opened twice/);
    expect(() => ledger.register(sum('late'))).toThrow(/after the journal was opened/);
  });
});

describe('snapshots', () => {
  it.each([
    ['a Map', new Map([['a', 1]]), /bad is a Map/],
    ['infinity', { deep: [Number.POSITIVE_INFINITY] }, /bad.deep.0 is Infinity/],
    ['a function', { call: () => 1 }, /bad.call is a function/],
  ])('refuse a state with %s, because it would not come back', (_, initial, message) => {
    const { clock } = fakeClock();
    const ledger = new Ledger(new MemoryStore(), clock);
    ledger.register<unknown>({ name: 'bad', initial, apply: (state) => state });
    ledger.open();
    expect(() => ledger.snapshot()).toThrow(message);
    expect(ledger.lastSeq).toBe(0);
  });

  it('that fail by themselves do not make the append look failed, but break the journal', () => {
    const { clock } = fakeClock();
    const ledger = new Ledger(new MemoryStore(), clock, { snapshotEntries: 1 });
    ledger.register<unknown>({ name: 'bad', initial: new Set(), apply: (state) => state });
    ledger.open();
    expect(ledger.append([jump(1)])).toHaveLength(1);
    expect(ledger.broken).toMatchObject({ kind: 'unwritable', because: expect.stringContaining('bad is a Set') });
  });
});

describe('retention', () => {
  async function aged() {
    const held = opened(new MemoryStore(), { snapshotEntries: 10 });
    for (let i = 0; i < 95; i += 1) {
      held.ledger.append([jump(1)]);
      await held.advance(DAY_MS / 10);
    }
    return held;
  }

  it('deletes in steps from snapshot to snapshot, and the chain holds after each', async () => {
    const { ledger, store, total } = await aged();
    const before = total();
    let steps = 0;
    for (let more = true; more; steps += 1) {
      const done = ledger.compact(5 * DAY_MS);
      more = done.more;
      expect(done.deleted).toBeLessThanOrEqual(11);
      expect(ledger.verify()).toMatchObject({ ok: true });
      expect([...store.read({ limit: 1 })][0]).toMatchObject({ type: 'snapshot.taken' });
    }
    expect(steps).toBeGreaterThan(2);
    const [first] = store.read({ limit: 1 });
    expect(first!.monoMs).toBeLessThanOrEqual(ledger.clock.monotonicMs() - 5 * DAY_MS);
    expect(ledger.compact(5 * DAY_MS)).toEqual({ deleted: 0, more: false });
    expect(opened(store).total()).toMatchObject({ total: before.total });
  });

  it('keeps everything that is younger', async () => {
    const { ledger, store } = await aged();
    const kept = [...store.read({})].length;
    expect(ledger.compact(60 * DAY_MS)).toEqual({ deleted: 0, more: false });
    expect([...store.read({})]).toHaveLength(kept);
  });

  it('takes a snapshot first where a quiet journal has none, so that the old entries can go later', async () => {
    const { ledger, store, advance } = opened();
    ledger.append([jump(1), jump(2)]);
    await advance(2 * DAY_MS);
    expect(ledger.compact(DAY_MS).deleted).toBe(0);
    await advance(2 * DAY_MS);
    expect(ledger.compact(DAY_MS)).toEqual({ deleted: 2, more: false });
    expect(ledger.verify().ok).toBe(true);
    const rows = [...store.read({})].length;
    await advance(10 * DAY_MS);
    expect(ledger.compact(DAY_MS).deleted).toBe(0);
    expect([...store.read({})].length).toBe(rows);
  });

  it('does not follow the wall clock', async () => {
    const { ledger, store, jumpWall } = await aged();
    const kept = [...store.read({})].length;
    jumpWall(3_650 * DAY_MS);
    expect(ledger.compact(60 * DAY_MS).deleted).toBe(0);
    expect([...store.read({})]).toHaveLength(kept);
  });
});

describe('the patrol', () => {
  it('finds what was changed behind the back of a running journal, a few entries at a time', () => {
    const { ledger, store } = opened();
    for (let i = 0; i < 30; i += 1) ledger.append([jump(i)]);
    expect([1, 2, 3, 4, 5].map(() => ledger.patrol(10))).toEqual([true, true, true, true, true]);
    const shadow = (store as unknown as { read: JournalStore['read'] }).read.bind(store);
    store.read = function* (query) {
      for (const row of shadow(query)) yield row.seq === 25 ? { ...row, at: 1 } : row;
    };
    const rounds = Array.from({ length: 8 }, () => ledger.patrol(10));
    expect(rounds).toContain(false);
    expect(ledger.broken).toMatchObject({ kind: 'chain', seq: 25 });
  });

  it('holds while entries come and old ones go', async () => {
    const { ledger, advance } = opened(new MemoryStore(), { snapshotEntries: 7 });
    for (let i = 0; i < 200; i += 1) {
      ledger.append([jump(i)]);
      await advance(1_000);
      if (i % 3 === 0) expect(ledger.patrol(5)).toBe(true);
      if (i % 11 === 0) ledger.compact(30_000);
    }
    expect(ledger.broken).toBeUndefined();
  });
});
