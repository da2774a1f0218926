import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { openJournal } from '../../src/journal/damage.ts';
import { Ledger } from '../../src/journal/ledger.ts';
import { SqliteStore } from '../../src/journal/sqlite.ts';
import { chainOf, coded, journalPath, jump, sum } from './support.ts';

const AT = Date.UTC(2026, 0, 2, 3, 4, 5, 6);
const NAME = 'journal.db.damaged-2026-01-02T030405.006Z';
const PAGE_BYTES = 4_096;

function written(count: number): string {
  const path = journalPath();
  const store = SqliteStore.open(path);
  store.append(chainOf(count));
  store.close();
  return path;
}

function damage(path: string, change: (bytes: Buffer) => void): Buffer {
  const bytes = readFileSync(path);
  change(bytes);
  writeFileSync(path, bytes);
  return bytes;
}

/** Opens it, closes it, and says what was found and how many records the new file has. */
function opening(path: string, options = {}) {
  const { store, damage: found } = openJournal(path, AT, options);
  const records = [...store.read({})].length;
  store.close();
  return { found, records };
}

function inSql(path: string, sql: string): void {
  const db = new DatabaseSync(path);
  db.exec(sql);
  db.close();
}

/** To one that SQLite takes for its own while it reads, and not when it writes. */
const renameSequence = (bytes: Buffer): void => void bytes.write('Sqlite', bytes.indexOf('sqlite_sequence'));
const tornPage = (bytes: Buffer): void => void bytes.fill(0xff, 5 * PAGE_BYTES, 5 * PAGE_BYTES + 200);

