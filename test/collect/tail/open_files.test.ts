import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { filesMaxOf, ownFilesMax } from '../../../src/collect/tail/open_files.ts';

const limits = (soft: string, hard = soft): string =>
  `Limit                     Soft Limit           Hard Limit           Units     
Max processes             94924                94924                processes 
Max open files            ${soft.padEnd(20)} ${hard.padEnd(20)} files     
`;

describe('the log files that a process may keep open', () => {
  it.each([
    ['256', 128],
    ['1024', 512],
    ['2048', 1_536],
    ['4096', 3_072],
    ['20000', 15_000],
    ['65536', 49_152],
    ['1048576', 65_536],
    ['unlimited', 65_536],
  ])('are, of a limit of %s descriptors, %i', (soft, files) => {
    expect(filesMaxOf(limits(soft))).toBe(files);
  });

  it('are counted by the soft limit: that is what holds', () => {
    expect(filesMaxOf(limits('1024', '65536'))).toBe(512);
  });

  it('are 4,096 where the limit is not known', () => {
    expect([filesMaxOf(''), filesMaxOf('Max open files   some')]).toEqual([4_096, 4_096]);
  });

  it('are for this process what its own limit allows', () => {
    expect(ownFilesMax()).toBe(filesMaxOf(readFileSync('/proc/self/limits', 'utf8')));
  });
});
