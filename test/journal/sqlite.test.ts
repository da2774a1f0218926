import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { auditJournal } from '../../src/journal/audit.ts';
import { verifyChain } from '../../src/journal/chain.ts';
import { Ledger } from '../../src/journal/ledger.ts';
import { SqliteStore } from '../../src/journal/sqlite.ts';
import { coded, chainOf, jump, sum, journalPath, opened } from './support.ts';

const PROGRAM = join(import.meta.dirname, 'programs/append.ts');

/** Runs the program until it prints `text`. */
async function running(path: string, text: string, count = '1'): Promise<ChildProcess> {
  const child = spawn(process.execPath, [PROGRAM, path, count, 'wait'], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  let printed = '';
  child.stdout!.on('data', (bytes) => {
    printed += bytes;
    if (printed.includes(text)) child.emit('printed');
  });
  await once(child, 'printed');
  return child;
}

describe('one writer', () => {
  it('refuses a second one in the same process', () => {
    const path = journalPath();
    opened(path);
    expect(() => SqliteStore.open(path)).toThrow(
      coded('JOURNAL_UNWRITABLE', new RegExp(`in use by process ${process.pid}`)),
    );
  });

  it('refuses a second one in another process, and names the first; when that dies the way is free', async () => {
    const path = journalPath();
    const child = await running(path, '1\n');
    expect(() => SqliteStore.open(path)).toThrow(
      coded('JOURNAL_UNWRITABLE', new RegExp(`in use by process ${child.pid}`)),
    );
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(opened(path).last()?.seq).toBe(1);
  });

  it('starts on a lock whose file is damaged, and then keeps it', () => {
    const path = journalPath();
    mkdirSync(dirname(path), { mode: 0o700 });
    writeFileSync(`${path}.lock`, 'not a database, and longer than a header of one hundred bytes '.repeat(9));
    opened(path);
    expect(() => SqliteStore.open(path)).toThrow(coded('JOURNAL_UNWRITABLE', /in use by process/));
  });

  it('leaves the way free when it is closed or failed to open', () => {
    const path = journalPath();
    SqliteStore.open(path).close();
    const store = SqliteStore.open(path);
    expect(() => SqliteStore.open(path)).toThrow();
    store.close();
    opened(path);
  });
});

describe('a journal that is taken away while it is open', () => {
  const takings: readonly (readonly [string, (path: string) => void])[] = [
    ['deleted', (path) => rmSync(path)],
    ['moved with its directory', (path) => renameSync(dirname(path), `${dirname(path)}.away`)],
    [
      'replaced',
      (path) => {
        renameSync(path, `${path}.away`);
        writeFileSync(path, '', { mode: 0o600 });
      },
    ],
  ];

  it.each(takings)('takes nothing more when it is %s: no start would find it', (_how, take) => {
    const path = journalPath();
    const store = opened(path);
    store.append(chainOf(1));
    store.checkPlace();
    take(path);
    expect(() => store.append(chainOf(2).slice(1))).toThrow(coded('JOURNAL_UNWRITABLE', /deleted, moved or replaced/));
    expect(() => store.checkPlace()).toThrow(coded('JOURNAL_UNWRITABLE', /start Reeve again/));
  });
});

describe('a reader', () => {
  it('reads while another process writes, and cannot write', async () => {
    const path = journalPath();
    await running(path, '7\n', '7');
    expect(auditJournal(path)).toMatchObject({ ok: true, records: 7 });
    const reader = SqliteStore.openForReading(path);
    expect(() => reader.append(chainOf(1))).toThrow(coded('JOURNAL_UNWRITABLE', /for reading only/));
    reader.close();
  });

  it('reads what a killed writer left in the write-ahead log', () => {
    const path = journalPath();
    spawnSync(process.execPath, [PROGRAM, path, '5', 'kill']);
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
    const reader = SqliteStore.openForReading(path);
    expect([...reader.read({})]).toHaveLength(5);
    reader.close();
  });

  it('checks the chain while entries come and old ones go', () => {
    const path = journalPath();
    const writer = opened(path);
    writer.append(chainOf(1_200));
    const reader = SqliteStore.openForReading(path);
    const rows: number[] = [];
    reader.consistently(() => {
      for (const { seq } of reader.read({})) {
        rows.push(seq);
        if (seq === 100) writer.deleteThrough(900);
      }
    });
    expect(rows).toEqual(Array.from({ length: 1_200 }, (_, index) => index + 1));
    expect([...reader.read({})][0]?.seq).toBe(901);
    reader.close();
    expect(auditJournal(path)).toMatchObject({ ok: false, firstBad: 901, records: 300 });
  });

  it('says so where there is no journal', () => {
    expect(() => SqliteStore.openForReading('/nowhere/journal.db')).toThrow(coded('JOURNAL_BROKEN', /no journal at/));
  });

  it('does not call a journal gone that it may not look at', () => {
    const path = journalPath();
    mkdirSync(dirname(path), { mode: 0o700 });
    // Refused whatever the rights, also to root.
    symlinkSync(basename(path), path);
    expect(() => SqliteStore.openForReading(path)).toThrow(coded('JOURNAL_BROKEN', /^cannot read .*: ELOOP/));
  });
});

describe('a damaged journal', () => {
  it('is refused when it is another database or no database', () => {
    const path = journalPath();
    mkdirSync(dirname(path), { mode: 0o700 });
    const other = new DatabaseSync(path);
    other.exec('CREATE TABLE x (a)');
    other.close();
    expect(() => SqliteStore.open(path)).toThrow(coded('JOURNAL_BROKEN', /is not a journal of Reeve/));
    writeFileSync(path, 'not a database at all, but long enough to look at'.repeat(100));
    expect(() => SqliteStore.open(path)).toThrow(coded('JOURNAL_BROKEN', /cannot read/));
  });

  it('is refused when another version wrote it', () => {
    const path = journalPath();
    SqliteStore.open(path).close();
    const db = new DatabaseSync(path);
    db.exec('PRAGMA user_version = 2');
    db.close();
    expect(() => SqliteStore.open(path)).toThrow(coded('JOURNAL_BROKEN', /has version 2; expected 1/));
  });

  it('is refused when a page is damaged, unless it is too large to look at every page', () => {
    const path = journalPath();
    const store = SqliteStore.open(path);
    store.append(chainOf(400));
    store.close();
    const bytes = readFileSync(path);
    bytes.fill(0xff, 5 * 4_096, 5 * 4_096 + 200);
    writeFileSync(path, bytes);
    expect(() => SqliteStore.open(path)).toThrow(coded('JOURNAL_BROKEN', /is damaged|cannot read/));
    const large = SqliteStore.open(path, { quickCheckBytesMax: 1_000 });
    expect(large.pagesChecked).toBe(false);
    large.close();
  });

  it('is detected for any changed byte of any record: never read as whole', () => {
    const path = journalPath();
    const store = SqliteStore.open(path);
    store.append(chainOf(4));
    store.close();
    const whole = readFileSync(path);
    const copy = `${path}.copy`;
    const first = whole.indexOf('{"by_ms":') - RECORD_HEAD_BYTES;
    const end = Math.ceil(first / 4_096) * 4_096;
    const missed: number[] = [];
    for (let at = first; at < end; at += 1) {
      const bytes = Buffer.from(whole);
      bytes[at] = bytes[at]! ^ 0x01;
      writeFileSync(copy, bytes);
      if (wholeAt(copy)) missed.push(at);
    }
    expect(end - first).toBeGreaterThan(400);
    expect(missed).toEqual([]);
  });

  it('is detected when its tail was deleted', () => {
    const path = journalPath();
    const store = SqliteStore.open(path);
    store.append(chainOf(9));
    store.close();
    const db = new DatabaseSync(path);
    db.exec('DELETE FROM entry WHERE seq > 6');
    db.close();
    const reader = SqliteStore.openForReading(path);
    const report = verifyChain(reader.read({}), { seq: reader.highestSeq() });
    expect(report).toMatchObject({ ok: false, firstBad: 7 });
    reader.close();
  });
});

/** What stands before the body in SQLite's record of these rows: sizes, numbers, boot and type. */
const RECORD_HEAD_BYTES = 38;

function wholeAt(path: string): boolean {
  try {
    const reader = SqliteStore.openForReading(path);
    const report = verifyChain(reader.read({}), { seq: reader.highestSeq() });
    reader.close();
    return report.ok && report.records === 4;
  } catch {
    return false;
  }
}

describe('over a kill', () => {
  it('keeps every acknowledged entry, and the states come back', () => {
    const path = journalPath();
    const run = spawnSync(process.execPath, [PROGRAM, path, '40', 'kill'], { encoding: 'utf8' });
    expect(run.stdout.trim().split('\n').at(-1)).toBe('40');
    const ledger = new Ledger(opened(path), systemClock);
    const total = ledger.register(sum());
    ledger.open();
    expect([total(), ledger.broken]).toEqual([{ entries: 40, total: 820 }, undefined]);
    expect(ledger.append([jump(1)])[0]?.seq).toBe(41);
  });

  it('can be copied while it is closed and goes on elsewhere', () => {
    const path = journalPath();
    spawnSync(process.execPath, [PROGRAM, path, '3']);
    const copy = journalPath();
    mkdirSync(dirname(copy), { mode: 0o700 });
    copyFileSync(path, copy);
    spawnSync(process.execPath, [PROGRAM, copy, '3']);
    const reader = SqliteStore.openForReading(copy);
    expect(verifyChain(reader.read({}))).toMatchObject({ ok: true, records: 6 });
    reader.close();
  });
});

const STRACE = '/usr/bin/strace';
const canTrace = existsSync(STRACE) && spawnSync(STRACE, ['-o', '/dev/null', '/bin/true']).status === 0;

/** The program under fault injection at the n-th call. */
function underFault(path: string, inject: string) {
  const args = ['-f', '-o', '/dev/null', '-e', 'trace=fsync,pwrite64', '-e', `inject=${inject}`];
  const run = spawnSync(STRACE, [...args, process.execPath, PROGRAM, path, '12'], { encoding: 'utf8' });
  const lines = run.stdout.trim().split('\n');
  return { lines, acknowledged: lines.filter((line) => /^\d+$/.test(line)).length };
}

describe.skipIf(!canTrace)('with real faults at the disk (needs strace with ptrace)', () => {
  it.each([17, 20, 23])('killed at fsync %i keeps what was acknowledged, at most one entry more', (nth) => {
    const path = journalPath();
    const { acknowledged } = underFault(path, `fsync:signal=KILL:when=${nth}`);
    expect(acknowledged).toBeGreaterThan(0);
    expect(acknowledged).toBeLessThan(12);
    const store = opened(path);
    const report = verifyChain(store.read({}), { seq: store.highestSeq() });
    expect(report.ok).toBe(true);
    expect(report.records - acknowledged).toBeOneOf([0, 1]);
  });

  it.each([
    ['fsync', 'EIO', 18],
    ['pwrite64', 'ENOSPC', 40],
  ])('refuses everything after %s failed with %s', (call, error, nth) => {
    const path = journalPath();
    const { lines, acknowledged } = underFault(path, `${call}:error=${error}:when=${nth}`);
    expect(lines).toContain('refused JOURNAL_UNWRITABLE');
    expect(acknowledged).toBeGreaterThan(0);
    expect(lines.filter((line) => line.includes('after a failure'))).toEqual([]);
    const store = opened(path);
    const report = verifyChain(store.read({}), { seq: store.highestSeq() });
    expect(report.ok).toBe(true);
    expect(report.records - acknowledged).toBeOneOf([0, 1]);
  });
});
