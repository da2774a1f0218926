import { appendFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FileIndex } from '../../../src/collect/tail/file_index.ts';
import { finderOf } from '../../../src/collect/tail/finder.ts';
import { LineCounts } from '../../../src/collect/tail/line_counts.ts';
import { Rows } from '../../../src/collect/tail/rows.ts';
import { DEFAULT_TAIL_LIMITS, type TailLimits } from '../../../src/collect/tail/types.ts';
import { HOUR_MS } from '../../../src/core/duration.ts';
import { memoryCheckpoints } from '../../../src/journal/checkpoints.ts';
import { fakeClock } from '../../support/fake_clock.ts';
import { aDirectory } from '../support/tailing.ts';

/** The files of one source in a directory; `look` takes in what stands there now. */
function anIndex(
  { pattern = 'app.log', limits = {}, directory = aDirectory(), store = memoryCheckpoints() } = {} as {
    readonly pattern?: string;
    readonly limits?: Partial<TailLimits>;
    readonly directory?: string;
    readonly store?: ReturnType<typeof memoryCheckpoints>;
  },
) {
  const { clock, advance } = fakeClock();
  const notices: string[] = [];
  const path = join(directory, pattern);
  const finder = finderOf(path, DEFAULT_TAIL_LIMITS.filesMax);
  const rows = new Rows('s', path, store);
  rows.load(new LineCounts());
  const openFiles = { count: 0 };
  const index = new FileIndex({
    ...{ finder, rows, isLog: () => false, limits: { ...DEFAULT_TAIL_LIMITS, ...limits }, clock, openFiles },
    say: (kind) => notices.push(kind),
    gap: () => notices.push('gap'),
    wake: () => undefined,
  });
  onTestFinished(() => index.close());
  const look = () => index.update(finder.look());
  const save = () => {
    const batch = rows.batch(index.files, new LineCounts());
    store.save(batch.changed);
    rows.saved(batch);
  };
  const retire = () => index.retire(() => undefined);
  return { index, look, notices, advance, path, directory, openFiles, store, save, retire, finder };
}

describe('the file at a path', () => {
  it('is read from its end where it was there at the first look, and from its start where it came later', () => {
    const first = anIndex();
    writeFileSync(first.path, 'old\n'.repeat(DEFAULT_TAIL_LIMITS.backlogBytes));
    first.look();
    expect(first.index.at(first.path)!.offset).toBeGreaterThan(0);
    const late = anIndex();
    late.look();
    writeFileSync(late.path, 'new\n');
    late.look();
    expect(late.index.at(late.path)!.offset).toBe(0);
    expect(late.notices).toEqual(['following']);
  });

  it('stands still until it grows, and is as it was seen only after a first look', () => {
    const { index, look, path, finder } = anIndex();
    writeFileSync(path, 'one\n');
    expect(index.isAsSeen(finder.look())).toBe(false);
    look();
    expect([index.standsStill(), index.isAsSeen(finder.look())]).toEqual([true, true]);
    appendFileSync(path, 'two\n');
    expect([index.standsStill(), index.isAsSeen(finder.look())]).toEqual([false, false]);
  });

  it('that is gone is not standing still, and its file stays open for a while', () => {
    const { index, look, path } = anIndex();
    writeFileSync(path, 'one\n');
    look();
    unlinkSync(path);
    look();
    expect([index.at(path), index.settled, index.files.length]).toEqual([undefined, undefined, 1]);
  });
});

