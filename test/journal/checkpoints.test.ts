import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Checkpoint, CheckpointStore } from '../../src/core/chunk.ts';
import {
  FILES_PER_SOURCE_MAX,
  memoryCheckpoints,
  openCheckpoints,
  SqliteCheckpoints,
} from '../../src/journal/checkpoints.ts';
import { temporaryDirectory } from './support.ts';

const checkpoint = (inode: string, change: Partial<Checkpoint> = {}): Checkpoint => ({
  source: 'news',
  path: '/var/log/news.log',
  device: '2049',
  inode,
  headHash: 'abc',
  headBytes: 256,
  offset: 4_096,
  lines: 40,
  matched: 3,
  unmatched: 37,
  dropped: [{ reason: 'line_too_long', lines: 2 }],
  ...change,
});

function onDisk(path = join(temporaryDirectory(), 'collect.db')): SqliteCheckpoints {
  const store = new SqliteCheckpoints(path);
  onTestFinished(() => store[Symbol.dispose]());
  return store;
}

describe.each<[string, () => CheckpointStore]>([
  ['sqlite', onDisk],
  ['memory', memoryCheckpoints],
])('%s checkpoints', (_, open) => {
  it('come back as they were saved, per source, oldest first', () => {
    const store = open();
    store.save([checkpoint('1'), checkpoint('9', { source: 'other' })]);
    store.save([checkpoint('2')]);
    expect(store.load('news')).toEqual([checkpoint('1'), checkpoint('2')]);
    expect(store.load('missing')).toEqual([]);
  });

  it('of one file are replaced, also under another name', () => {
    const store = open();
    store.save([checkpoint('1'), checkpoint('2')]);
    store.save([checkpoint('1', { offset: 9_000_000_000_000, path: '/var/log/news.log.1' })]);
    expect(store.load('news')).toEqual([
      checkpoint('2'),
      checkpoint('1', { offset: 9_000_000_000_000, path: '/var/log/news.log.1' }),
    ]);
  });

  it('go when their file is gone for good, and no others with them', () => {
    const store = open();
    store.save([checkpoint('1'), checkpoint('2'), checkpoint('1', { source: 'other' })]);
    store.forget('news', [
      { device: '2049', inode: '1' },
      { device: '1', inode: '2' },
    ]);
    expect(store.load('news')).toEqual([checkpoint('2')]);
    expect(store.load('other')).toHaveLength(1);
    store.forget('news', []);
    expect(store.load('news')).toHaveLength(1);
  });
});

