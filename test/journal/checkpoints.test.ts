import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Checkpoint, CheckpointStore } from '../../src/core/chunk.ts';
import { FILES_PER_SOURCE_MAX, memoryCheckpoints, SqliteCheckpoints } from '../../src/journal/checkpoints.ts';
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