describe('a rotation by rename and create', () => {
  const rotated = () => {
    const own = anIndex();
    writeFileSync(own.path, 'one\n');
    own.look();
    renameSync(own.path, `${own.path}.1`);
    writeFileSync(own.path, 'two\n');
    own.look();
    return own;
  };

  it('is read in order: the new file after the old one', () => {
    const { index, path, notices } = rotated();
    const [old, now] = index.files;
    expect([old?.replaced, now?.after === old, index.at(path) === now]).toEqual([true, true, true]);
    expect(notices).toEqual(['following', 'rotated', 'following']);
  });

  it('lets go of the old file when it was quiet for the lingering time', async () => {
    const { index, advance, retire, openFiles } = rotated();
    index.files[0]!.skipAll();
    for (const file of index.files) file.beginAtEnd(0);
    await advance(DEFAULT_TAIL_LIMITS.lingerMs - 1);
    retire();
    expect(openFiles.count).toBe(2);
    await advance(1);
    retire();
    expect([openFiles.count, index.files.length]).toEqual([1, 1]);
  });
});

describe('a file that was renamed and has no successor', () => {
  it('is followed for an hour after its last line', async () => {
    const { index, look, path, advance, retire } = anIndex();
    writeFileSync(path, 'one\n');
    look();
    index.files[0]!.beginAtEnd(0);
    renameSync(path, `${path}.1`);
    look();
    await advance(HOUR_MS - 1);
    retire();
    expect(index.files).toHaveLength(1);
    await advance(1);
    retire();
    expect(index.files).toHaveLength(0);
  });
});

describe('a file that an earlier run has read', () => {
  const readBefore = () => {
    const first = anIndex();
    writeFileSync(first.path, 'one\ntwo\n');
    first.look();
    first.index.files[0]!.offset = 4;
    first.save();
    first.index.close();
    return first;
  };

  it('is read on from there', () => {
    const { directory, store, path } = readBefore();
    const next = anIndex({ directory, store });
    next.look();
    expect(next.index.at(path)!.offset).toBe(4);
    expect(next.notices).toEqual(['following']);
  });

  it('and that was rotated meanwhile is found by its inode, and read first', () => {
    const { directory, store, path } = readBefore();
    renameSync(path, `${path}.1`);
    writeFileSync(path, 'three\n');
    const next = anIndex({ directory, store });
    next.look();
    const now = next.index.at(path)!;
    expect([now.offset, now.after?.offset, now.after?.replaced]).toEqual([0, 4, true]);
  });

  it('and that is gone is reported as lost', () => {
    const { directory, store, path } = readBefore();
    unlinkSync(path);
    writeFileSync(join(directory, 'other'), 'takes the inode\n');
    writeFileSync(path, 'three\n');
    const next = anIndex({ directory, store });
    next.look();
    expect(next.notices).toContain('gap');
  });
});

describe('more files than may be open', () => {
  it('are not opened, and that is reported', () => {
    const { directory, look, index, notices } = anIndex({ pattern: '*.log', limits: { filesMax: 1 } });
    for (const name of ['a.log', 'b.log']) writeFileSync(join(directory, name), '');
    look();
    expect(index.files).toHaveLength(1);
    expect(notices).toEqual(['following', 'too_many_files']);
  });
});

describe('a file that cannot be read any more', () => {
  it('goes on where it was read to, however many of them could not be read for a while', () => {
    const { index, directory, look, notices } = anIndex({ pattern: '*.log' });
    look();
    const names = Array.from({ length: 100 }, (_, at) => join(directory, `${at}.log`));
    for (const name of names) writeFileSync(name, `${name}\n`);
    look();
    for (const file of index.files) file.offset = file.size;
    for (const file of index.files) index.lose(file, 'EIO');
    expect(index.files).toEqual([]);
    look();
    expect(index.files.map(({ offset, size }) => size - offset)).toEqual(Array(100).fill(0));
    expect(notices.filter((kind) => kind === 'gap')).toEqual([]);
  });

  it('is closed, and where it was left is remembered', () => {
    const { index, look, path, notices, openFiles, save, store } = anIndex();
    writeFileSync(path, 'one\n');
    look();
    index.lose(index.files[0]!, 'EIO');
    save();
    expect([notices.at(-1), openFiles.count]).toEqual(['unreadable', 0]);
    expect(store.load('s')).toHaveLength(2);
  });
});