describe('checkpoints on disk', () => {
  it('are there after the file was opened anew, for its owner alone', () => {
    const path = join(temporaryDirectory(), 'collect.db');
    const first = new SqliteCheckpoints(path);
    first.save([checkpoint('1')]);
    first[Symbol.dispose]();
    expect(onDisk(path).load('news')).toEqual([checkpoint('1')]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('are saved all or none', () => {
    const store = onDisk();
    store.save([checkpoint('1')]);
    const bad = { ...checkpoint('3'), inode: undefined } as unknown as Checkpoint;
    expect(() => store.save([checkpoint('2'), bad])).toThrow(expect.objectContaining({ code: 'JOURNAL_UNWRITABLE' }));
    expect(store.load('news')).toEqual([checkpoint('1')]);
    store.save([checkpoint('4')]);
    expect(store.load('news')).toHaveLength(2);
  });

  it('forget the files of a source that were saved longest ago', () => {
    const store = onDisk();
    store.save([checkpoint('x', { source: 'other' })]);
    store.save(Array.from({ length: FILES_PER_SOURCE_MAX + 5 }, (_, i) => checkpoint(`${i}`)));
    const inodes = store.load('news').map(({ inode }) => inode);
    expect([inodes.length, inodes[0]]).toEqual([FILES_PER_SOURCE_MAX, '5']);
    expect(store.load('other')).toHaveLength(1);
  });

  it('say so when the file is no database', () => {
    const path = join(temporaryDirectory(), 'collect.db');
    new DatabaseSync(path).close();
    expect(() => new SqliteCheckpoints('/dev/null/collect.db')).toThrow(
      expect.objectContaining({ code: 'JOURNAL_UNWRITABLE' }),
    );
  });
});

describe('a start on a damaged file of checkpoints', () => {
  const isRoot = process.getuid?.() === 0;
  /** With one checkpoint in it. */
  const written = (): string => {
    const path = join(temporaryDirectory(), 'collect.db');
    const store = new SqliteCheckpoints(path);
    store.save([checkpoint('1')]);
    store[Symbol.dispose]();
    return path;
  };
  const patched = (path: string, change: (bytes: Buffer) => void): void => {
    const bytes = readFileSync(path);
    change(bytes);
    writeFileSync(path, bytes);
  };
  const inSql = (path: string, sql: string): void => {
    const db = new DatabaseSync(path);
    db.exec(sql);
    db.close();
  };
  const opening = (path: string) => {
    const { store, trouble } = openCheckpoints(path);
    onTestFinished(() => store[Symbol.dispose]());
    return { store, trouble, rows: store.load('news').length };
  };

  it.each<[string, (path: string) => void]>([
    ['garbage', (path) => writeFileSync(path, 'garbage '.repeat(1_000))],
    ['garbage shorter than a page', (path) => writeFileSync(path, 'garbage')],
    ['a file that was cut', (path) => truncateSync(path, 4_096)],
    ['a file that was cut within a page', (path) => truncateSync(path, 5_000)],
    ['a wrong beginning', (path) => patched(path, (bytes) => bytes.fill(0xff, 0, 16))],
    ['a header that says read-only', (path) => patched(path, (bytes) => void bytes.writeUInt8(3, 18))],
    ['a header of a later schema', (path) => patched(path, (bytes) => void bytes.writeUInt32BE(9, 44))],
    ['a torn page', (path) => patched(path, (bytes) => bytes.fill(0xff, 4_096, 8_192))],
    ['a row that is no JSON', (path) => inSql(path, "UPDATE checkpoint SET body = 'x'")],
    [
      'a count of nonsense',
      (path) => patched(path, (bytes) => void bytes.write('-', bytes.indexOf('"matched":3') + 10)),
    ],
    [
      'an inode of nonsense',
      (path) => inSql(path, `UPDATE checkpoint SET body = replace(body, '"inode":"1"', '"inode":"x"')`),
    ],
    [
      'drops of nonsense',
      (path) => inSql(path, `UPDATE checkpoint SET body = replace(body, '"dropped":[', '"dropped":5,"x":[')`),
    ],
    ['a table of another shape', (path) => inSql(path, 'ALTER TABLE checkpoint RENAME COLUMN body TO text')],
    [
      'a directory',
      (path) => {
        rmSync(path);
        mkdirSync(join(path, 'within'), { recursive: true });
      },
    ],
  ])('begins a new one for %s, keeps what was there, and says so once', (_, damage) => {
    const path = written();
    damage(path);
    const { store, trouble, rows } = opening(path);
    expect(rows).toBe(0);
    expect(trouble).toMatch(/^collect: .*; it was put aside as collect\.db\.broken and is begun anew/);
    expect(readdirSync(dirname(path))).toContain('collect.db.broken');
    store.save([checkpoint('2')]);
    store[Symbol.dispose]();
    expect(opening(path)).toMatchObject({ trouble: undefined, rows: 1 });
  });

  it('begins one where the file is empty or missing, which is no damage', () => {
    const path = join(temporaryDirectory(), 'collect.db');
    writeFileSync(path, '');
    expect(opening(path)).toMatchObject({ trouble: undefined, rows: 0 });
    expect(opening(join(temporaryDirectory(), 'collect.db'))).toMatchObject({ trouble: undefined, rows: 0 });
  });

  it('goes on without a file that it may not open, leaves it as it is, and says what to do', () => {
    const path = join(temporaryDirectory(), 'collect.db');
    writeFileSync(join(dirname(path), 'elsewhere'), 'kept');
    symlinkSync('elsewhere', path);
    const { store, trouble } = opening(path);
    expect(trouble).toMatch(/^collect: how far logs are read is not kept over the next start: .*--state/);
    store.save([checkpoint('1')]);
    expect(store.load('news')).toEqual([checkpoint('1')]);
    expect(readFileSync(join(dirname(path), 'elsewhere'), 'utf8')).toBe('kept');
  });

  it.runIf(isRoot)('takes its own file back that lost its mode, and goes on without that of another user', () => {
    const path = written();
    for (const each of [dirname(path), path]) chownSync(each, 65_534, 65_534);
    chmodSync(path, 0o000);
    const foreign = written();
    chownSync(dirname(foreign), 65_534, 65_534);
    process.seteuid?.(65_534);
    try {
      expect(opening(path)).toMatchObject({ trouble: undefined, rows: 1 });
      expect(opening(foreign).trouble).toMatch(/not kept over the next start: .*EACCES.*ls -l .*chown/);
    } finally {
      process.seteuid?.(0);
    }
    expect(opening(foreign)).toMatchObject({ trouble: undefined, rows: 1 });
  });
});