describe('a start on a damaged journal', () => {
  it('keeps the file under a name that says so, every byte of it, and begins a new one', () => {
    const path = written(400);
    const bytes = damage(path, tornPage);
    const { found, records } = opening(path);
    expect(records).toBe(0);
    expect(found).toEqual({
      because: expect.stringMatching(/is damaged|cannot read/),
      keptAs: join(dirname(path), NAME),
    });
    expect(readFileSync(found!.keptAs).equals(bytes)).toBe(true);
    expect(opening(path)).toEqual({ found: undefined, records: 0 });
  });

  it('keeps the log of SQLite beside it, which the new one must not find', () => {
    const path = written(400);
    const writer = new DatabaseSync(path);
    writer.exec("UPDATE entry SET boot = 'x' WHERE seq = 1");
    const log = readFileSync(`${path}-wal`);
    const whole = readFileSync(path);
    writer.close();
    writeFileSync(path, whole);
    writeFileSync(`${path}-wal`, log);
    damage(path, (bytes) => bytes.fill(0xff, 0, 16));
    const { found, records } = opening(path);
    expect(records).toBe(0);
    expect(readFileSync(`${found!.keptAs}-wal`).equals(log)).toBe(true);
  });

  it('does the same where the file is too large to check all its pages, if a start needs the torn one', () => {
    const path = written(400);
    damage(path, (bytes) => {
      const at = Math.floor(bytes.indexOf('{"by_ms":300,') / PAGE_BYTES) * PAGE_BYTES;
      bytes.fill(0xff, at, at + 200);
    });
    expect(opening(path, { quickCheckBytesMax: 1_000 }).found?.because).toMatch(/cannot read/);
  });

  it('does the same for a file of nonsense, and for its own table under a strange application id', () => {
    const nonsense = written(4);
    damage(nonsense, (bytes) => bytes.fill('nonsense'));
    expect(opening(nonsense).found?.because).toMatch(/file is not a database/);
    const renamed = written(4);
    damage(renamed, (bytes) => void bytes.writeUInt32BE(7, 68));
    expect(opening(renamed).found?.because).toMatch(/application id is 7/);
  });

  it('does the same for a table of another shape, of which SQLite says only that a statement fails', () => {
    const change: readonly [RegExp, (path: string) => void][] = [
      [/its table entry has the columns/, (path) => inSql(path, 'ALTER TABLE entry RENAME COLUMN boot TO root')],
      [/its table sqlite_sequence is missing/, (path) => damage(path, renameSequence)],
      [/its schema format is 9/, (path) => damage(path, (bytes) => void bytes.writeUInt32BE(9, 44))],
      [/its write version is 3/, (path) => damage(path, (bytes) => void bytes.writeUInt8(3, 18))],
    ];
    for (const [because, spoil] of change) {
      const path = written(4);
      spoil(path);
      expect(opening(path)).toEqual({
        found: expect.objectContaining({ because: expect.stringMatching(because) }),
        records: 0,
      });
    }
  });

  it('leaves a whole journal alone, and one whose chain is broken: that one can be read', () => {
    const path = written(9);
    damage(path, (bytes) => void bytes.write('7', bytes.indexOf('{"by_ms":3') + 9));
    expect(opening(path)).toEqual({ found: undefined, records: 9 });
  });

  it('opens a journal, and says why it cannot, also where the second name of the log cannot be removed', () => {
    const path = written(3);
    mkdirSync(`${path}-wal.kept`);
    expect(opening(path)).toEqual({ found: undefined, records: 3 });
    rmSync(path);
    symlinkSync(basename(path), path);
    expect(() => openJournal(path, AT)).toThrow(coded('JOURNAL_UNWRITABLE', /ELOOP/));
  });

  it('touches nothing that is not a damaged journal: another program, another version, another Reeve', () => {
    const other = written(1);
    rmSync(other);
    const db = new DatabaseSync(other);
    db.exec('CREATE TABLE x (a)');
    db.close();
    expect(() => opening(other)).toThrow(coded('JOURNAL_BROKEN', /is not a journal of Reeve/));
    const newer = written(1);
    damage(newer, (bytes) => void bytes.writeUInt32BE(2, 60));
    expect(() => opening(newer)).toThrow(coded('JOURNAL_BROKEN', /has version 2; expected 1/));
    const used = written(1);
    const { store } = openJournal(used, AT);
    expect(() => opening(used)).toThrow(coded('JOURNAL_UNWRITABLE', /is in use by process/));
    store.close();
    for (const path of [other, newer, used]) expect(existsSync(join(dirname(path), NAME))).toBe(false);
  });

  const BYTE_BY_BYTE =
    'comes through any changed byte of the file: whole, broken or aside, and only another version is refused';
  it(BYTE_BY_BYTE, { timeout: 300_000 }, () => {
    const path = written(0);
    const ledger = new Ledger(SqliteStore.open(path), systemClock, { snapshotEntries: 8 });
    ledger.register(sum());
    ledger.open();
    for (let n = 1; n <= 20; n += 1) ledger.append([jump(n)]);
    ledger[Symbol.dispose]();
    const whole = readFileSync(path);
    const wrong: string[] = [];
    const met = new Set<string>();
    // The header, and the index in which a start looks for snapshots, byte by byte.
    const ofIndex = [...whole.toString('latin1').matchAll(/snapshot\.taken/g)].map(({ index }) => index);
    const isDense = (at: number): boolean => at < 100 || ofIndex.some((index) => Math.abs(index - at) < 40);
    for (const at of whole.keys().filter((each) => each % 97 === 0 || isDense(each))) {
      for (const file of readdirSync(dirname(path))) rmSync(join(dirname(path), file));
      const bytes = Buffer.from(whole);
      bytes[at] = bytes[at]! ^ 0x01;
      writeFileSync(path, bytes, { mode: 0o600 });
      const came = comesThrough(path);
      met.add(came);
      if (!['whole', 'broken', NAME].includes(came)) wrong.push(`${at}: ${came}`);
    }
    expect(wrong).toEqual([60, 61, 62, 63].map((at) => expect.stringMatching(`^${at}: .*has version`)));
    expect(met).toContain(NAME);
  });
});

/** What a start makes of the file, which it then writes to. */
function comesThrough(path: string): string {
  try {
    const { store, damage: found } = openJournal(path, AT);
    using ledger = new Ledger(store, systemClock);
    const total = ledger.register(sum());
    ledger.open();
    ledger.append([jump(1)]);
    ledger.patrol(1_000);
    if (found !== undefined) return basename(found.keptAs);
    if (ledger.broken !== undefined) return 'broken';
    return total().total === 211 ? 'whole' : `another sum: ${total().total}`;
  } catch (thrown) {
    return String(thrown);
  }
}
