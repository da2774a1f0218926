import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { anyOf, isGlob, parseGlob, walk } from '../../../src/collect/tail/glob.ts';
import { aDirectory } from '../support/tailing.ts';

describe('a pattern', () => {
  const found = (pattern: string): string[] => {
    const directory = aDirectory();
    for (const path of ['a/x.log', 'a/y.log', 'a/.hidden.log', 'b/x.log', 'b/x.txt', 'b/[z].log', 'c.log']) {
      mkdirSync(join(directory, path, '..'), { recursive: true });
      writeFileSync(join(directory, path), '');
    }
    symlinkSync(join(directory, 'a'), join(directory, 'l'));
    return walk(parseGlob(join(directory, pattern)), 100).paths.map((path) => relative(directory, path));
  };

  it.each([
    ['*.log', ['c.log']],
    ['*/x.log', ['a/x.log', 'b/x.log']],
    ['a/*', ['a/x.log', 'a/y.log']],
    ['a/.*', ['a/.hidden.log']],
    ['?/x.*', ['a/x.log', 'b/x.log', 'b/x.txt']],
    ['{a,b}/[xy].log', ['a/x.log', 'a/y.log', 'b/x.log']],
    ['[!b]/x.log', ['a/x.log']],
    ['b/*.{txt,nothing}', ['b/x.txt']],
    ['no*/x.log', []],
  ])('%s finds %j, and follows no link', (pattern, expected) => {
    expect(found(pattern)).toEqual(expected);
  });

  it('is known by its signs', () => {
    expect(['/var/log/*.log', '/a/?', '/a/[b]', '/a/{b,c}'].every(isGlob)).toBe(true);
    expect(isGlob('/var/log/app-1.log')).toBe(false);
  });

  it.each([
    ['/a/news.log', true],
    ['/a/news-2.log', false],
    ['/logs/cam1/out.log', true],
    ['/logs/cam1/err/out.log', false],
    ['/logs/.cam1/out.log', false],
    ['/srv/logs/cam1/out.log', false],
    ['/x.txt', true],
    ['/a/x.txt', false],
  ])('tells of %s whether one of several paths leads to it: %s', (file, expected) => {
    expect(anyOf(['/a/news.log', '/logs/*/out.log', '/*.txt'])(file)).toBe(expected);
  });

  it('takes other signs as they are', () => {
    const directory = aDirectory();
    writeFileSync(join(directory, 'a+(b).log'), '');
    writeFileSync(join(directory, 'aab.log'), '');
    expect(walk(parseGlob(join(directory, 'a+(*).log')), 9).paths).toEqual([join(directory, 'a+(b).log')]);
  });

  it.each([
    [5, 4, true],
    [5, 5, false],
  ])('of %i files finds no more than %i, and says whether there are more', (files, most, isCut) => {
    const directory = aDirectory();
    for (let at = 0; at < files; at += 1) writeFileSync(join(directory, `${at}.log`), '');
    writeFileSync(join(directory, 'other.txt'), '');
    const walked = walk(parseGlob(join(directory, '*.log')), most);
    expect([walked.paths.length, walked.isCut]).toEqual([most, isCut]);
  });

  it.each([
    [3, true],
    [4, false],
  ])('looks into no more directories than %i, and says whether there are more', (most, isCut) => {
    const directory = aDirectory();
    for (const name of ['a', 'b', 'c']) mkdirSync(join(directory, name));
    writeFileSync(join(directory, 'd'), 'no directory');
    const walked = walk(parseGlob(join(directory, '*', '*.log')), most);
    expect([walked.directories.length, walked.isCut]).toEqual([most, isCut]);
  });

  it('leaves out what rotation has packed, which counts for nothing among the files either', () => {
    const directory = aDirectory();
    const packed = ['gz', 'bz2', 'xz', 'zst', 'Z'].map((suffix) => `0.log.2.${suffix}`);
    for (const name of [...packed, 'x.log', 'x.log.1', 'x.gz.log']) writeFileSync(join(directory, name), '');
    const walked = walk(parseGlob(join(directory, '*')), 3);
    expect(walked).toMatchObject({ isCut: false });
    expect(walked.paths.map((path) => relative(directory, path))).toEqual(['x.gz.log', 'x.log', 'x.log.1']);
  });

  it('says when not even its beginning is there', () => {
    expect(walk(parseGlob('/no/such/place/*.log'), 5)).toMatchObject({ hasBase: false, paths: [] });
  });
});
