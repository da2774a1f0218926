import { describe, expect, it } from 'vitest';
import { Copies } from '../../../src/collect/tail/copies.ts';
import type { Found } from '../../../src/collect/tail/finder.ts';
import type { LogFile } from '../../../src/collect/tail/log_file.ts';

const fileAt = (path: string, { offset = 500, headBytes = 256, isDetached = false } = {}): LogFile =>
  ({ path, isDetached, checkpoint: () => ({ path, offset, headBytes }) }) as unknown as LogFile;
const newAt = (path: string, size: number, ino = 7n): Found =>
  ({ kind: 'file', path, stat: { dev: 1n, ino, size: BigInt(size) } }) as unknown as Found;

describe('a new file beside one that is followed', () => {
  const log = fileAt('/var/log/a.log');

  it.each([
    ['with a rotated name', newAt('/var/log/a.log.1', 500), [log], { isUnderWay: false }],
    ['with a rotated name and too little in it', newAt('/var/log/a.log.1', 499), [log], { isUnderWay: true }],
    ['with a name of its own', newAt('/var/log/b.log', 0), [log], undefined],
    ['in another folder', newAt('/var/log/old/a.log.1', 0), [log], undefined],
    ['of one that was renamed', newAt('/var/log/a.log.1', 0), [fileAt(log.path, { isDetached: true })], undefined],
    ['of one of which nothing was read', newAt('/var/log/a.log.1', 0), [fileAt(log.path, { offset: 0 })], undefined],
    ['of one without a beginning', newAt('/var/log/a.log.1', 0), [fileAt(log.path, { headBytes: 0 })], undefined],
  ])('%s may be a copy, or not', (_, found, files, says) => {
    const copy = new Copies().of(found, files, 0);
    expect(copy && { isUnderWay: copy.isUnderWay }).toEqual(says);
  });

  it('is waited for 10 s, and known by what was read of the other when it was begun', () => {
    const copies = new Copies();
    const at = (nowMs: number, offset: number, size = 100, ino = 7n) =>
      copies.of(newAt('/var/log/a.log.1', size, ino), [fileAt(log.path, { offset })], nowMs);
    expect(at(0, 500)).toMatchObject({ isUnderWay: true, original: { offset: 500 } });
    expect(at(9_999, 20)).toMatchObject({ isUnderWay: true, original: { offset: 500 } });
    expect(at(9_999, 20, 100, 8n)).toMatchObject({ isUnderWay: false, original: { offset: 20 } });
    expect(at(10_000, 20)).toMatchObject({ isUnderWay: false, original: { offset: 500 } });
    expect(at(10_001, 20)).toMatchObject({ isUnderWay: false, original: { offset: 20 } });
  });
});
