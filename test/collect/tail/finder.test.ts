import { linkSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { finderOf, openBeside, realPathOf } from '../../../src/collect/tail/finder.ts';
import { closeQuietly, type Opened } from '../../../src/collect/tail/identity.ts';
import { aDirectory } from '../support/tailing.ts';

const FILES_MAX = 10;
const kindOf = (opened: Opened): string => {
  if (opened.kind === 'open') closeQuietly(opened.fd);
  return opened.kind;
};

describe('an exact path', () => {
  const there = (name = 'app.log') => {
    const path = join(aDirectory(), name);
    return { path, finder: finderOf(path, FILES_MAX) };
  };

  it('finds the one file that stands there, and is direct while no other name leads to it', () => {
    const { path, finder } = there();
    writeFileSync(path, '');
    expect(finder.look()).toMatchObject({ files: [{ path }], troubles: [], isDirect: true });
    linkSync(path, `${path}.other`);
    expect(finder.look().isDirect).toBe(false);
  });

  it('is missing where nothing stands there, and reachable while its directory does', () => {
    const { path, finder } = there();
    const because = 'there is no such file';
    expect(finder.look()).toMatchObject({ troubles: [{ path, kind: 'missing', because }], isReachable: true });
    rmSync(join(path, '..'), { recursive: true });
    expect(finder.look().isReachable).toBe(false);
  });

  it('is refused where a directory stands there', () => {
    const { path, finder } = there();
    mkdirSync(path);
    expect(finder.look().troubles).toEqual([{ path, kind: 'refused', because: 'it is a directory' }]);
  });

  it('follows the link that an operator wrote down, and watches the directory that it leads to', () => {
    const { path, finder } = there();
    const [first, second] = [join(aDirectory(), '1.log'), join(aDirectory(), '2.log')];
    for (const each of [first, second]) writeFileSync(each, '');
    symlinkSync(first, path);
    const sighting = finder.look();
    expect(sighting).toMatchObject({ files: [{ path }], isDirect: false });
    expect(sighting.interests.map(({ directory }) => directory)).toEqual([join(path, '..'), join(first, '..')]);
    expect(finder.look().interests).toBe(sighting.interests);
    symlinkSync(second, `${path}.next`);
    renameSync(`${path}.next`, path);
    expect(finder.look().interests[1]?.directory).toBe(join(second, '..'));
    expect(kindOf(finder.open(path))).toBe('open');
  });
});

describe('a pattern', () => {
  it('says so when more files match than may be followed', () => {
    const directory = aDirectory();
    const path = join(directory, '*.log');
    const finder = finderOf(path, 2);
    for (const name of ['1.log', '2.log']) writeFileSync(join(directory, name), '');
    expect(finder.look().troubles).toEqual([]);
    writeFileSync(join(directory, '3.log'), '');
    const because = 'only the first 2 files that match are read';
    const { files, troubles } = finder.look();
    expect([files.length, troubles]).toEqual([2, [{ path, kind: 'too_many_files', because }]]);
  });

  it('finds all files that match and says when none does', () => {
    const directory = aDirectory();
    const finder = finderOf(join(directory, '*.log'), FILES_MAX);
    expect(finder.look().troubles).toEqual([
      { path: join(directory, '*.log'), kind: 'missing', because: 'no file matches' },
    ]);
    for (const name of ['a.log', 'b.log', 'c.txt']) writeFileSync(join(directory, name), '');
    expect(finder.look().files.map(({ path }) => path)).toEqual([join(directory, 'a.log'), join(directory, 'b.log')]);
    expect([finder.concerns('x.log'), finder.concerns('x.txt')]).toEqual([true, false]);
  });

  it('opens no link, neither at the end of a path nor on the way', () => {
    const [directory, elsewhere] = [aDirectory(), aDirectory()];
    writeFileSync(join(elsewhere, 'secret.log'), '');
    symlinkSync(join(elsewhere, 'secret.log'), join(directory, 'a.log'));
    symlinkSync(elsewhere, join(directory, 'sub'));
    const finder = finderOf(join(directory, '*/*.log'), FILES_MAX);
    expect(kindOf(finder.open(join(directory, 'sub', 'secret.log')))).toBe('refused');
    expect(kindOf(finderOf(join(directory, '*.log'), FILES_MAX).open(join(directory, 'a.log')))).toBe('refused');
  });

  it('keeps the same list of directories to watch while there is no other', () => {
    const directory = aDirectory();
    const finder = finderOf(join(directory, '*/*.log'), FILES_MAX);
    const before = finder.look().interests;
    expect(finder.look().interests).toBe(before);
    mkdirSync(join(directory, 'one'));
    expect(finder.look().interests).not.toBe(before);
  });
});

describe('a file beside a followed one', () => {
  it('is opened where it lies there itself, and is not where a link leads to it', () => {
    const directory = aDirectory();
    writeFileSync(join(directory, 'app.log.1'), '');
    symlinkSync('app.log.1', join(directory, 'app.log.2'));
    expect(kindOf(openBeside(join(directory, 'app.log.1')))).toBe('open');
    expect(kindOf(openBeside(join(directory, 'app.log.2')))).toBe('refused');
    expect(realPathOf('/nowhere/at/all')).toBe('/nowhere/at/all');
  });
});
