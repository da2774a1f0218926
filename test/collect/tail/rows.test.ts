import { describe, expect, it } from 'vitest';
import { LineCounts } from '../../../src/collect/tail/line_counts.ts';
import type { LogFile } from '../../../src/collect/tail/log_file.ts';
import { pathOfRow, rowPathOf, Rows } from '../../../src/collect/tail/rows.ts';
import type { Checkpoint } from '../../../src/core/chunk.ts';
import { memoryCheckpoints } from '../../../src/journal/checkpoints.ts';

const PATH = '/var/log/app.log';
const rowOf = (inode: string, with_: Partial<Checkpoint> = {}): Checkpoint => ({
  ...{ source: 's', path: PATH, device: '1', inode, headHash: 'h', headBytes: 4, offset: 10 },
  ...{ lines: 0, matched: 0, unmatched: 0, dropped: [] },
  ...with_,
});
const fileOf = (inode: string, offset = 10): LogFile =>
  ({
    path: PATH,
    key: `1:${inode}`,
    replaced: false,
    checkpoint: () => rowOf(inode, { offset }),
  }) as unknown as LogFile;

function rows(store = memoryCheckpoints(), path = PATH) {
  const own = new Rows('s', path, store);
  const tally = new LineCounts();
  own.load(tally);
  const save = (...files: readonly LogFile[]) => {
    const batch = own.batch(files, tally);
    store.save(batch.changed);
    own.saved(batch);
    return batch;
  };
  return { own, tally, save, store };
}

describe('the path of a row', () => {
  it('names the file beside which another one stands now, and leads back to it', () => {
    const replaced = { path: PATH, key: '1:7', replaced: true } as LogFile;
    expect(rowPathOf(replaced)).toBe(`${PATH}#1:7`);
    expect(rowPathOf({ ...replaced, replaced: false } as LogFile)).toBe(PATH);
    expect(pathOfRow(`${PATH}#1:7`)).toBe(PATH);
    expect(pathOfRow('/var/log/a#b.log')).toBe('/var/log/a#b.log');
  });
});

describe('the rows of a source', () => {
  it('hold its counts and its files over a restart', () => {
    const { tally, save, store } = rows();
    tally.add({ lines: 3, matched: 2, unmatched: 1, progress: 0 });
    save(fileOf('7'));
    const next = rows(store);
    expect(next.tally.counts).toMatchObject({ lines: 3, matched: 2, unmatched: 1 });
    expect(next.own.at(PATH)).toMatchObject({ inode: '7', offset: 10 });
    expect(next.own.formerOf({ device: 1n, inode: 7n })?.inode).toBe('7');
  });

  it('know whether an earlier run followed the same path', () => {
    const { save, store, own } = rows();
    save();
    expect(own.wasFollowed).toBe(false);
    expect(rows(store).own.wasFollowed).toBe(true);
    expect(rows(store, '/var/log/other.log').own.wasFollowed).toBe(false);
  });

  it('are written only where they changed', () => {
    const { save } = rows();
    expect(save(fileOf('7')).changed).toHaveLength(2);
    expect(save(fileOf('7')).changed).toEqual([]);
    expect(save(fileOf('7', 20)).changed.map(({ offset }) => offset)).toEqual([20]);
  });

  it('are forgotten of a file that is gone for good, and not before that is saved', () => {
    const { save, own, store } = rows();
    save(fileOf('7'));
    own.retire(fileOf('7'));
    expect(store.load('s')).toHaveLength(2);
    save();
    expect(store.load('s').map(({ inode }) => inode)).toEqual(['']);
  });

  it('are kept of a file that is gone and came back before the save', () => {
    const { save, own, store } = rows();
    save(fileOf('7'));
    own.retire(fileOf('7'));
    save(fileOf('7'));
    expect(
      store
        .load('s')
        .map(({ inode }) => inode)
        .toSorted(),
    ).toEqual(['', '7']);
  });

  it('remember as many files that went away as a pattern may match, and let the oldest go', () => {
    const { own } = rows();
    for (let inode = 1; inode <= 4_096; inode += 1) own.remember(rowOf(String(inode)));
    expect(own.remembered).toHaveLength(4_096);
    own.remember(rowOf('4097'));
    expect(own.remembered.map(({ inode }) => inode)).toEqual(Array.from({ length: 4_096 }, (_, at) => String(at + 2)));
  });
});
