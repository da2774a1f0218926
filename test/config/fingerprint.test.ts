import { readFileSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Fingerprints } from '../../src/config/fingerprint.ts';
import type { EpochMs } from '../../src/core/clock.ts';
import { aFolder } from './support.ts';

const TEXTS = { 'a.yaml': 'one', 'b.yaml': 'two' };

function files(bytesMax = 100) {
  const folder = aFolder(TEXTS);
  const [a, b] = [join(folder, 'a.yaml'), join(folder, 'b.yaml')];
  const fingerprints = new Fingerprints(bytesMax);
  /** So long after the last change of the first file. */
  const later = (ms: number): EpochMs => (Math.floor(statSync(a).ctimeMs) + ms) as EpochMs;
  return { a, b, later, of: (ms: number, paths = [a, b]) => fingerprints.of(paths, later(ms)) };
}

describe('a fingerprint', () => {
  it('is the same while nothing changes, whether the files were read again or not', () => {
    const { of } = files();
    const first = of(0);
    expect([of(0), of(1_999), of(2_001), of(60_000)]).toEqual([first, first, first, first]);
  });

  it.each([0, 60_000])('is another one after a write of as many bytes, %i ms after the last change', (ms) => {
    const { a, of } = files();
    const first = of(ms);
    writeFileSync(a, 'eno');
    expect(of(ms)).not.toBe(first);
  });

  it('is another one after a write whose time was set back', () => {
    const { a, of } = files();
    const { atime, mtime } = statSync(a);
    const first = of(60_000);
    writeFileSync(a, 'eno');
    utimesSync(a, atime, mtime);
    expect(of(60_000)).not.toBe(first);
  });

  it('is the same after a write that leaves the content as it was', () => {
    const { a, of } = files();
    const first = of(60_000);
    writeFileSync(a, 'one');
    expect(of(60_000)).toBe(first);
  });

  it('is another one when two files change places, and the first one again when they change back', () => {
    const { a, b, of } = files();
    const first = of(60_000);
    const swap = (): void => {
      renameSync(a, `${a}.x`);
      renameSync(b, a);
      renameSync(`${a}.x`, b);
    };
    swap();
    expect(of(60_000)).not.toBe(first);
    swap();
    expect(of(60_000)).toBe(first);
  });

  it('is another one when a file comes, goes, or cannot be read', () => {
    const { a, of } = files();
    const names = [of(0), of(0, [a]), of(0, [a, `${a}.missing`])];
    expect(new Set(names).size).toBe(3);
  });

  it('of a file that is too large goes by its size and time: both sides of the boundary', () => {
    for (const [bytesMax, isSame] of [
      [3, true],
      [2, false],
    ] as const) {
      const { a, of } = files(bytesMax);
      const first = of(60_000);
      writeFileSync(a, 'one');
      utimesSync(a, 1, 1);
      expect(of(60_000) === first, `${bytesMax}`).toBe(isSame);
    }
  });

  it('reads a file again that changed less than two seconds before, and no other: both sides of the boundary', () => {
    const { a, later } = files();
    const reads: string[] = [];
    const readsAt = (ms: number): number => {
      const fingerprints = new Fingerprints(100, (path) => {
        reads.push(path);
        return readFileSync(path);
      });
      const first = fingerprints.of([a], later(ms));
      reads.length = 0;
      expect(fingerprints.of([a], later(ms))).toBe(first);
      return reads.length;
    };
    expect([readsAt(0), readsAt(2_000), readsAt(2_001)]).toEqual([1, 1, 0]);
  });
});
