import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Brokenness, probeJournal, watchForRecovery } from '../../src/journal/recovery.ts';
import { SqliteStore } from '../../src/journal/sqlite.ts';
import { fakeClock } from '../support/fake_clock.ts';

const UNWRITABLE: Brokenness = { kind: 'unwritable', because: 'no space left on device', seq: undefined };

function watched() {
  const { clock, advance } = fakeClock();
  const world = { broken: undefined as Brokenness | undefined, isWell: true, probes: 0, writable: 0, advance };
  const watching = watchForRecovery({
    clock,
    broken: () => world.broken,
    probe: () => {
      world.probes += 1;
      if (!world.isWell) throw new Error('no space left on device');
    },
    onWritable: () => {
      world.writable += 1;
    },
  });
  return { world, watching };
}

describe('a journal that could not be written', () => {
  it('is opened anew after three good probes, 10 s apart, and once', async () => {
    const { world } = watched();
    world.broken = UNWRITABLE;
    await world.advance(29_999);
    expect(world).toMatchObject({ probes: 2, writable: 0 });
    await world.advance(1);
    expect(world).toMatchObject({ probes: 3, writable: 1 });
    await world.advance(60_000);
    expect(world).toMatchObject({ probes: 3, writable: 1 });
  });

  it('needs three in a row: one that fails begins the count anew', async () => {
    const { world } = watched();
    world.broken = UNWRITABLE;
    await world.advance(20_000);
    world.isWell = false;
    await world.advance(10_000);
    world.isWell = true;
    await world.advance(20_000);
    expect(world.writable).toBe(0);
    await world.advance(10_000);
    expect(world.writable).toBe(1);
  });

  it.each([
    ['a journal that is well', undefined],
    [
      'a broken chain, which does not repair itself',
      { kind: 'chain', because: 'entry 7 was changed', seq: 7 } as const,
    ],
  ])('is the only one that is probed: not %s', async (_, broken) => {
    const { world } = watched();
    world.broken = broken;
    await world.advance(600_000);
    expect(world).toMatchObject({ probes: 0, writable: 0 });
  });

  it('is probed no more after the daemon ended', async () => {
    const { world, watching } = watched();
    world.broken = UNWRITABLE;
    watching[Symbol.dispose]();
    await world.advance(60_000);
    expect(world.probes).toBe(0);
  });
});

describe('a probe of the journal', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'reeve-probe-'));
    chmodSync(folder, 0o700);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('succeeds beside a store that is open, changes no entry and leaves nothing behind', () => {
    const path = join(folder, 'journal.db');
    const store = SqliteStore.open(path);
    probeJournal(path);
    expect(store.last()).toBeUndefined();
    expect(existsSync(`${path}.probe`)).toBe(false);
    store.close();
  });

  it('fails while another process holds the lock for writing', () => {
    const path = join(folder, 'journal.db');
    SqliteStore.open(path).close();
    const other = new DatabaseSync(path);
    other.exec('BEGIN IMMEDIATE');
    expect(() => probeJournal(path)).toThrow(/locked/);
    other.exec('ROLLBACK');
    other.close();
    expect(() => probeJournal(path)).not.toThrow();
  });

  it('fails where the journal is gone, and makes none', () => {
    const path = join(folder, 'journal.db');
    expect(() => probeJournal(path)).toThrow(/journal\.db is gone/);
    expect(existsSync(path)).toBe(false);
  });

  it('fails where nothing can be written', () => {
    expect(() => probeJournal(join(folder, 'gone', 'journal.db'))).toThrow(/ENOENT/);
  });
});
