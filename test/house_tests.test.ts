import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');

/** What is tested across rooms, or is no part of `src`. */
const BESIDE_ROOMS: Readonly<Record<string, string>> = {
  bench: 'programs that measure',
  checkout: 'what stands in the repository: package, documents, deployment, generated files',
  corpus: 'recorded log excerpts',
  crash: 'the journal after kill -9, at every point of a write',
  daemon: 'the program as people start it, with real processes and files',
  demo: 'the demonstration',
  fuzz: 'every parser of outside bytes',
  learning: 'the learning run',
  policy: 'policy tests that are shipped as examples',
  scenario: 'the decision path from sample to page',
  support: 'what tests share',
};
/** Folders of a room's tests that hold no tests of files: known-bad variants, and programs that must not hang. */
const WITHOUT_SOURCE = /^simulation\/(?:(?:truth_)?mutants|spin)$/;

const filesIn = (folder: string, ending: string): readonly string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith(ending));
const roomsOf = (folder: string): readonly string[] =>
  readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
const tests = filesIn('test', '.test.ts').filter((path) => path.includes('/'));
const roomOf = (path: string): string => path.split('/')[0]!;

describe('tests stand where their source stands', () => {
  it('in a folder of a room of src, or in one that is listed here with what it holds', () => {
    const known = new Set([...roomsOf('src'), ...Object.keys(BESIDE_ROOMS)]);
    expect(roomsOf('test').filter((name) => !known.has(name))).toEqual([]);
    expect(Object.keys(BESIDE_ROOMS).filter((name) => !roomsOf('test').includes(name))).toEqual([]);
  });

  it('within a room in the folder of the same name', () => {
    const strays = tests
      .filter((path) => !Object.hasOwn(BESIDE_ROOMS, roomOf(path)) && !WITHOUT_SOURCE.test(dirname(path)))
      .filter((path) => !existsSync(join(ROOT, 'src', dirname(path))));
    expect(strays).toEqual([]);
  });

  it('a test that has the name of a file of its room stands where that file stands', () => {
    const sources = filesIn('src', '.ts').map((path) => path.replace(/\.ts$/, ''));
    const strays = tests
      .map((path) => path.replace(/\.test\.ts$/, ''))
      .filter((path) => {
        const named = sources.filter((one) => roomOf(one) === roomOf(path) && basename(one) === basename(path));
        return named.length > 0 && !named.includes(path);
      });
    expect(strays).toEqual([]);
  });

  it('and every file of more than 40 lines with branches has one at its path', () => {
    const bare = filesIn('src', '.ts')
      .filter((path) => path.includes('/') && !path.endsWith('.d.ts'))
      .filter((path) => !existsSync(join(ROOT, 'test', path.replace(/\.ts$/, '.test.ts'))))
      .filter((path) => {
        const text = readFileSync(join(ROOT, 'src', path), 'utf8');
        const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '');
        return text.split('\n').length > 41 && /\bif \(|\?\? |&& |\|\| |\bcase /.test(code);
      });
    expect(bare).toEqual([]);
  });

  it('and each room has some', () => {
    const tested = new Set(tests.map(roomOf));
    expect(roomsOf('src').filter((room) => !tested.has(room))).toEqual([]);
  });
});
